"""Is what is written in place memory that stays, and does all else come before or after?

An operator that has an input and an output of one name writes the input where that is state. For
those that are named ``var`` or ``ref`` there is nothing else to write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from s2sad.backends.ascend.checking.finding import STATE, Finding, Place, at
from s2sad.backends.ascend.graph import Edge, Graph, Model, Node
from s2sad.backends.ascend.prototypes import find

#: Ports that only exist to be written.
WRITTEN = ("var", "ref")


def _check_written(place: Place) -> Iterator[Finding]:
    """What ``var`` and ``ref`` name is state."""
    node = place.node
    if not {*WRITTEN} & _in_place(node):
        return
    for edge, desc in zip(node.inputs, node.input_descs, strict=False):
        if edge is None or desc.name not in _in_place(node):
            continue
        if edge.name in place.graph.nodes and origin(place.graph, edge) is None:
            source = place.graph.nodes[edge.name]
            what = f"it writes {desc.name!r} in place, which is {source.type} {edge.name!r}"
            yield place.finding("state", what, "give it a RefData or a Variable")


def _in_place(node: Node) -> set[str]:
    """Ports by which a node writes what it reads."""
    declared = find(node.type)
    if declared is None:
        return set()
    return {p.name for p in declared.inputs} & {p.name for p in declared.outputs}


def origin(graph: Graph, edge: Edge) -> Node | None:
    """The state that is at `edge`, as it is or after it was written; None for no state."""
    seen = set()
    while edge.name in graph.nodes and edge not in seen:
        seen.add(edge)
        node = graph.nodes[edge.name]
        if node.type in STATE:
            return node
        if edge.index >= len(node.output_descs):
            return None
        name = node.output_descs[edge.index].name
        before = dict(zip((desc.name for desc in node.input_descs), node.inputs, strict=False))
        found = before.get(name) if name in _in_place(node) else None
        if found is None:
            return None
        edge = found
    return None


def check_order(graph: Graph) -> Iterator[Finding]:
    """Who reads state that a node writes comes before the node or after it, for certain."""
    waits = {node.name: _waits(node) & graph.nodes.keys() for node in graph.nodes.values()}
    follows: dict[str, set[str]] = {name: set() for name in waits}
    for name, before in waits.items():
        for other in before:
            follows[other].add(name)
    for name, users in _users_of_state(graph).items():
        for writer in (node for node in users if _writes(node, name)):
            near = waits[writer.name] | follows[writer.name]
            apart = [node for node in users if node is not writer and node.name not in near]
            if not apart:
                continue
            known = _reached(writer.name, waits) | _reached(writer.name, follows)
            for user in apart:
                if user.name not in known:
                    what = f"it reads {name!r}, which {writer.name!r} writes, in no order"
                    help = "let one of them come after the other: an input name:-1"
                    yield at(graph, user, "order", what, help)


def _waits(node: Node) -> set[str]:
    return {edge.name for edge in node.inputs if edge is not None} | {*node.after}


def _users_of_state(graph: Graph) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {node.name: [] for node in graph.of_type(*STATE)}
    for node in graph.nodes.values():
        for name in dict.fromkeys(edge.name for edge in node.inputs if edge is not None):
            if name in found:
                found[name].append(node)
    return found


def _writes(node: Node, state: str) -> bool:
    names = _in_place(node)
    pairs = zip(node.inputs, node.input_descs, strict=False)
    return any(edge == Edge(state) and desc.name in names for edge, desc in pairs)


def _reached(name: str, near: Mapping[str, set[str]]) -> set[str]:
    """Nodes that are reached from one, step by step."""
    found: set[str] = set()
    left = [name]
    while left:
        new = near.get(left.pop(), set()) - found
        found |= new
        left += new
    return found


def check_variables(model: Model) -> Iterator[Finding]:
    """A Variable is found by its name, in all graphs: all that have it say the same of it."""
    seen: dict[str, tuple[str, Node]] = {}
    for graph in model.graphs.values():
        for node in graph.of_type("Variable"):
            where, first = seen.setdefault(node.name, (graph.name, node))
            if list(map(str, first.output_descs)) != list(map(str, node.output_descs)):
                what = f"it is {node.output_descs[0] if node.output_descs else 'nothing'}, and "
                what += f"{where}/{first.name}, which is the same memory, is another tensor"
                yield at(graph, node, "state", what)


RULES: tuple[Callable[[Place], Iterator[Finding]], ...] = (_check_written,)
