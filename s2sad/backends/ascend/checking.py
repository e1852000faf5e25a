"""What in a graph file would GE not take, or drop without a word?

The rules are those that its reader's public source and the declarations of its operators give; each
finding says where and what to do. What a chip's kernels take is not known from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from s2sad.backends.ascend.datatypes import BY_ATTRIBUTE, DATA_TYPES, FORMATS, UNDEFINED
from s2sad.backends.ascend.graph import Array, Attribute, Desc, Graph, Model, Node
from s2sad.backends.ascend.prototypes import (
    ENGINE_ONLY,
    Declared,
    Port,
    Prototype,
    find,
    near,
)

INPUTS = ("Data", "RefData")
CONTROL = {"If": 1, "Case": 1, "While": 0, "For": 0, "PartitionedCall": 0,
           "StatelessIf": 1, "StatelessWhile": 0, "StatefulPartitionedCall": 0}  # fmt: skip
#: Attributes that any node may have: written by the engine, or for people.
COMMON = ("_", "ge_")


class Finding(NamedTuple):
    """Something that GE would refuse, or drop.

    Attributes
    ----------
    rule : str
        One word for its kind, such as ``"port"``.
    where : str
        ``"graph/node"``.
    what : str
    help : str
        "" where there is no more to say.

    Examples
    --------
    >>> print(Finding("cycle", "root/relu", "it waits for what waits for it", "cut it"))
    root/relu: cycle: it waits for what waits for it
      = help: cut it
    """

    rule: str
    where: str
    what: str
    help: str = ""

    def __str__(self) -> str:
        tail = f"\n  = help: {self.help}" if self.help else ""
        return f"{self.where}: {self.rule}: {self.what}{tail}"


class Place(NamedTuple):
    """The node that is looked at, where it stands, and how its operator is declared."""

    model: Model
    graph: Graph
    node: Node
    declared: Prototype

    def finding(self, rule: str, what: str, help: str = "") -> Finding:
        """A finding at this node."""
        return Finding(rule, f"{self.graph.name}/{self.node.name}", what, help)


def check(model: Model) -> list[Finding]:
    """All findings in `model`, in the order of the file.

    Examples
    --------
    >>> from s2sad.backends.ascend.building import GraphBuilder
    >>> builder = GraphBuilder("step")
    >>> x = builder.data(Desc("DT_FLOAT", (2,)))
    >>> builder.net_output([builder.node("Relu", {"x": x}, [Desc("DT_FLOAT", (2,))])])
    >>> model = Model("net", {"step": builder.graph})
    >>> check(model)
    []
    >>> del builder.graph.nodes["Relu"].attributes["_input_name_key"]
    >>> print(*check(model))
    step/Relu: port-names: the table of the names of its inputs is [], its ports are ['x']
      = help: lookups by name see this table only: _input_name_key, _input_name_value
    """
    found: list[Finding] = []
    for name, graph in model.graphs.items():
        if name != graph.name or not name:
            found.append(Finding("name", name or "?", "a graph needs a name of its own"))
        found += _check_graph(model, graph)
    found += _check_calls(model)
    return found


def _check_graph(model: Model, graph: Graph) -> Iterator[Finding]:
    yield from _check_inputs(graph)
    yield from _check_results(graph)
    yield from _check_order(graph)
    for node in graph.nodes.values():
        declared = find(node.type)
        where = f"{graph.name}/{node.name}"
        if declared is None:
            yield Finding(
                "operator", where, f"GE has no operator {node.type!r}", _instead_of(node.type)
            )
            continue
        for rule in RULES:
            yield from rule(Place(model, graph, node, declared))


def _instead_of(type: str) -> str:
    if type in ENGINE_ONLY:
        return "the engine knows it, but puts it in itself"
    return near(type) or ""


# Graphs


def _check_inputs(graph: Graph) -> Iterator[Finding]:
    """Data are counted from 0 without gaps."""
    nodes = list(graph.of_type(*INPUTS))
    indices = sorted(node.value("index", -1) for node in nodes)
    if indices != list(range(len(nodes))):
        what = f"the indices of its inputs are {indices}, not 0 to {len(nodes) - 1}"
        yield Finding("data-index", graph.name, what, "number Data and RefData together, from 0")


def _check_results(graph: Graph) -> Iterator[Finding]:
    count = sum(1 for _ in graph.of_type("NetOutput"))
    if count > 1:
        yield Finding("net-output", graph.name, f"it has {count} nodes of type NetOutput")
    elif not count and not graph.outputs:
        help = "end it with NetOutput, or list results in GraphDef.output"
        yield Finding("net-output", graph.name, "it gives nothing", help)
    for edge in graph.outputs:
        if not _exists(graph, edge):
            yield Finding("edge", graph.name, f"it gives {edge}, which no node makes")


def _check_order(graph: Graph) -> Iterator[Finding]:
    """No node waits for itself."""
    waits = {
        node.name: {e.name for e in node.inputs if e is not None} | set(node.after)
        for node in graph.nodes.values()
    }
    ready = [name for name, before in waits.items() if not before & waits.keys()]
    readers: dict[str, list[str]] = {}
    left = {name: len(before & waits.keys()) for name, before in waits.items()}
    for name, before in waits.items():
        for other in before:
            readers.setdefault(other, []).append(name)
    done = 0
    while ready:
        done += 1
        for reader in readers.get(ready.pop(), ()):
            left[reader] -= 1
            if not left[reader]:
                ready.append(reader)
    if done < len(waits):
        stuck = min(name for name, count in left.items() if count)
        yield Finding("cycle", f"{graph.name}/{stuck}", "it waits for what waits for it")


# Nodes


def _check_edges(place: Place) -> Iterator[Finding]:
    node, graph = place.node, place.graph
    if len(node.inputs) > len(node.input_descs):
        what = f"it reads {len(node.inputs)} tensors, and describes {len(node.input_descs)}"
        yield place.finding("edge", what, "one input_desc for each position")
    for number, edge in enumerate(node.inputs):
        if edge is not None and not _exists(graph, edge):
            yield place.finding(
                "edge", f"input {number} is {edge}, which no node of its graph makes"
            )
    for name in node.after:
        if name not in graph.nodes:
            yield place.finding("edge", f"it comes after {name!r}, which its graph does not have")


def _exists(graph: Graph, edge: object) -> bool:
    source = graph.nodes.get(edge.name)  # type: ignore[attr-defined]
    return source is not None and 0 <= edge.index < len(source.output_descs)  # type: ignore[attr-defined]


def _check_ports(place: Place) -> Iterator[Finding]:
    for side, ports, descs in _sides(place):
        names = [desc.name for desc in descs]
        right = _expected(ports, names)
        if names != right:
            what = f"its {side}s are {names}, {place.node.type} declares {_declared(ports)}"
            yield place.finding("port", what, "every port in the order of the prototype")
        table = place.node.ports(side)
        if list(table) != names or list(table.values()) != list(range(len(names))):
            what = f"the table of the names of its {side}s is {list(table)}, its ports are {names}"
            key = f"_{side}_name"
            yield place.finding(
                "port-names", what, f"lookups by name see this table only: {key}_key, {key}_value"
            )


def _sides(place: Place) -> Iterator[tuple[str, tuple[Port, ...], list[Desc]]]:
    yield "input", place.declared.inputs, place.node.input_descs
    yield "output", place.declared.outputs, place.node.output_descs


def _expected(ports: tuple[Port, ...], names: list[str]) -> list[str]:
    """The names that ports have in a node which has `names`, as nearly as these say it."""
    fixed = [p for p in ports if p.kind != "dynamic"]
    found: list[str] = []
    for port in ports:
        if port.kind == "dynamic":
            count = sum(_is_numbered(name, port.name) for name in names)
            found += [f"{port.name}{i}" for i in range(count)]
        elif port.kind == "required" or port.name in names:
            found.append(port.name)
        elif any(later.name in names for later in fixed[fixed.index(port) + 1 :]):
            found.append(port.name)  # its place is kept by an empty one
    return found


def _is_numbered(name: str, port: str) -> bool:
    return name.startswith(port) and name[len(port) :].isdigit()


def _declared(ports: tuple[Port, ...]) -> str:
    marks = {"required": "", "optional": "?", "dynamic": "…"}
    return f"[{', '.join(port.name + marks[port.kind] for port in ports)}]"


def _check_optional(place: Place) -> Iterator[Finding]:
    """An optional input that is left out says so; a required one is there."""
    kinds = {port.name: port.kind for port in place.declared.inputs}
    pairs = zip_longest(place.node.inputs[: len(place.node.input_descs)], place.node.input_descs)
    for edge, desc in pairs:
        if edge is not None or place.node.type in INPUTS:
            continue
        if kinds.get(desc.name) != "optional":
            yield place.finding("input", f"nothing is read by its input {desc.name!r}")
        elif desc.type != UNDEFINED.name or desc.attributes.get("_is_unfed_optional") is None:
            help = "DT_UNDEFINED, and _is_unfed_optional=1 among the attributes of its descriptor"
            yield place.finding(
                "optional", f"the input {desc.name!r} is left out without saying so", help
            )


def _check_types(place: Place) -> Iterator[Finding]:
    chosen: dict[str, str] = {}
    for side, ports, descs in _sides(place):
        for desc in descs:
            port = _port_of(ports, desc.name)
            if desc.type not in DATA_TYPES:
                yield place.finding(
                    "type", f"the {side} {desc.name!r} has no type of GE: {desc.type}"
                )
                continue
            if port is None or desc.type == UNDEFINED.name:
                continue
            taken = port.types | port.wider
            if taken and desc.type not in taken:
                what = f"the {side} {desc.name!r} is {desc.type}, {place.node.type} declares "
                yield place.finding("type", what + ", ".join(sorted(taken)))
            if port.variable and "(" not in port.variable and port.kind != "dynamic":
                first = chosen.setdefault(port.variable, desc.type)
                if first != desc.type:
                    what = f"ports of one type are {first} and {desc.type} ({port.variable})"
                    yield place.finding("type", what)


def _port_of(ports: tuple[Port, ...], name: str) -> Port | None:
    for port in ports:
        if port.name == name or (port.kind == "dynamic" and _is_numbered(name, port.name)):
            return port
    return None


def _check_agreement(place: Place) -> Iterator[Finding]:
    """What a node says of its inputs is what those that make them say."""
    for edge, desc in zip(place.node.inputs, place.node.input_descs, strict=False):
        if edge is None or not _exists(place.graph, edge):
            continue
        made = place.graph.nodes[edge.name].output_descs[edge.index]
        if made.type != desc.type and UNDEFINED.name not in (made.type, desc.type):
            what = f"it reads {edge} as {desc.type}, which is made as {made.type}"
            yield place.finding("type", what, "put a Cast between them")
        if made.shape != desc.shape and not {-1, -2} & {*made.shape, *desc.shape}:
            what = f"it reads {edge} as {list(desc.shape)}, which is made as {list(made.shape)}"
            yield place.finding("shape", what)


def _check_descs(place: Place) -> Iterator[Finding]:
    for side, _, descs in _sides(place):
        for desc in descs:
            if desc.layout and desc.layout not in FORMATS:
                yield place.finding(
                    "format", f"the {side} {desc.name!r} has no format {desc.layout!r}"
                )
            if any(n < -2 for n in desc.shape) or (-2 in desc.shape and len(desc.shape) > 1):
                what = f"the {side} {desc.name!r} has the shape {list(desc.shape)}"
                yield place.finding(
                    "shape", what, "-1 is an unknown size, -2 alone an unknown rank"
                )


def _check_attributes(place: Place) -> Iterator[Finding]:
    for declared in place.declared.attributes.values():
        given = place.node.attributes.get(declared.name)
        if given is None or given.kind == "None":
            if declared.is_required:
                help = "nothing is filled in for it; a list needs its val_type"
                yield place.finding(
                    "attribute", f"{declared.name!r} is missing", help if given else ""
                )
        elif not _fits(declared, given):
            what = f"{declared.name!r} is {given.kind}, {place.node.type} declares {declared.type}"
            yield place.finding("attribute", what)
    for name, given in place.node.attributes.items():
        if given.kind == "None":
            yield place.finding(
                "attribute", f"{name!r} has no value and is dropped", "set val_type"
            )
        elif name not in place.declared.attributes and not name.startswith(COMMON):
            if not (place.node.type in INPUTS and name == "index"):
                yield place.finding("attribute", f"{place.node.type} has no attribute {name!r}")


def _fits(declared: Declared, given: Attribute) -> bool:
    if declared.type == "Type" and given.kind == "Type":
        return given.value in BY_ATTRIBUTE
    return declared.type == given.kind or {declared.type, given.kind} == {"String", "Bytes"}


def _check_constants(place: Place) -> Iterator[Finding]:
    value = place.node.value("value")
    if place.node.type not in ("Const", "Constant") or not isinstance(value, Array):
        return
    size = value.desc.nbytes
    if size is not None and size != len(value.data) and "location" not in place.node.attributes:
        what = f"its value is {value.desc}, {size} bytes, and has {len(value.data)}"
        yield place.finding("constant", what)
    for desc in place.node.output_descs:
        if (desc.type, desc.shape) != (value.desc.type, value.desc.shape):
            yield place.finding("constant", f"it gives {desc}, its value is {value.desc}")


RULES: tuple[Callable[[Place], Iterator[Finding]], ...] = (
    _check_edges, _check_ports, _check_optional, _check_types, _check_agreement, _check_descs,
    _check_attributes, _check_constants,
)  # fmt: skip


# Calls of subgraphs


def _check_calls(model: Model) -> Iterator[Finding]:
    called: dict[str, str] = {}
    for graph in model.graphs.values():
        for node in graph.nodes.values():
            declared = find(node.type)
            if declared is None:
                continue
            place = Place(model, graph, node, declared)
            yield from _check_call(place, called)
    for name in list(model.graphs)[1:]:
        if name not in called:
            yield Finding("subgraph", name, "no node calls it")


def _check_call(place: Place, called: dict[str, str]) -> Iterator[Finding]:
    node, wanted = place.node, place.declared.graphs
    is_open = any(kind == "dynamic" for _, kind in wanted)
    if len(node.subgraphs) != len(wanted) and not is_open:
        names = [name for name, _ in wanted]
        yield place.finding(
            "subgraph", f"it calls {len(node.subgraphs)} graphs, its prototype has {names}"
        )
        return
    for number, name in enumerate(node.subgraphs):
        graph = place.model.graphs.get(name)
        if graph is None or graph is place.model.root:
            yield place.finding("subgraph", f"it calls {name!r}, which the file does not have")
            continue
        if name in called:
            yield place.finding("subgraph", f"{name!r} is called by {called[name]} as well")
        called[name] = f"{place.graph.name}/{node.name}"
        is_condition = node.type.endswith("While") and number == 0
        yield from _check_binding(place, graph, is_condition=is_condition)


def _check_binding(place: Place, graph: Graph, *, is_condition: bool) -> Iterator[Finding]:
    """Inputs and results of a subgraph are those of the node that calls it."""
    node = place.node
    given = node.input_descs[CONTROL.get(node.type, 0) :]
    inputs = sorted(graph.of_type(*INPUTS), key=lambda x: x.value("index", -1))
    if len(inputs) != len(given):
        yield place.finding(
            "subgraph", f"{graph.name!r} takes {len(inputs)} inputs, {len(given)} are given"
        )
    for desc, data in zip(given, inputs, strict=False):
        for made in data.output_descs[:1]:
            if made.type != desc.type:
                what = f"{graph.name}/{data.name} is {made.type}, and {desc.type} is given"
                yield place.finding("subgraph", what)
    results = graph.results()
    count = 1 if is_condition else len(node.output_descs)
    if len(results) != count:
        yield place.finding("subgraph", f"{graph.name!r} gives {len(results)} results, not {count}")
    if is_condition:
        return
    for edge, desc in zip(results, node.output_descs, strict=False):
        made = graph.nodes[edge.name].output_descs[edge.index] if _exists(graph, edge) else desc
        if made.type != desc.type:
            what = f"{graph.name!r} gives {edge} as {made.type}, not {desc.type}"
            yield place.finding("subgraph", what)
