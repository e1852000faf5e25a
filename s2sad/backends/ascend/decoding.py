"""What model does an ``.air`` file hold?

All that the engine reads is kept, also what the checks refuse; only bytes that are no such message,
that name no tensor as an edge, or two things of one name, are an error here.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from pathlib import Path
from typing import Any

from s2sad.backends.ascend.datatypes import BY_NUMBER
from s2sad.backends.ascend.encoding import FIELDS, LARGEST, LISTS, NESTED
from s2sad.backends.ascend.graph import Array, Attribute, Desc, Edge, Graph, Model, Node
from s2sad.backends.ascend.schema import message
from s2sad.core.diagnostics import S2sadError, amend, fail

KINDS = {field: kind for kind, field in FIELDS.items()}
KINDS_OF_LISTS = {number: kind for kind, (_, number) in LISTS.items()}
KINDS_OF_NESTED = {names[0]: kind for kind, names in NESTED.items()}

#: Lists that the engine reads whatever kind they say they are of.
NAMES = {
    f"_{side}_name_{part}": kind
    for side in ("input", "output")
    for part, kind in (("key", "ListString"), ("value", "ListInt"))
}  # fmt: skip


#: How a model begins that is compiled already.
COMPILED = b"IMOD"


def read_model(path: str | Path, *, keeps_twins: bool = False) -> Model:
    """The model in a file; see `decode`.

    Raises
    ------
    S2sadError
        E0604 for a file that cannot be read, E0609 for one that is no graph file or of 2 GiB and
        more, E0712 without protobuf.
    """
    try:
        size = Path(path).stat().st_size
        if size > LARGEST:
            raise fail("E0609", f"a graph file holds less than 2 GiB, {path} has {size:,} bytes")
        data = Path(path).read_bytes()
    except S2sadError:
        raise
    except OSError as error:
        raise fail("E0604", f"{path} cannot be read: {error.strerror}") from None
    try:
        return decode(data, keeps_twins=keeps_twins)
    except S2sadError as error:
        amend(error, message=f"{path}: {error.diagnostic.message}")
        raise


def decode(data: bytes, *, keeps_twins: bool = False) -> Model:
    """The model that the bytes of a file hold.

    Parameters
    ----------
    data : bytes
    keeps_twins : bool
        Whether a second node, or graph, of a name is kept as well, for checks to tell of it: under
        a key that is not its name. Such a model is not for use.

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
    if data.startswith(COMPILED):
        raise fail("E0609", "this is a compiled model (.om), and no graph file")
    try:
        encoded.ParseFromString(data)
    except Exception as error:  # protobuf's own class differs between its implementations
        raise fail("E0609", f"this is no graph file: {error}") from None
    if not encoded.graph:
        raise fail("E0609", "this file holds no graph")
    model = Model(encoded.name, {}, _attributes(encoded.attr), encoded.version)
    for each in encoded.graph:
        if each.name in model.graphs and not keeps_twins:
            raise fail("E0609", f"two graphs of this file are called {each.name!r}")
        model.graphs[_key(each.name, model.graphs)] = _graph(each, keeps_twins)
    return model


def _key(name: str, taken: Container[str]) -> str:
    """`name`, with as many zero bytes behind it as it needs to be new."""
    while name in taken:
        name += "\0"
    return name


def _graph(encoded: Any, keeps_twins: bool = False) -> Graph:
    graph = Graph(encoded.name, {}, list(encoded.input), [], _attributes(encoded.attr))
    graph.outputs = [_edge(text, graph.name) for text in encoded.output]
    for each in encoded.op:
        if each.name in graph.nodes and not keeps_twins:
            raise fail("E0609", f"two nodes of {graph.name} are called {each.name!r}")
        graph.nodes[_key(each.name, graph.nodes)] = _node(each, graph.name)
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
        return Attribute("Unknown" if encoded.ByteSize() else "None", None)
    if field == "list":
        return _list(encoded.list, NAMES.get(name))
    if field in KINDS_OF_NESTED:
        kind = KINDS_OF_NESTED[field]
        _, rows, row = NESTED[kind]
        return Attribute(
            kind, [list(getattr(x, row)) for x in getattr(getattr(encoded, field), rows)]
        )
    return Attribute(KINDS[field], _value(KINDS[field], getattr(encoded, field)))


def _list(encoded: Any, expected: str | None) -> Attribute:
    """A list; of what it does not say that it holds the engine reads nothing."""
    kind = expected or KINDS_OF_LISTS.get(encoded.val_type)
    held = [field for field, _ in LISTS.values() if len(getattr(encoded, field))]
    if kind is None or held not in ([], [LISTS[kind][0]]):
        return Attribute("List", None)
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
