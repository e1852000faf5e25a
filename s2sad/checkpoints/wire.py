"""How do the few messages of a checkpoint lie in bytes? As Protocol Buffers has it.

A message is a row of fields. A field is a key, which is its number and how it is coded, and then a
number or a length with that many bytes. Numbers are varints: seven bits a byte, the low ones first,
the top bit of all but the last byte set. Other codings occur in no checkpoint.

Places are counted from the beginning of the file, and nothing is copied: what a field holds is
given as its place. So no length is believed before it has been compared with what is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

#: How a field is coded: a number, or bytes behind their length.
NUMBER, BYTES = 0, 2


class MalformedError(Exception):
    """Bytes that are no checkpoint, with the place of the first that is wrong."""

    def __init__(self, place: int, reason: str) -> None:
        super().__init__(f"at byte {place}: {reason}")


class Field(NamedTuple):
    """One field: its number, where it begins, and what it holds.

    A number is in `value`; bytes go from `begin` to `end`, and their `value` is None.
    """

    number: int
    place: int
    value: int | None
    begin: int
    end: int


def fields(data: memoryview, begin: int, end: int) -> Iterator[Field]:
    """The fields of the message from `begin` to `end`.

    Raises
    ------
    MalformedError
        Where one is cut off or is coded in another way.
    """
    place = begin
    while place < end:
        found = field(data, place, end)
        yield found
        place = found.end


def field(data: memoryview, place: int, limit: int) -> Field:
    """The field at `place`, which must end at `limit` at the latest."""
    key, begin = varint(data, place, limit)
    if key & 7 not in (NUMBER, BYTES) or not key >> 3:
        raise MalformedError(place, f"{key} is the key of no field that a checkpoint has")
    value, begin = varint(data, begin, limit)
    if key & 7 == NUMBER:
        return Field(key >> 3, place, value, begin, begin)
    if value > limit - begin:
        raise MalformedError(place, f"{value} bytes are announced, {limit - begin} are there")
    return Field(key >> 3, place, None, begin, begin + value)


def varint(data: memoryview, place: int, limit: int) -> tuple[int, int]:
    """The number at `place`, below 2**64, and the place behind it."""
    value = 0
    for shift in range(0, 70, 7):
        if place + shift // 7 >= limit:
            raise MalformedError(place, "a number is cut off")
        byte = data[place + shift // 7]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >= 2**64:
                break
            return value, place + shift // 7 + 1
    raise MalformedError(place, "a number has more than 64 bits")


def number_bytes(value: int) -> bytes:
    r"""`value`, not negative, as a varint.

    Examples
    --------
    >>> number_bytes(1), number_bytes(300)
    (b'\x01', b'\xac\x02')
    """
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def number_field(number: int, value: int) -> bytes:
    """The field `number` with a number in it."""
    return number_bytes(number << 3 | NUMBER) + number_bytes(value)


def opening(number: int, size: int) -> bytes:
    """What stands before the `size` bytes of the field `number`."""
    return number_bytes(number << 3 | BYTES) + number_bytes(size)


def bytes_field(number: int, content: bytes) -> bytes:
    """The field `number` with `content` in it."""
    return opening(number, len(content)) + content
