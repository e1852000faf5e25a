"""How do the fields of a row become bytes, and how are they read from them?

Scalars are a map in MessagePack, of which the kinds below are used. Arrays of integers are made
smaller: the number of elements in four bytes, the high one first; two bits for each element, the
high ones of a byte first, that say how wide it is (1, 2, 4 or 8 bytes); and the elements, the low
byte first.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

Scalar: TypeAlias = "int | float | str"


class MalformedError(Exception):
    """Bytes that are no row, with what is wrong."""


# -- maps of scalars --------------------------------------------------------------------------

#: Kinds of numbers: the byte before it, how it is packed, and the largest; by width.
UNSIGNED = [(0xCC, ">B", 2**8), (0xCD, ">H", 2**16), (0xCE, ">I", 2**32), (0xCF, ">Q", 2**64)]
SIGNED = [(0xD0, ">b", 2**7), (0xD1, ">h", 2**15), (0xD2, ">i", 2**31), (0xD3, ">q", 2**63)]
FORMS = {mark: form for mark, form, _ in UNSIGNED + SIGNED} | {0xCA: ">f", 0xCB: ">d"}
#: Kinds of texts: the byte before it, and how its length is packed.
TEXTS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}


def pack_map(fields: Mapping[str, Scalar]) -> bytes:
    r"""`fields` by name, each number as narrow as it can be.

    Examples
    --------
    >>> pack_map({"x": 200, "a": -1})
    b'\x82\xa1a\xff\xa1x\xcc\xc8'
    """
    count = len(fields)
    head = bytes([0x80 | count]) if count < 16 else b"\xde" + struct.pack(">H", count)
    return head + b"".join(_text(name) + _packed(fields[name]) for name in sorted(fields))


def _packed(value: Scalar) -> bytes:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _float(value)
    if -32 <= value < 128:
        return struct.pack(">b", value)
    kinds, size = (UNSIGNED, value) if value >= 0 else (SIGNED, -value - 1)
    mark, form, _ = next(kind for kind in kinds if size < kind[2])
    return bytes([mark]) + struct.pack(form, value)


def _float(value: float) -> bytes:
    with np.errstate(over="ignore"):
        is_narrow = float(np.float32(value)) == value and np.isfinite(value)
    return b"\xca" + struct.pack(">f", value) if is_narrow else b"\xcb" + struct.pack(">d", value)


def _text(value: str) -> bytes:
    data = value.encode()
    if len(data) < 32:
        return bytes([0xA0 | len(data)]) + data
    mark, form = next((m, f) for m, f in TEXTS.items() if len(data) < 256 ** struct.calcsize(f))
    return bytes([mark]) + struct.pack(form, len(data)) + data


def unpack_map(data: bytes) -> dict[str, Scalar]:
    """The fields that `pack_map` packed.

    Raises
    ------
    MalformedError
        For anything else.
    """
    try:
        found, end = _read_map(data)
    except (IndexError, struct.error, UnicodeDecodeError) as error:
        raise MalformedError(f"the fields of a row are no MessagePack: {error}") from None
    if end != len(data):
        raise MalformedError(f"the fields of a row end at {end}, its bytes at {len(data)}")
    return found


def _read_map(data: bytes) -> tuple[dict[str, Scalar], int]:
    place = 1
    if data[0] & 0xF0 == 0x80:
        count = data[0] & 0x0F
    elif data[0] == 0xDE:
        (count,), place = struct.unpack_from(">H", data, 1), 3
    else:
        raise MalformedError("the fields of a row are no map")
    found: dict[str, Scalar] = {}
    for _ in range(count):
        name, place = _read(data, place)
        if not isinstance(name, str):
            raise MalformedError("the name of a field is no text")
        found[name], place = _read(data, place)
    return found, place


def _read(data: bytes, place: int) -> tuple[Scalar, int]:
    """The value at `place`, and the place behind it."""
    mark, place = data[place], place + 1
    if mark < 0x80 or mark >= 0xE0:
        return (mark if mark < 0x80 else mark - 256), place
    if mark in FORMS:
        return struct.unpack_from(FORMS[mark], data, place)[0], place + struct.calcsize(FORMS[mark])
    if mark & 0xE0 == 0xA0:
        size = mark & 0x1F
    elif mark in TEXTS:
        (size,) = struct.unpack_from(TEXTS[mark], data, place)
        place += struct.calcsize(TEXTS[mark])
    else:
        raise MalformedError(f"a field of kind {mark:#x} is no number and no text")
    if place + size > len(data):
        raise MalformedError("a text is cut off")
    return data[place : place + size].decode(), place + size


# -- arrays of integers -----------------------------------------------------------------------

WIDTHS = (1, 2, 4, 8)


def pack_integers(array: np.ndarray) -> bytes:
    r"""The elements of `array`, of int32 or int64, each as narrow as it can be.

    Examples
    --------
    >>> pack_integers(np.array([1, -1, 300]))
    b'\x00\x00\x00\x03\x04\x01\xff,\x01'
    """
    flat = np.ascontiguousarray(array).reshape(-1).astype("<i8")
    bounds = [2 ** (8 * width - 1) for width in WIDTHS[:3]]
    codes = sum(((flat >= bound) | (flat < -bound)).astype(np.uint8) for bound in bounds)
    codes = np.asarray(codes, np.uint8)
    widths = np.array(WIDTHS, np.int64)[codes]
    ends = np.cumsum(widths)
    content = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    eight = flat.view(np.uint8).reshape(-1, 8)
    for code, width in enumerate(WIDTHS):
        chosen = np.flatnonzero(codes == code)
        places = (ends[chosen] - width)[:, None] + np.arange(width)
        content[places] = eight[chosen, :width]
    filled = np.zeros(-(-len(codes) // 4) * 4, np.uint8)
    filled[: len(codes)] = codes
    bits = (filled.reshape(-1, 4) << np.array([6, 4, 2, 0], np.uint8)).sum(1, dtype=np.uint8)
    return struct.pack(">I", len(flat)) + bits.tobytes() + content.tobytes()


def unpack_integers(data: bytes, dtype: np.dtype) -> np.ndarray:
    """The elements that `pack_integers` packed, without a shape.

    Raises
    ------
    MalformedError
        For anything else, and elements that `dtype` does not hold.
    """
    if len(data) < 4:
        raise MalformedError("an array of integers is cut off")
    (count,) = struct.unpack_from(">I", data)
    begin = 4 + -(-count // 4)
    if begin > len(data):
        raise MalformedError(f"an array of {count} integers is cut off")
    bits = np.frombuffer(data, np.uint8, begin - 4, 4)
    codes = (bits[:, None] >> np.array([6, 4, 2, 0], np.uint8) & 3).reshape(-1)[:count]
    widths = np.array(WIDTHS, np.int64)[codes]
    ends = np.cumsum(widths) + begin
    end = int(ends[-1]) if count else begin
    if end != len(data):
        raise MalformedError(f"an array of {count} integers has {end} bytes, not {len(data)}")
    if count and widths.max() > dtype.itemsize:
        raise MalformedError(f"an integer is wider than {dtype}")
    raw = np.frombuffer(data, np.uint8)
    found = np.empty(count, dtype)
    for code, width in enumerate(WIDTHS):
        chosen = np.flatnonzero(codes == code)
        places = (ends[chosen] - width)[:, None] + np.arange(width)
        found[chosen] = raw[places].view(f"<i{width}").reshape(-1)
    return found
