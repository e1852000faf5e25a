"""How does a ``.ckpt`` file hold named tensors? As MindSpore writes and reads it.

It is one message of Protocol Buffers::

    message Checkpoint {
      message Value {
        required string tag = 1;
        oneof value { TensorProto tensor = 2; MapTensorProto maptensor = 3; }
      }
      repeated Value value = 1;
    }
    message TensorProto {
      repeated int64 dims = 1;
      required string tensor_type = 2;
      required bytes tensor_content = 3;
    }

A tensor larger than `SLICE` is several values behind one another, all with its tag and dims; what
they hold is put together. A text has the dims [0], the type ``str``, and its code points in 32 bits
each. Behind the message there may be `MARK` and a CRC-32 of all before it, in ten bytes, the
high one first. No message can begin with that mark: its first byte is the key of no field here.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from s2sad.checkpoints import wire
from s2sad.checkpoints.arrays import AXES, Entry, as_bytes, from_bytes
from s2sad.checkpoints.wire import MalformedError
from s2sad.core import dtypes

#: Bytes of one value at most.
SLICE = 512 * 2**20
#: What stands before the CRC.
MARK = b"crc_num"
CRC_SIZE = 10
TEXT = "str"
TYPES = {str(dtype): dtype for dtype in dtypes.ALL}


class Slice(NamedTuple):
    """One value: a tensor or a part of one, and where its content lies; a map has no `kind`."""

    tag: str
    place: int
    dims: tuple[int, ...]
    kind: str | None
    begin: int
    end: int


# -- writing ----------------------------------------------------------------------------------


class _Summed:
    """A file of which the CRC-32 is known."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.crc = file, 0

    def write(self, data: bytes | memoryview) -> None:
        self.crc = zlib.crc32(data, self.crc)
        self.file.write(data)


def write(file: BinaryIO, entries: Mapping[str, Entry], crc: bool = False) -> None:
    r"""Write `entries` to `file`, with the CRC behind them if asked for.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write(file, {"w": np.array([1], np.int8)})
    >>> file.getvalue()
    b'\n\x10\n\x01w\x12\x0b\x08\x01\x12\x04Int8\x1a\x01\x01'
    """
    out = _Summed(file)
    for tag, entry in entries.items():
        if isinstance(entry, str):
            # NumPy's empty text, which MindSpore writes, has the length 1.
            content = entry.encode("utf-32-le", "surrogatepass") or bytes(4)
            _write_value(out, tag, (0,), TEXT, memoryview(content))
        else:
            kind = str(dtypes.BY_STORAGE[entry.dtype])
            _write_value(out, tag, entry.shape, kind, as_bytes(entry))
    if crc:
        file.write(MARK + out.crc.to_bytes(CRC_SIZE, "big"))


def _write_value(
    out: _Summed, tag: str, dims: tuple[int, ...], kind: str, content: memoryview
) -> None:
    head = b"".join(wire.number_field(1, size) for size in dims)
    head += wire.bytes_field(2, kind.encode())
    name = wire.bytes_field(1, tag.encode())
    for begin in range(0, max(1, len(content)), SLICE):
        part = content[begin : begin + SLICE]
        tensor = head + wire.opening(3, len(part))
        value = name + wire.opening(2, len(tensor) + len(part)) + tensor
        out.write(wire.opening(1, len(value) + len(part)) + value)
        out.write(part)


# -- reading ----------------------------------------------------------------------------------


def read(data: memoryview, wanted: Callable[[str], Any]) -> Iterator[tuple[str, Entry]]:
    """Tag and value of each tensor and text whose tag is `wanted`, in the order of the file.

    A CRC is compared wherever there is one. Arrays lie over `data`, but for those in slices.

    Raises
    ------
    MalformedError
        For anything that is not of the form above, and elements that no Tensor holds.
    """
    end = _checked_end(data)
    known: set[str] = set()
    for tag, group in groupby(_slices(data, end), lambda part: part.tag):
        first, places = _gathered(group)
        if tag in known:
            raise MalformedError(first.place, f"{tag!r} is there a second time")
        known.add(tag)
        if wanted(tag):
            yield tag, _entry(first, _joined(data, places))


def has_crc(data: memoryview) -> bool:
    """Whether there is a CRC at the end."""
    return _mark_place(data) is not None


def _mark_place(data: memoryview) -> int | None:
    """Where the mark stands, if the values end there."""
    mark = len(data) - len(MARK) - CRC_SIZE
    if mark < 0 or data[mark : mark + len(MARK)] != MARK:
        return None
    place = 0
    while place < mark:  # the last tensor may end with just these bytes
        place = wire.field(data, place, len(data)).end
    return mark if place == mark else None


def _checked_end(data: memoryview) -> int:
    """Where the values end, the CRC compared."""
    mark = _mark_place(data)
    if mark is None:
        return len(data)
    written = int.from_bytes(data[mark + len(MARK) :], "big")
    found = zlib.crc32(data[:mark])
    if written != found:
        raise MalformedError(mark, f"the CRC-32 of what is there is {found}, {written} was written")
    return mark


