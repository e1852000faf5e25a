"""Are a graph's inputs counted, its results there, and does no node wait for itself?"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.backends.ascend.checking.finding import INPUTS, Finding, at, exists
from s2sad.backends.ascend.graph import Graph, whole


def check(graph: Graph) -> Iterator[Finding]:
    """Findings that are of no single node."""
    yield from _check_inputs(graph)
    yield from _check_results(graph)
    yield from _check_order(graph)


def _check_inputs(graph: Graph) -> Iterator[Finding]:
    """Data and RefData are counted from 0 without gaps."""
    seen: dict[int, str] = {}
    nodes = list(graph.of_type(*INPUTS))
    for node in nodes:
        index = whole(node.attributes, "index")
        if index is None:
            yield at(graph, node, "data-index", "it has no index", "its place among the inputs")
        elif index in seen:
            what = f"its index is {index}, as that of {seen[index]!r}"
            yield at(graph, node, "data-index", what, "number Data and RefData together, from 0")
        elif not 0 <= index < len(nodes):
            what = f"its index is {index}, and the graph has {len(nodes)} inputs"
            yield at(graph, node, "data-index", what, "number Data and RefData together, from 0")
        if index is not None:
            seen.setdefault(index, node.name)
    for name in graph.inputs:
        source = name.rpartition(":")[0] or name
        if source not in graph.nodes:
            yield Finding("edge", graph.name, f"GraphDef.input names {name}, which it has not")


def _check_results(graph: Graph) -> Iterator[Finding]:
    ends = list(graph.of_type("NetOutput"))
    for node in ends[1:]:
        yield at(graph, node, "net-output", f"{ends[0].name!r} is of type NetOutput as well")
    if not ends and not graph.outputs:
        help = "end it with NetOutput, or list results in GraphDef.output"
        yield Finding("net-output", graph.name, "it gives nothing", help)
    for edge in graph.outputs:
        if not exists(graph, edge):
            yield Finding("edge", graph.name, f"GraphDef.output is {edge}, which no node makes")
    if ends and graph.outputs and graph.outputs != [e for e in ends[0].inputs if e is not None]:
        what = "it reads other tensors than GraphDef.output lists"
        yield at(graph, ends[0], "net-output", what, "either is enough")


def _check_order(graph: Graph) -> Iterator[Finding]:
    """No node waits for itself, also by way of others."""
    waits = {
        node.name: ({e.name for e in node.inputs if e is not None} | {*node.after})
        & graph.nodes.keys()
        for node in graph.nodes.values()
    }
    readers: dict[str, list[str]] = {}
    for name, before in waits.items():
        for other in before:
            readers.setdefault(other, []).append(name)
    left = {name: len(before) for name, before in waits.items()}
    ready = [name for name, count in left.items() if not count]
    while ready:
        for reader in readers.get(ready.pop(), ()):
            left[reader] -= 1
            if not left[reader]:
                ready.append(reader)
    stuck = [name for name, count in left.items() if count]
    if stuck:
        node = graph.nodes[_in_circle(stuck[0], waits, left)]
        yield at(graph, node, "cycle", "it waits for what waits for it")


def _in_circle(name: str, waits: dict[str, set[str]], left: dict[str, int]) -> str:
    """A node that waits for itself; `name` may only come behind it."""
    seen: set[str] = set()
    while name not in seen:
        seen.add(name)
        name = min(other for other in waits[name] if left[other])
    return name
