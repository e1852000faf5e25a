"""Do nodes and the graphs that they call agree on what goes in and what comes out?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from s2sad.backends.ascend.checking.finding import INPUTS, Finding, Place, at, exists
from s2sad.backends.ascend.checking.tensors import agree
from s2sad.backends.ascend.graph import Desc, Graph, Model, Node, whole
from s2sad.backends.ascend.prototypes import find

#: Operators that call graphs, and how many inputs are for themselves.
CONTROL = {"If": 1, "Case": 1, "While": 0, "For": 0, "PartitionedCall": 0,
           "StatelessIf": 1, "StatelessCase": 1, "StatelessWhile": 0,
           "StatefulPartitionedCall": 0}  # fmt: skip
#: What says which input, or result, of the caller a Data, or an input of NetOutput, stands for.
PARENT = "_parent_node_index"


def check(model: Model) -> Iterator[Finding]:
    """Findings at nodes that call graphs, and at graphs inside of others."""
    called: dict[str, str] = {}
    for graph in model.graphs.values():
        for node in graph.nodes.values():
            declared = find(node.type)
            if declared is not None and (node.subgraphs or declared.graphs):
                yield from _check_call(Place(model, graph, node, declared), called)
    reached = _reached(model)
    for number, graph in enumerate(model.graphs.values()):
        if number and graph.name not in reached:
            yield Finding("subgraph", graph.name, "no node that runs calls it")
        elif number:
            yield from _check_parents(graph)


def _reached(model: Model) -> set[str]:
    """Graphs that the root calls, also by way of others."""
    found: set[str] = set()
    left = [model.root]
    while left:
        for node in left.pop().nodes.values():
            for name in node.subgraphs:
                if name in model.graphs and name not in found:
                    found.add(name)
                    left.append(model.graphs[name])
    return found


def _check_call(place: Place, called: dict[str, str]) -> Iterator[Finding]:
    node, wanted = place.node, place.declared.graphs
    is_open = any(kind == "dynamic" for _, kind in wanted)
    if len(node.subgraphs) != len(wanted) and not is_open:
        names = [name for name, _ in wanted]
        yield place.finding(
            "subgraph", f"it calls {len(node.subgraphs)} graphs, its prototype has {names}"
        )
        return
    if node.type.endswith("While"):
        yield from _check_carried(place)
    for number, name in enumerate(node.subgraphs):
        graph = place.model.graphs.get(name)
        if graph is None or graph is place.model.root:
            what = "which the file does not have" if graph is None else "which is the root"
            yield place.finding("subgraph", f"it calls {name!r}, {what}")
            continue
        if name in called:
            yield place.finding("subgraph", f"{name!r} is called by {called[name]} as well")
        called[name] = f"{place.graph.name}/{node.name}"
        is_condition = node.type.endswith("While") and number == 0
        yield from _check_binding(place, graph, is_condition=is_condition)


def _check_carried(place: Place) -> Iterator[Finding]:
    """A While gives what it takes, one for one."""
    given, made = place.node.input_descs, place.node.output_descs
    if len(given) != len(made):
        what = f"it takes {len(given)} tensors and gives {len(made)}"
        yield place.finding("subgraph", what, "a While gives all that it takes")
    for before, after in zip(given, made, strict=False):
        if before.type != after.type:
            what = f"{before.name!r} is {before.type}, {after.name!r} is {after.type}"
            yield place.finding("subgraph", what, "a While gives all that it takes")


def _check_binding(place: Place, graph: Graph, *, is_condition: bool) -> Iterator[Finding]:
    """Inputs and results of a subgraph are those of the node that calls it."""
    node = place.node
    given = node.input_descs[CONTROL.get(node.type, 0) :]
    inputs = sorted(graph.of_type(*INPUTS), key=lambda x: whole(x.attributes, "index") or 0)
    if len(inputs) != len(given):
        yield place.finding(
            "subgraph", f"{graph.name!r} takes {len(inputs)} inputs, {len(given)} are given"
        )
    for desc, data in zip(given, inputs, strict=False):
        for made in data.output_descs[:1]:
            yield from _check_pair(graph, data, made, desc)
    results = _made(graph)
    count = 1 if is_condition else len(node.output_descs)
    if len(results) != count:
        yield place.finding("subgraph", f"{graph.name!r} gives {len(results)} results, not {count}")
    if is_condition:
        return
    for number, (made, desc) in enumerate(zip(results, node.output_descs, strict=False)):
        if made is not None and (made.type != desc.type or not agree(made, desc)):
            what = f"{graph.name!r} gives {made} as its result {number}, and it gives {desc}"
            yield place.finding("subgraph", what)


def _check_pair(graph: Graph, data: Node, made: Desc, given: Desc) -> Iterator[Finding]:
    if made.type != given.type or not agree(made, given):
        yield at(graph, data, "subgraph", f"it is {made}, and {given} is given")


def _made(graph: Graph) -> Sequence[Desc | None]:
    """What is said of each result of `graph`, by those that make them."""
    return [
        graph.nodes[edge.name].output_descs[edge.index] if exists(graph, edge) else None
        for edge in graph.results()
    ]


def _check_parents(graph: Graph) -> Iterator[Finding]:
    """Where one input, or result, says which of the caller's it is, all do, each another."""
    nodes = list(graph.of_type(*INPUTS))
    marks = [(node, whole(node.attributes, PARENT)) for node in nodes]
    ends = [
        (node, whole(desc.attributes, PARENT))
        for node in graph.of_type("NetOutput") for desc in node.input_descs
    ]  # fmt: skip
    if not any(number is not None for _, number in (*marks, *ends)):
        return
    for some in (marks, ends):
        seen: set[int] = set()
        for node, number in some:
            if number is None:
                what = f"it has no {PARENT}, and others of its graph do"
                yield at(graph, node, "subgraph", what, "all of a graph have it, or none")
            elif number < 0 or number in seen:
                what = f"its {PARENT} is {number}" + (", again" if number in seen else "")
                yield at(graph, node, "subgraph", what)
            seen |= set() if number is None else {number}