def _slices(data: memoryview, end: int) -> Iterator[Slice]:
    for found in wire.fields(data, 0, end):
        if found.number != 1 or found.value is not None:
            raise MalformedError(
                found.place, f"a checkpoint has no field {found.number} of this kind"
            )
        yield _slice(data, found)


def _slice(data: memoryview, message: wire.Field) -> Slice:
    parts = _parts(data, message, {1: "tag", 2: "tensor", 3: "maptensor"})
    tag = _text(data, parts, 1, message, "a value without a tag")
    if not tag:
        raise MalformedError(message.place, "a tag is empty")
    if (2 in parts) == (3 in parts):
        raise MalformedError(message.place, f"{tag!r} is not just one thing, a tensor or a map")
    if 3 in parts:
        return Slice(tag, message.place, (), None, parts[3][0].begin, parts[3][0].end)
    return _tensor(data, tag, parts[2][0])


def _tensor(data: memoryview, tag: str, message: wire.Field) -> Slice:
    parts = _parts(data, message, {1: "dims", 2: "tensor_type", 3: "tensor_content"})
    kind = _text(data, parts, 2, message, f"{tag!r} without a type")
    if 3 not in parts:
        raise MalformedError(message.place, f"{tag!r} without content")
    dims = tuple(found.value or 0 for found in parts.get(1, ()))
    if any(size >= 2**63 for size in dims):
        raise MalformedError(message.place, f"{tag!r} has an axis of negative size")
    content = parts[3][0]
    return Slice(tag, message.place, dims, kind, content.begin, content.end)


def _parts(
    data: memoryview, message: wire.Field, names: Mapping[int, str]
) -> dict[int, list[wire.Field]]:
    """Fields of `message` by number; all hold bytes, and stand there once, but for dims."""
    parts: dict[int, list[wire.Field]] = {}
    for found in wire.fields(data, message.begin, message.end):
        name = names.get(found.number)
        is_dims = name == "dims"
        if name is None or (found.value is None) == is_dims:
            raise MalformedError(found.place, f"there is no field {found.number} of this kind here")
        parts.setdefault(found.number, []).append(found)
        if len(parts[found.number]) > (AXES if is_dims else 1):
            many = f"more than {AXES} times" if is_dims else "a second time"
            raise MalformedError(found.place, f"{name} is there {many}")
    return parts


def _text(
    data: memoryview, parts: Mapping[int, list[wire.Field]], number: int, message: wire.Field,
    missing: str,
) -> str:  # fmt: skip
    if number not in parts:
        raise MalformedError(message.place, missing)
    found = parts[number][0]
    try:
        return str(data[found.begin : found.end], "utf-8")
    except UnicodeDecodeError:
        raise MalformedError(found.place, "a text is not UTF-8") from None


def _gathered(group: Iterator[Slice]) -> tuple[Slice, list[tuple[int, int]]]:
    """The first slice of a tensor, and where the content of each lies."""
    first = next(group)
    places = [(first.begin, first.end)]
    for other in group:
        if (other.dims, other.kind) != (first.dims, first.kind):
            raise MalformedError(other.place, f"slices of {first.tag!r} differ in shape or type")
        if other.begin == other.end:
            raise MalformedError(other.place, f"a slice of {first.tag!r} is empty")
        places.append((other.begin, other.end))
    return first, places


def _joined(data: memoryview, places: list[tuple[int, int]]) -> memoryview:
    """What lies at `places`, put together where there are several."""
    if len(places) == 1:
        return data[slice(*places[0])]
    whole = np.empty(sum(end - begin for begin, end in places), np.uint8).data
    place = 0
    for begin, end in places:
        whole[place : place + end - begin] = data[begin:end]
        place += end - begin
    return whole


def _entry(value: Slice, content: memoryview) -> Entry:
    if value.kind is None:
        raise MalformedError(value.place, f"{value.tag!r} is a map, which s2sad does not have")
    if value.kind == TEXT and value.dims == (0,):
        return _decoded(content, value)
    dtype = TYPES.get(value.kind)
    if dtype is None:
        text = f"{value.tag!r} has elements of {value.kind}, as no Tensor has"
        raise MalformedError(value.place, text)
    # Older versions of MindSpore wrote these dims for a number.
    is_number = value.dims == (0,) and len(content) == dtype.itemsize
    return from_bytes(content, dtype, () if is_number else value.dims, value.place)


def _decoded(content: memoryview, value: Slice) -> str:
    try:
        # As NumPy has it, zeros at the end belong to no text.
        return str(content, "utf-32-le", "surrogatepass").rstrip("\0")
    except UnicodeDecodeError:
        raise MalformedError(value.place, f"the text of {value.tag!r} is no UTF-32") from None
