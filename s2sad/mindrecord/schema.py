"""Which fields does a row have, and how do they lie in the two parts of it?

The raw part has the scalars, one map. The blob part has bytes and arrays: just the content where
there is one such field; else each behind its length in eight bytes, the high one first. A row
without scalars has the field ``id`` in their place, and one without bytes four zeros.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.mindrecord import packing
from s2sad.mindrecord.packing import MalformedError

NUMBERS = ("int32", "int64", "float32", "float64")
SQL = {
    "int32": "INTEGER", "int64": "INTEGER", "float32": "REAL", "float64": "REAL", "string": "TEXT",
}  # fmt: skip
INTEGERS = (int, np.int32, np.int64)
FLOATS = (float, np.float32, np.float64)
#: Which values a scalar field takes.
TAKEN: dict[str, tuple[type, ...]] = {
    "int32": INTEGERS, "int64": INTEGERS, "float32": FLOATS, "float64": FLOATS, "string": (str,),
    "bytes": (bytes,),
}  # fmt: skip


@dataclass(frozen=True)
class Schema:
    """The fields of a file.

    Attributes
    ----------
    fields : mapping
        Of each name its ``type``, and the ``shape`` of an array.
    description : str
    """

    fields: Mapping[str, Mapping[str, Any]]
    description: str = ""

    @property
    def blobs(self) -> list[str]:
        """Names of what lies in the blob part, in order."""
        return [name for name, field in sorted(self.fields.items()) if _is_blob(field)]

    @property
    def scalars(self) -> list[str]:
        """Names of what lies in the raw part, in order."""
        return [name for name, field in sorted(self.fields.items()) if not _is_blob(field)]

    def fault(self, row: Mapping[str, Any]) -> str | None:
        """What is wrong with `row`, if something is."""
        for name, field in self.fields.items():
            if name not in row:
                return f"it has no field {name!r}"
            if not _fits(row[name], field):
                return f"field {name!r} is {_described(row[name])}, not {_said(field)}"
        return None

    def raw_of(self, row: Mapping[str, Any]) -> bytes:
        scalars = {name: _plain(row[name], self.fields[name]["type"]) for name in self.scalars}
        return packing.pack_map(scalars or {"id": 0})

    def blob_of(self, row: Mapping[str, Any]) -> bytes:
        """The blob part of `row`; E0404 where its only field is empty, which no file holds."""
        parts = [self._content(name, row[name]) for name in self.blobs]
        if len(parts) == 1:
            if not parts[0]:
                raise fail(
                    "E0404", f"field {self.blobs[0]!r} is empty in a row that has no other bytes",
                    help="leave such rows out, or add a field",
                )  # fmt: skip
            return parts[0]
        return b"".join(struct.pack(">Q", len(part)) + part for part in parts) or bytes(4)

    def size_of(self, row: Mapping[str, Any]) -> int:
        """Bytes of the blob part of `row` if its integers were as wide as in memory."""
        sizes = [memoryview(row[name]).nbytes for name in self.blobs]
        return sum(sizes) + 8 * len(sizes) * (len(sizes) > 1) if sizes else 4

    def _content(self, name: str, value: Any) -> bytes:
        kind = self.fields[name]["type"]
        if kind == "bytes":
            return value
        if kind.startswith("int"):
            return packing.pack_integers(value)
        return np.ascontiguousarray(value, np.dtype(kind).newbyteorder("<")).tobytes()

    def row_of(self, raw: bytes, blob: bytes, names: Sequence[str] | None = None) -> dict[str, Any]:
        """The fields `names` of a row, all without it: scalars, then bytes and arrays.

        Raises
        ------
        MalformedError
            Where the parts do not fit the schema.
        """
        wanted = set(self.fields if names is None else names)
        scalars = packing.unpack_map(raw)
        found: dict[str, Any] = {}
        for name in self.scalars:
            if name in wanted:
                if name not in scalars:
                    raise MalformedError(f"a row has no field {name!r}")
                found[name] = _restored(scalars[name], name, self.fields[name]["type"])
        for name, content in self._contents(blob).items():
            if name in wanted:
                found[name] = self._value(name, content)
        return found

    def _contents(self, blob: bytes) -> dict[str, bytes]:
        if len(self.blobs) == 1:
            return {self.blobs[0]: blob}
        found, place = {}, 0
        for name in self.blobs:
            if place + 8 > len(blob):
                raise MalformedError(f"the bytes of field {name!r} are cut off")
            (size,) = struct.unpack_from(">Q", blob, place)
            place += 8
            if size > len(blob) - place:
                raise MalformedError(f"the bytes of field {name!r} are cut off")
            found[name] = blob[place : place + size]
            place += size
        return found

    def _value(self, name: str, content: bytes) -> Any:
        field = self.fields[name]
        if field["type"] == "bytes":
            return content
        dtype = np.dtype(field["type"])
        if dtype.kind == "i":
            array = packing.unpack_integers(content, dtype)
        elif len(content) % dtype.itemsize:
            raise MalformedError(f"field {name!r} has {len(content)} bytes, as no {dtype} have")
        else:
            array = np.frombuffer(content, dtype.newbyteorder("<")).astype(dtype)
        try:
            return array.reshape(field["shape"])
        except ValueError as error:
            raise MalformedError(f"field {name!r}: {error}") from None


def checked(content: Any, description: Any) -> Schema:
    """The schema that a user gave.

    Raises
    ------
    S2sadError
        E0303 where it is no dict of dicts, E0404 for a name, a type or a shape that no file has.
    """
    if not isinstance(content, dict) or not content:
        raise fail("E0303", f"a schema is a dict of fields, got {content!r}")
    for name, field in content.items():
        if not isinstance(name, str) or not re.fullmatch("[0-9a-zA-Z_]+", name):
            raise fail("E0404", f"the name of a field has letters, digits and _, got {name!r}")
        _check_field(name, field)
    return Schema({name: dict(content[name]) for name in content}, str(description or ""))


def _check_field(name: str, field: Any) -> None:
    if not isinstance(field, dict) or "type" not in field or set(field) - {"type", "shape"}:
        raise fail("E0303", f"field {name!r} is a dict with type, and shape for arrays")
    kinds = NUMBERS if "shape" in field else tuple(TAKEN)
    if field["type"] not in kinds:
        raise fail(
            "E0404", f"field {name!r} has type {field['type']!r}", help=f"types: {', '.join(kinds)}"
        )
    shape = field.get("shape", [])
    if not isinstance(shape, list) or not all(type(x) is int and x >= -1 for x in shape):
        raise fail("E0303", f"the shape of field {name!r} is a list of int, got {shape!r}")
    if shape.count(-1) > 1:
        raise fail("E0404", f"the shape of field {name!r} has -1 once at most")


def _is_blob(field: Mapping[str, Any]) -> bool:
    return "shape" in field or field["type"] == "bytes"


def _fits(value: Any, field: Mapping[str, Any]) -> bool:
    if "shape" not in field:
        return type(value) in TAKEN[field["type"]]
    if not isinstance(value, np.ndarray) or str(value.dtype) != field["type"]:
        return False
    try:
        value.reshape(field["shape"])
    except ValueError:
        return False
    return True


def _said(field: Mapping[str, Any]) -> str:
    return field["type"] + (f" of shape {field['shape']}" if "shape" in field else "")


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {list(value.shape)}"
    return f"a {type(value).__name__}"


def _plain(value: Any, kind: str) -> packing.Scalar:
    """`value` as Python has it; E0404 for an integer that the type does not hold."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, int) and not -(2 ** _bits(kind)) <= plain < 2 ** _bits(kind):
        raise fail("E0404", f"{plain} is no {kind}")
    return plain


def _bits(kind: str) -> int:
    return 31 if kind == "int32" else 63


def _restored(value: packing.Scalar, name: str, kind: str) -> packing.Scalar:
    if kind.startswith("float") and isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str) != (kind == "string") or isinstance(value, float):
        raise MalformedError(f"field {name!r} holds {value!r}, which is no {kind}")
    return value
