"""How are the messages of a graph file made known to protobuf?

They are declared from a table of fields, so that no compiler of protobuf is needed, in a pool of
their own: another library in the process may have GE's messages as well.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from s2sad.backends.ascend.tables import table
from s2sad.core.diagnostics import fail

PACKAGE = "ge.proto"
SCALARS = ("bool", "bytes", "float", "int64", "string", "uint32")
MAP = "map<string, AttrDef>"


@cache
def message(name: str) -> Any:
    """The class of a message, such as ``"ModelDef"``.

    Raises
    ------
    S2sadError
        E0712 where protobuf is not installed.

    Examples
    --------
    >>> message("ShapeDef")(dim=[2, 3]).SerializeToString().hex()
    '0a020203'
    """
    return _module("message_factory").GetMessageClass(
        _pool().FindMessageTypeByName(f"{PACKAGE}.{name}")
    )


def _module(name: str) -> Any:
    try:
        return import_module(f"google.protobuf.{name}")
    except ImportError:
        raise fail(
            "E0712", "graphs for Ascend are written and read with protobuf, which is not installed",
            help="pip install 's2sad[ascend]'",
        ) from None  # fmt: skip


@cache
def _pool() -> Any:
    pool = _module("descriptor_pool").DescriptorPool()
    file = _module("descriptor_pb2").FileDescriptorProto(
        name="s2sad/ge.proto", package=PACKAGE, syntax="proto3"
    )
    for name, values in table("messages")["enums"].items():
        if "." not in name:
            _fill_enum(file.enum_type.add(), name, values)
    nested: dict[str, Any] = {}
    for name, fields in table("messages")["messages"].items():
        outer, _, own = name.rpartition(".")
        nested[name] = (nested[outer].nested_type if outer else file.message_type).add()
        _fill(nested[name], name, own, fields)
    pool.Add(file)
    return pool


def _fill(message: Any, full: str, name: str, fields: list[list[Any]]) -> None:
    """Declare the fields of a message, and the enumerations inside of it."""
    message.name = name
    for enum, values in table("messages")["enums"].items():
        if enum.rpartition(".")[0] == full:
            _fill_enum(message.enum_type.add(), enum.rpartition(".")[2], values)
    for field_name, number, type, is_repeated, oneof in fields:
        field = message.field.add(name=field_name, number=number)
        field.label = field.LABEL_REPEATED if is_repeated else field.LABEL_OPTIONAL
        if type == MAP:
            type = _map_entry(message, full, field_name)
        _set_type(field, type)
        if oneof is not None:
            if not message.oneof_decl:
                message.oneof_decl.add(name=oneof)
            field.oneof_index = 0


def _set_type(field: Any, type: str) -> None:
    if type in SCALARS:
        field.type = getattr(field, f"TYPE_{type.upper()}")
        return
    is_enum = type in table("messages")["enums"]
    field.type = field.TYPE_ENUM if is_enum else field.TYPE_MESSAGE
    field.type_name = f".{PACKAGE}.{type}"


def _map_entry(message: Any, full: str, field_name: str) -> str:
    """The message of a key and an attribute that stands for an entry of a map."""
    name = "".join(part.capitalize() for part in field_name.split("_")) + "Entry"
    entry = message.nested_type.add(name=name)
    entry.options.map_entry = True
    for number, (part, type) in enumerate((("key", "string"), ("value", "AttrDef")), 1):
        field = entry.field.add(name=part, number=number, label=1)
        _set_type(field, type)
    return f"{full}.{name}"


def _fill_enum(enum: Any, name: str, values: dict[str, int]) -> None:
    enum.name = name
    for value_name, number in values.items():
        enum.value.add(name=value_name, number=number)
