"""Do the views of a function, for networkx and for Graphviz, show all of it?"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import networkx
import pytest

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.graph import Function
from s2sad.ir.graphviz import quoted, to_dot
from s2sad.ir.network import to_networkx
from s2sad.ir.types import f32
from support.corruptions import reads_of, regions_of
from support.random_functions import random_function


def looping() -> Function:
    def run(x: Any, y: Any) -> Any:
        return p.sub(p.for_(0, 3, 1, x, body=lambda i, h: p.add(h, y)), y)

    return build_function(run, [f32[4], f32[4]], names=["x", "y"])


def test_nodes_and_edges():
    graph = to_networkx(looping())
    kinds = networkx.get_node_attributes(graph, "kind")
    assert {kind: list(kinds.values()).count(kind) for kind in set(kinds.values())} == {
        "input": 2, "operation": 6, "result": 1, "argument": 2, "yield": 1,
    }  # fmt: skip
    loop, inner, last = "operation 3", "operation 4", "operation 5"
    assert [graph.nodes[n]["label"] for n in (loop, inner, last)] == ["for_", "add", "sub"]
    assert graph.nodes[inner]["region"] == (loop, "body")
    assert graph.nodes[last]["region"] == ()
    assert graph.edges["input 1", last, 0]["operand"] == 1
    assert graph.edges["input 1", inner, 0]["type"] == f32[4]
    assert graph.has_edge(f"argument 1 of body of {loop}", inner)
    assert graph.has_edge(f"yield 0 of body of {loop}", loop)
    assert graph.nodes[last]["operation"].prim is p.sub


def test_a_value_read_twice_has_two_edges():
    graph = to_networkx(build_function(lambda x: p.mul(x, x), [f32]))
    edges = graph.get_edge_data("input 0", "operation 0")
    assert sorted(edge["operand"] for edge in edges.values()) == [0, 1]


def test_results_of_one_operation_are_told_apart():
    function = build_function(
        lambda x: p.split(x, sizes=(1, 3), axis=0)[::-1], [f32[4]], names=["x"]
    )
    graph = function.to_networkx()
    found = [graph.edges["operation 0", f"result {i}", 0]["result"] for i in range(2)]
    assert found == [1, 0]


def test_random_functions_have_a_graph_without_cycles():
    for seed in range(60):
        function, _ = random_function(seed)
        graph = to_networkx(function)
        reads = reads_of(function)
        yields = sum(len(region.yields) for region in regions_of(function)[1:])
        assert graph.number_of_edges() == len(reads) + yields
        assert networkx.is_directed_acyclic_graph(graph)
        assert all("kind" in data for _, data in graph.nodes(data=True))
        assert list(graph.nodes) == list(to_networkx(random_function(seed)[0]).nodes)


def test_networkx_is_not_imported_before_it_is_needed():
    program = (
        "import sys; from s2sad.ir.builder import build_function; from s2sad import prims as p;"
        "from s2sad.ir.types import f32; f = build_function(p.neg, [f32]);"
        "assert 'networkx' not in sys.modules; f.to_networkx(); assert 'networkx' in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, timeout=60)


# Graphviz

STRING = r'"(?:[^"\\]|\\.)*"'
NAME = r"n\d+(?:_\w+)?"
ATTRIBUTES = rf"\[\w+=(?:{STRING}|\w+)(?:, \w+=(?:{STRING}|\w+))*\]"
LINES = {
    "open": rf"digraph {STRING} \{{",
    "default": rf"(?:node|edge) {ATTRIBUTES};",
    "node": rf"({NAME}) {ATTRIBUTES};",
    "edge": rf"({NAME}) -> ({NAME}) {ATTRIBUTES};",
    "cluster": r"subgraph cluster_\w+ \{",
    "label": rf"label={STRING};",
    "close": r"\}",
}


def read_dot(text: str) -> tuple[list[str], list[tuple[str, str]], int]:
    """Nodes, edges and clusters of `text`, which must be of the grammar above."""
    nodes, edges, clusters, depth = [], [], 0, 0
    for line in text.split("\n"):
        found = {kind: re.fullmatch(pattern, line.strip()) for kind, pattern in LINES.items()}
        (kind,) = [kind for kind, match in found.items() if match]
        match = found[kind]
        assert match is not None
        if kind == "node":
            nodes.append(match[1])
        elif kind == "edge":
            edges.append((match[1], match[2]))
        clusters += kind == "cluster"
        depth += (kind in ("open", "cluster")) - (kind == "close")
    assert depth == 0
    return nodes, edges, clusters


def test_dot_of_a_loop():
    nodes, edges, clusters = read_dot(to_dot(looping()))
    assert clusters == 1
    assert len(nodes) == 2 + 6 + 1 + 2 + 1 + 1  # as above, and a point for the region
    assert len(edges) == 11


def test_dot_of_random_functions():
    for seed in range(60):
        function, _ = random_function(seed)
        nodes, edges, clusters = read_dot(to_dot(function))
        regions = regions_of(function)[1:]
        assert clusters == len(regions)
        assert len(edges) == len(reads_of(function)) + len(regions)
        assert len(set(nodes)) == len(nodes)
        assert {end for edge in edges for end in edge} <= set(nodes)
        assert to_dot(random_function(seed)[0]) == to_dot(function)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", '"x"'),
        ('a"b', r'"a\"b"'),
        ("a\\n", r'"a\\n"'),
        ("a\nb", r'"a\nb"'),
        ("\\", r'"\\"'),
        ("β <x> {y|z}", '"β <x> {y|z}"'),
    ],
)
def test_quoted(text, expected):
    assert quoted(text) == expected
    assert re.fullmatch(STRING, quoted(text))
