"""How does a model become the bytes of an ``.air`` file?

One message without a header; the engine takes no message of 2 GiB or more. The bytes are the same
for the same model: maps are written in the order of their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from s2sad.backends.ascend.datatypes import DATA_TYPES
from s2sad.backends.ascend.graph import DROPPED, Array, Attribute, Desc, Graph, Model, Node
from s2sad.backends.ascend.schema import message
from s2sad.core.diagnostics import fail

#: What the engine takes at most.
LARGEST = 2**31 - 1

#: Kinds of attributes in a field of their own.
FIELDS = {
    "Int": "i", "Float": "f", "Bool": "b", "String": "s", "Bytes": "bt", "Type": "dt",
    "Tensor": "t", "NamedAttrs": "func", "TensorDesc": "td", "Graph": "g",
    "Expression": "expression",
}  # fmt: skip
#: Kinds of lists: field and number of the kind, without which the engine drops the list.
LISTS = {
    "ListString": ("s", 1), "ListInt": ("i", 2), "ListFloat": ("f", 3), "ListBool": ("b", 4),
    "ListBytes": ("bt", 5), "ListTensorDesc": ("td", 6), "ListTensor": ("t", 7),
    "ListGraph": ("g", 8), "ListNamedAttrs": ("na", 9), "ListType": ("dt", 10),
}  # fmt: skip
NESTED = {"ListListInt": ("list_list_int", "list_list_i", "list_i"),
          "ListListFloat": ("list_list_float", "list_list_f", "list_f")}  # fmt: skip


def encode(model: Model) -> bytes:
    """The bytes of a graph file.

    Raises
    ------
    S2sadError
        E0712 without protobuf, E0404 for a model of 2 GiB or more.

    Examples
    --------
    >>> encode(Model("net", {"root": Graph("root")})).hex()
    '0a036e65743a060a04726f6f74'
    """
    encoded = message("ModelDef")(name=model.name, version=model.version)
    for graph in model.graphs.values():
        _graph(encoded.graph.add(), graph)
    _attributes(encoded.attr, model.attributes)
    if encoded.ByteSize() > LARGEST:
        raise fail(
            "E0404", f"a graph file holds less than 2 GiB, this one {encoded.ByteSize():,} bytes",
            help="let large constants be inputs of the program: Parameters are",
        )  # fmt: skip
    return encoded.SerializeToString(deterministic=True)


def _graph(encoded: Any, graph: Graph) -> None:
    encoded.name = graph.name
    encoded.input.extend(graph.inputs)
    encoded.output.extend(map(str, graph.outputs))
    _attributes(encoded.attr, graph.attributes)
    for number, node in enumerate(graph.nodes.values()):
        _node(encoded.op.add(), node, number)


def _node(encoded: Any, node: Node, number: int) -> None:
    encoded.name, encoded.type, encoded.id = node.name, node.type, number
    encoded.input.extend("" if edge is None else str(edge) for edge in node.inputs)
    encoded.input.extend(f"{name}:-1" for name in node.after)
    encoded.subgraph_name.extend(node.subgraphs)
    _attributes(encoded.attr, node.attributes)
    for desc in node.input_descs:
        _desc(encoded.input_desc.add(), desc)
    for desc in node.output_descs:
        _desc(encoded.output_desc.add(), desc)


def _desc(encoded: Any, desc: Desc) -> None:
    encoded.name, encoded.layout = desc.name, desc.layout
    encoded.dtype = DATA_TYPES[desc.type].number
    encoded.shape.SetInParent()
    encoded.shape.dim.extend(desc.shape)
    _attributes(encoded.attr, desc.attributes)


def _attributes(encoded: Any, attributes: Mapping[str, Attribute]) -> None:
    for name, attribute in attributes.items():
        _attribute(encoded[name], attribute)


def _attribute(encoded: Any, attribute: Attribute) -> None:
    kind, value = attribute
    if kind in FIELDS:
        _set(encoded, FIELDS[kind], value, kind)
    elif kind in LISTS:
        field, number = LISTS[kind]
        encoded.list.val_type = number
        for item in value:
            _append(getattr(encoded.list, field), item, kind.removeprefix("List"))
    elif kind in NESTED:
        outer, rows, row = NESTED[kind]
        getattr(encoded, outer).SetInParent()
        for items in value:
            getattr(getattr(getattr(encoded, outer), rows).add(), row).extend(items)
    elif kind == "List":
        encoded.list.SetInParent()
    elif kind not in DROPPED:
        raise fail("E0901", f"an attribute of GE has no kind {kind!r}")


def _set(encoded: Any, field: str, value: Any, kind: str) -> None:
    if kind in MESSAGES:
        getattr(encoded, field).SetInParent()
        MESSAGES[kind](getattr(encoded, field), value)
    else:
        setattr(encoded, field, _scalar(kind, value))


def _append(items: Any, value: Any, kind: str) -> None:
    if kind in MESSAGES:
        MESSAGES[kind](items.add(), value)
    else:
        items.append(_scalar(kind, value))


def _scalar(kind: str, value: Any) -> Any:
    return value.encode(errors="surrogateescape") if kind == "String" else value


def _array(encoded: Any, array: Array) -> None:
    _desc(encoded.desc, array.desc)
    encoded.data = array.data


def _named(encoded: Any, named: tuple[str, dict[str, Attribute]]) -> None:
    encoded.name = named[0]
    _attributes(encoded.attr, named[1])


MESSAGES: dict[str, Callable[[Any, Any], None]] = {
    "Tensor": _array, "TensorDesc": _desc, "NamedAttrs": _named, "Graph": _graph,
}  # fmt: skip
