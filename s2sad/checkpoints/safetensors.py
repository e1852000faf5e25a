"""How does a ``.safetensors`` file hold named tensors?

Eight bytes are the length of a header, the low one first. The header is JSON: for each name the
type, the shape, and from where to where the elements go in what follows; ``__metadata__`` maps
texts to texts. Elements have no gaps between them, so each byte of the file is somebody's.

What is written here is what the ``safetensors`` package writes, byte for byte: the widest elements
first, then by name. MindSpore adds to the metadata who wrote it, and the CRC-32 if asked for: of
all names with their elements, in the order of the names. For an integer without axes it takes
``bytes(value)``, which is that many zeros; so does what is written here, up to `ZEROS`, as
MindSpore would not read it otherwise. On reading either is right.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from s2sad.checkpoints.arrays import Entry, as_bytes, from_bytes
from s2sad.checkpoints.wire import MalformedError
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail

METADATA = "__metadata__"
CRC = "crc_num"
#: Bytes of a header at most, as the package has it.
LIMIT = 100_000_000
#: How many zeros stand for an integer at most; MindSpore has no CRC of one that is negative.
ZEROS = 2**26
#: Types by name, in the order in which elements stand.
TYPES = {
    "I64": dtypes.int64, "F64": dtypes.float64, "F32": dtypes.float32, "I32": dtypes.int32,
    "BF16": dtypes.bfloat16, "F16": dtypes.float16, "I16": dtypes.int16, "I8": dtypes.int8,
    "U8": dtypes.uint8, "BOOL": dtypes.bool_,
}  # fmt: skip
NAMES = {dtype: name for name, dtype in TYPES.items()}
ORDER = list(TYPES)


class Place(NamedTuple):
    """Where a tensor lies, and what it is."""

    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int


# -- writing ----------------------------------------------------------------------------------


def write(file: BinaryIO, entries: Mapping[str, Entry], crc: bool = False) -> None:
    """Write the arrays of `entries` to `file`; a text among them is the caller's mistake.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write(file, {"w": np.array([1], np.int8)})
    >>> file.getvalue()[8:60]
    b'{"__metadata__":{"format":"ms"},"w":{"dtype":"I8","s'
    """
    arrays = {name: np.asarray(entry) for name, entry in entries.items()}
    kinds = {name: NAMES[dtypes.BY_STORAGE[array.dtype]] for name, array in arrays.items()}
    order = sorted(arrays, key=lambda name: (ORDER.index(kinds[name]), name.encode()))
    metadata = {"format": "ms"}
    if crc:
        metadata[CRC] = str(_crc(
            (name, _summed(kinds[name], arrays[name].shape, as_bytes(arrays[name])))
            for name in sorted(arrays)
        ))  # fmt: skip
    header: dict[str, Any] = {METADATA: metadata}
    place = 0
    for name in order:
        end = place + arrays[name].nbytes
        header[name] = {
            "dtype": kinds[name], "shape": arrays[name].shape, "data_offsets": (place, end),
        }  # fmt: skip
        place = end
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > LIMIT:
        raise fail("E0404", f"the names take {len(text)} bytes, {LIMIT} are the most of this form")
    file.write(struct.pack("<Q", len(text)) + text)
    for name in order:
        file.write(as_bytes(arrays[name]))


def _crc(pairs: Iterable[tuple[str, Iterable[memoryview | bytes]]]) -> int:
    found = 0
    for name, parts in pairs:
        found = zlib.crc32(name.encode(), found)
        for part in parts:
            found = zlib.crc32(part, found)
    return found


def _summed(kind: str, shape: tuple[int, ...], content: memoryview) -> Iterator[memoryview | bytes]:
    """What stands for the elements of a tensor in MindSpore's CRC, part by part."""
    if shape == () and kind.startswith(("I", "U")):
        value = int.from_bytes(content, "little", signed=kind.startswith("I"))
        if 0 <= value <= ZEROS:
            block = bytes(min(value, 2**16))
            yield from repeat(block, value // max(1, len(block)))
            yield block[: value % max(1, len(block))]
            return
    yield content


# -- reading ----------------------------------------------------------------------------------


def read(data: memoryview, wanted: Callable[[str], Any]) -> Iterator[tuple[str, Entry]]:
    """Name and array of each tensor whose name is `wanted`, by name; the arrays lie over `data`.

    A CRC is compared wherever there is one.

    Raises
    ------
    MalformedError
        For anything that is not of the form above, and elements that no Tensor holds.
    """
    places, metadata, begin = _header(data)
    content = data[begin:]
    if CRC in metadata:
        _check_crc(metadata[CRC], places, content, begin)
    for name, place in sorted(places.items()):
        if wanted(name):
            dtype = TYPES.get(place.kind)
            if dtype is None:
                text = f"{name!r} has elements of {place.kind}, as no Tensor has"
                raise MalformedError(begin + place.begin, text)
            part = content[place.begin : place.end]
            yield name, from_bytes(part, dtype, place.shape, begin + place.begin)


def _check_crc(written: str, places: Mapping[str, Place], content: memoryview, begin: int) -> None:
    parts = [(name, x, content[x.begin : x.end]) for name, x in sorted(places.items())]
    found = _crc((name, [part]) for name, _, part in parts)
    if written == str(found):
        return
    if written != str(_crc((name, _summed(x.kind, x.shape, part)) for name, x, part in parts)):
        text = f"the CRC-32 of what is there is {found}, {written!r} was written"
        raise MalformedError(begin, text)


def has_crc(data: memoryview) -> bool:
    """Whether there is a CRC in the metadata."""
    return CRC in _header(data)[1]


def _header(data: memoryview) -> tuple[dict[str, Place], dict[str, str], int]:
    """The tensors, the metadata, and where the elements begin."""
    if len(data) < 8:
        raise MalformedError(0, f"a header has 8 bytes for its length, {len(data)} are there")
    (size,) = struct.unpack("<Q", data[:8])
    if size > min(len(data) - 8, LIMIT):
        raise MalformedError(0, f"a header of {size} bytes is announced, {len(data) - 8} are there")
    try:
        text = str(data[8 : 8 + size], "utf-8")
        header = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise MalformedError(8, f"the header is no JSON: {error}") from None
    if not isinstance(header, dict):
        raise MalformedError(8, "the header is no mapping")
    metadata = header.pop(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(x, str) for x in metadata.values()):
        raise MalformedError(8, f"{METADATA} does not map texts to texts")
    places = {name: _place(name, found) for name, found in header.items()}
    _check_cover(places, len(data) - 8 - size)
    return places, metadata, 8 + size


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is there a second time")
    return found


def _place(name: str, found: Any) -> Place:
    if not name or not _is_unicode(name):
        raise MalformedError(8, f"{name!r} is no name")
    if not isinstance(found, dict) or set(found) != {"dtype", "shape", "data_offsets"}:
        raise MalformedError(8, f"{name!r} has other keys than dtype, shape and data_offsets")
    kind, shape, offsets = found["dtype"], found["shape"], found["data_offsets"]
    if not _is_unicode(kind) or not (_are_sizes(shape) and _are_sizes(offsets)):
        raise MalformedError(8, f"{name!r} has a dtype that is no text, or sizes that are none")
    if len(offsets) != 2 or offsets[0] > offsets[1]:
        raise MalformedError(8, f"{name!r} goes from nowhere to nowhere: {offsets}")
    return Place(kind, tuple(shape), *offsets)


def _is_unicode(found: Any) -> bool:
    """Whether it is a text; JSON can name halves of letters, which no file holds."""
    return isinstance(found, str) and not any("\ud800" <= letter <= "\udfff" for letter in found)


def _are_sizes(found: Any) -> bool:
    return isinstance(found, list) and all(type(x) is int and 0 <= x < 2**63 for x in found)


def _check_cover(places: Mapping[str, Place], size: int) -> None:
    """Elements lie behind one another, up to the end."""
    end = 0
    for name, place in sorted(places.items(), key=lambda item: item[1][2:]):
        if place.begin != end:
            raise MalformedError(
                8, f"{name!r} begins at {place.begin}, and the one before ends at {end}"
            )
        end = place.end
    if end != size:
        raise MalformedError(8, f"elements end at {end}, the file at {size}")
