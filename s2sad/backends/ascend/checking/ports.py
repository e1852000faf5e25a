"""Does a node read what is there, by the ports that its operator declares?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest

from s2sad.backends.ascend.checking.finding import INPUTS, Finding, Place, exists
from s2sad.backends.ascend.datatypes import UNDEFINED
from s2sad.backends.ascend.graph import Desc, whole
from s2sad.backends.ascend.prototypes import Port, is_numbered, port_of

#: Whose single input is the tensor that they stand for.
WITHOUT_INPUTS = (*INPUTS, "Variable")
#: Ports that a finding lists.
LISTED = 12


def _check_edges(place: Place) -> Iterator[Finding]:
    node, graph = place.node, place.graph
    if len(node.inputs) > len(node.input_descs):
        what = f"it reads {len(node.inputs)} tensors, and describes {len(node.input_descs)}"
        yield place.finding("edge", what, "one input_desc for each position")
    for number, edge in enumerate(node.inputs):
        if edge is None or exists(graph, edge):
            continue
        source = graph.nodes.get(edge.name)
        count = 0 if source is None else len(source.output_descs)
        why = "no node of its graph has that name" if source is None else f"it has {count} outputs"
        yield place.finding("edge", f"input {number} is {edge}, but {why}")
    for name in node.after:
        if name not in graph.nodes:
            yield place.finding("edge", f"it comes after {name!r}, which its graph does not have")


def _check_ports(place: Place) -> Iterator[Finding]:
    for side, ports, descs in sides(place):
        names = [desc.name for desc in descs]
        right = _expected(ports, names)
        if names != right:
            what = f"its {side}s are {_few(names)}, {place.node.type} declares {_declared(ports)}"
            yield place.finding("port", what, "every port in the order of the prototype")
        table = place.node.port_table(side)
        if table != [(name, number) for number, name in enumerate(names)]:
            found = [name for name, _ in table]
            shown, ours = (found, names) if found != names else (table, list(enumerate(names)))
            what = f"the table of the names of its {side}s is {_few(shown)}, "
            what += f"its ports are {_few(ours)}"
            key = f"_{side}_name"
            yield place.finding(
                "port-names", what, f"lookups by name see this table only: {key}_key, {key}_value"
            )


def sides(place: Place) -> Iterator[tuple[str, tuple[Port, ...], list[Desc]]]:
    """Inputs and outputs: the word, the ports as they are declared, and what the node has."""
    yield "input", place.declared.inputs, place.node.input_descs
    yield "output", place.declared.outputs, place.node.output_descs


def _few(names: list) -> str:
    """A list, the end of a long one left out."""
    text = ", ".join(map(repr, names[:LISTED]))
    return f"[{text}{', …' if len(names) > LISTED else ''}]"


def _expected(ports: tuple[Port, ...], names: list[str]) -> list[str]:
    """The names that ports have in a node which has `names`, as nearly as these say it."""
    fixed = [p for p in ports if p.kind != "dynamic"]
    found: list[str] = []
    for port in ports:
        if port.kind == "dynamic":
            count = sum(is_numbered(name, port.name) for name in names)
            found += [f"{port.name}{i}" for i in range(count)]
        elif port.kind == "required" or port.name in names:
            found.append(port.name)
        elif any(later.name in names for later in fixed[fixed.index(port) + 1 :]):
            found.append(port.name)  # its place is kept by an empty one
    return found


def _declared(ports: tuple[Port, ...]) -> str:
    marks = {"required": "", "optional": "?", "dynamic": "…"}
    return f"[{', '.join(port.name + marks[port.kind] for port in ports)}]"


def _check_optional(place: Place) -> Iterator[Finding]:
    """An optional input that is left out says so; a required one is there."""
    descs = place.node.input_descs
    for edge, desc in zip_longest(place.node.inputs[: len(descs)], descs):
        if edge is not None or place.node.type in WITHOUT_INPUTS:
            continue
        port = port_of(place.declared.inputs, desc.name)
        if port is None or port.kind != "optional":
            yield place.finding("input", f"nothing is read by its input {desc.name!r}")
        elif desc.type != UNDEFINED.name or whole(desc.attributes, "_is_unfed_optional") != 1:
            help = "DT_UNDEFINED, and _is_unfed_optional=1 among the attributes of its descriptor"
            yield place.finding(
                "optional", f"the input {desc.name!r} is left out without saying so", help
            )


RULES: tuple[Callable[[Place], Iterator[Finding]], ...] = (
    _check_edges, _check_ports, _check_optional,
)  # fmt: skip
