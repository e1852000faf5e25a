"""What model does an ``.air`` file hold?

All that the engine reads is kept, also what the checks refuse; only bytes that are no such message,
or that name no tensor as an edge, are an error here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.backends.ascend.datatypes import BY_NUMBER
from s2sad.backends.ascend.encoding import FIELDS, LISTS, NESTED
from s2sad.backends.ascend.graph import Array, Attribute, Desc, Edge, Graph, Model, Node
from s2sad.backends.ascend.schema import message
from s2sad.core.diagnostics import fail

KINDS = {field: kind for kind, field in FIELDS.items()}
KINDS_OF_LISTS = {number: kind for kind, (_, number) in LISTS.items()}
KINDS_OF_NESTED = {names[0]: kind for kind, names in NESTED.items()}

#: Lists that the engine reads whatever kind they say they are of.
NAMES = {
    f"_{side}_name_{part}": kind
    for side in ("input", "output")
    for part, kind in (("key", "ListString"), ("value", "ListInt"))
}  # fmt: skip


def decode(data: bytes) -> Model:
    """The model that the bytes of a file hold.

    Raises
    ------
    S2sadError
        E0712 without protobuf, E0609 for bytes that are no graph file.

    Examples
    --------
    >>> decode(bytes.fromhex("0a036e65743a060a04726f6f74")).root.name
    'root'
    """
    encoded = message("ModelDef")()
    try:
        encoded.ParseFromString(data)
    except Exception as error:  # protobuf's own class differs between its implementations
        raise fail("E0609", f"this is no graph file: {error}") from None
    if not encoded.graph:
        raise fail("E0609", "this file holds no graph")
    model = Model(encoded.name, {}, _attributes(encoded.attr), encoded.version)
    for each in encoded.graph:
        if each.name in model.graphs:
            raise fail("E0609", f"two graphs of this file are called {each.name!r}")
        model.graphs[each.name] = _graph(each)
    return model


def _graph(encoded: Any) -> Graph:
    graph = Graph(encoded.name, {}, list(encoded.input), [], _attributes(encoded.attr))
    graph.outputs = [_edge(text, graph.name) for text in encoded.output]
    for each in encoded.op:
        if each.name in graph.nodes:
            raise fail("E0609", f"two nodes of {graph.name} are called {each.name!r}")
        graph.nodes[each.name] = _node(each, graph.name)
    return graph


def _node(encoded: Any, graph: str) -> Node:
    node = Node(encoded.name, encoded.type, attributes=_attributes(encoded.attr))
    for text in encoded.input:
        edge = _edge(text, f"{graph}/{node.name}") if text else None
        if edge is not None and edge.index < 0:
            node.after.append(edge.name)
        else:
            node.inputs.append(edge)
    node.input_descs = [_desc(each) for each in encoded.input_desc]
    node.output_descs = [_desc(each) for each in encoded.output_desc]
    node.subgraphs = list(encoded.subgraph_name)
    return node


def _edge(text: str, where: str) -> Edge:
    try:
        return Edge.parse(text)
    except ValueError:
        raise fail("E0609", f"{where} reads {text!r}, which is no name with an index") from None


def _desc(encoded: Any) -> Desc:
    known = BY_NUMBER.get(encoded.dtype)
    name = known.name if known else f"{encoded.dtype}"
    return Desc(
        name, tuple(encoded.shape.dim), encoded.layout, encoded.name, _attributes(encoded.attr)
    )


def _attributes(encoded: Any) -> dict[str, Attribute]:
    return {name: _attribute(name, encoded[name]) for name in sorted(encoded)}


def _attribute(name: str, encoded: Any) -> Attribute:
    field = encoded.WhichOneof("value")
    if field is None:
        return Attribute("None", None)
    if field == "list":
        return _list(encoded.list, NAMES.get(name))
    if field in KINDS_OF_NESTED:
        kind = KINDS_OF_NESTED[field]
        _, rows, row = NESTED[kind]
        return Attribute(
            kind, [list(getattr(x, row)) for x in getattr(getattr(encoded, field), rows)]
        )
    if field not in KINDS:
        return Attribute("None", None)
    return Attribute(KINDS[field], _value(KINDS[field], getattr(encoded, field)))


def _list(encoded: Any, expected: str | None) -> Attribute:
    """A list; one that does not say its kind is dropped by the engine, and so is its value here."""
    kind = expected or KINDS_OF_LISTS.get(encoded.val_type)
    if kind is None:
        return Attribute("None", None)
    field, _ = LISTS[kind]
    return Attribute(kind, [_value(kind.removeprefix("List"), x) for x in getattr(encoded, field)])


def _value(kind: str, encoded: Any) -> Any:
    if kind == "String":
        return encoded.decode(errors="surrogateescape")
    return MESSAGES[kind](encoded) if kind in MESSAGES else encoded


MESSAGES: dict[str, Callable[[Any], Any]] = {
    "Tensor": lambda encoded: Array(_desc(encoded.desc), encoded.data),
    "TensorDesc": _desc,
    "NamedAttrs": lambda encoded: (encoded.name, _attributes(encoded.attr)),
    "Graph": _graph,
}
