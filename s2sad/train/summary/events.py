"""How do events lie in a file that TensorBoard reads?

Each is a message of Protocol Buffers in a record: its length, a checksum of that, the message, a
checksum of it. A summary has values, each with a tag. Only what is written here is described.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

import numpy as np

from s2sad.checkpoints.wire import bytes_field, number_bytes, number_field
from s2sad.core.diagnostics import fail

#: What the first event of a file says.
VERSION = "brain.Event:2"

#: How fields of fixed size are coded.
EIGHT_BYTES, FOUR_BYTES = 1, 5

#: Buckets of a histogram.
BUCKETS = 30

#: What a tensor calls the dtype of its elements.
DTYPES = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "int64": 9,
    "bool": 10, "float16": 19,
}  # fmt: skip


def _checksums() -> tuple[int, ...]:
    found = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        found.append(byte)
    return tuple(found)


#: The remainder of each byte by the polynomial of Castagnoli, its bits from the lowest on.
CHECKSUMS = _checksums()


def crc32c(data: bytes) -> int:
    """The CRC-32C of `data`.

    Examples
    --------
    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CHECKSUMS[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def masked(crc: int) -> int:
    """`crc` turned by 15 bits, plus a constant: what a record has in its place."""
    return ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) & 0xFFFFFFFF


def record(data: bytes) -> bytes:
    """`data` as one record of a file."""
    length = struct.pack("<Q", len(data))
    sums = [struct.pack("<I", masked(crc32c(part))) for part in (length, data)]
    return length + sums[0] + data + sums[1]


def event(wall_time: float, step: int | None, *fields: bytes) -> bytes:
    """An event at a time, in seconds since 1970, and after a step."""
    steps = b"" if step is None else number_field(2, step)
    return _double(1, wall_time) + steps + b"".join(fields)


def version() -> bytes:
    """The field of an event that says of which version the file is."""
    return bytes_field(3, VERSION.encode())


def summary(values: Iterable[bytes]) -> bytes:
    """The field of an event with these values."""
    return bytes_field(5, b"".join(bytes_field(1, value) for value in values))


def scalar(tag: str, value: float) -> bytes:
    """A number."""
    return _tag(tag) + _key(2, FOUR_BYTES) + struct.pack("<f", value)


def tensor(tag: str, data: np.ndarray) -> bytes:
    """All elements of an array, with its dtype and shape."""
    if data.dtype.name not in DTYPES:
        raise fail("E0301", f"{tag} cannot be of {data.dtype.name}")
    sizes = b"".join(bytes_field(2, number_field(1, size)) for size in data.shape)
    content = number_field(1, DTYPES[data.dtype.name]) + bytes_field(2, sizes)
    elements = data.astype(data.dtype.newbyteorder("<"))
    return _tag(tag) + bytes_field(8, content + bytes_field(4, elements.tobytes()))


def histogram(tag: str, data: np.ndarray) -> bytes:
    """How the numbers of an array are spread; NaN and infinite ones are left out."""
    numbers = data.astype(np.float64).ravel()
    numbers = numbers[np.isfinite(numbers)]
    counts, edges = np.histogram(numbers, BUCKETS)
    least, most = (numbers.min(), numbers.max()) if numbers.size else (0.0, 0.0)
    facts = (least, most, numbers.size, numbers.sum(), np.square(numbers).sum())
    content = b"".join(_double(place, float(fact)) for place, fact in enumerate(facts, 1))
    content += _doubles(6, edges[1:]) + _doubles(7, counts)
    return _tag(tag) + bytes_field(5, content)


def image(tag: str, pixels: np.ndarray) -> bytes:
    """A picture, of bytes in the shape (height, width, channels), 1 or 3 of the last."""
    height, width, channels = pixels.shape
    content = number_field(1, height) + number_field(2, width) + number_field(3, channels)
    return _tag(tag) + bytes_field(4, content + bytes_field(4, png(pixels)))


def png(pixels: np.ndarray) -> bytes:
    """A picture as a PNG file.

    Examples
    --------
    >>> png(np.zeros((2, 2, 3), np.uint8))[1:4]
    b'PNG'
    """
    height, width, channels = pixels.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    rows = b"".join(b"\0" + np.ascontiguousarray(row).tobytes() for row in pixels)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _tag(tag: str) -> bytes:
    return bytes_field(1, tag.encode())


def _key(number: int, coding: int) -> bytes:
    return number_bytes(number << 3 | coding)


def _double(number: int, value: float) -> bytes:
    return _key(number, EIGHT_BYTES) + struct.pack("<d", value)


def _doubles(number: int, values: np.ndarray) -> bytes:
    return bytes_field(number, values.astype("<f8").tobytes())
