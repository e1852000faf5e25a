"""Are the bytes of a ``.ckpt`` those of the messages that MindSpore defines?

The vectors were made by the ``protobuf`` package (7.36) from the messages in the docstring of
`s2sad.checkpoints.ckpt`; `message` and `value` below write such bytes by hand.
"""

from __future__ import annotations

import binascii
import io

import ml_dtypes
import numpy as np
import pytest

from s2sad.checkpoints import ckpt
from s2sad.checkpoints.wire import MalformedError

#: Entries, and what protobuf makes of them.
VECTORS = [
    ({"w": np.array([1], np.int8)}, b"\n\x10\n\x01w\x12\x0b\x08\x01\x12\x04Int8\x1a\x01\x01"),
    ({"s": np.array(1, np.float16)}, b"\n\x12\n\x01s\x12\r\x12\x07Float16\x1a\x02\x00<"),
    (
        {"text": "hé\U0001f600"},
        b"\n\x1d\n\x04text\x12\x15\x08\x00\x12\x03str\x1a\x0ch\x00\x00\x00\xe9\x00\x00\x00\x00\xf6"
        b"\x01\x00",
    ),
    (
        {"b": np.zeros((0, 3), np.bool_)},
        b"\n\x11\n\x01b\x12\x0c\x08\x00\x08\x03\x12\x04Bool\x1a\x00",
    ),
]


def number(value):
    found = b""
    while value > 127:
        found, value = found + bytes([value % 128 + 128]), value // 128
    return found + bytes([value])


def message(*parts):
    """Fields, each a number with an int or bytes."""
    found = b""
    for field, content in parts:
        if isinstance(content, int):
            found += number(field * 8) + number(content)
        else:
            found += number(field * 8 + 2) + number(len(content)) + content
    return found


def value(tag, dims, kind, content):
    tensor = message(*[(1, size) for size in dims], (2, kind), (3, content))
    return message((1, message((1, tag), (2, tensor))))


def read(data):
    return dict(ckpt.read(memoryview(data), lambda name: True))


def written(entries, crc=False):
    file = io.BytesIO()
    ckpt.write(file, entries, crc)
    return file.getvalue()


@pytest.mark.parametrize(("entries", "data"), VECTORS)
def test_bytes_are_those_of_protobuf(entries, data):
    assert written(entries) == data
    ((name, found),) = read(data).items()
    expected = entries[name]
    if isinstance(expected, str):
        assert found == expected
    else:
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("Float16", "<f2"), ("BFloat16", ml_dtypes.bfloat16), ("Float32", "<f4"),
        ("Float64", "<f8"), ("Int8", "<i1"), ("Int16", "<i2"), ("Int32", "<i4"), ("Int64", "<i8"),
        ("UInt8", "<u1"), ("Bool", "?"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", [(), (1,), (300, 2), (0,), (2, 0, 3), (1,) * 9])
def test_types_by_hand(kind, dtype, shape):
    numbers = np.arange(int(np.prod(shape))).reshape(shape) % 2
    array = numbers.astype(dtype)
    data = value("näme".encode(), shape, kind.encode(), array.tobytes())
    found = read(data)["näme"]
    assert found.shape == shape
    if kind == "BFloat16":
        assert found.dtype == np.uint16
        array = array.view(np.uint16)
    else:
        assert found.dtype == np.dtype(dtype)
    assert found.tobytes() == array.tobytes()
    assert written({"näme": found}) == data


def test_slices_have_the_tag_and_dims_of_the_whole(monkeypatch):
    monkeypatch.setattr(ckpt, "SLICE", 8)
    array = np.arange(5, dtype=np.float32)
    data = written({"w": array, "n": np.array(7, np.int64), "t": "abc"})
    content = array.tobytes()
    expected = b"".join(value(b"w", (5,), b"Float32", content[i : i + 8]) for i in (0, 8, 16))
    expected += value(b"n", (), b"Int64", np.int64(7).tobytes())
    text = "abc".encode("utf-32-le")
    expected += value(b"t", (0,), b"str", text[:8]) + value(b"t", (0,), b"str", text[8:])
    assert data == expected
    found = read(data)
    assert found["w"].tolist() == [0, 1, 2, 3, 4] and found["n"] == 7 and found["t"] == "abc"


def test_default_slice_is_512_mib():
    assert ckpt.SLICE == 512 * 1024 * 1024


def test_a_number_as_older_versions_wrote_it():
    found = read(value(b"n", (0,), b"Float32", np.float32(2.5).tobytes()))["n"]
    assert found.shape == () and found == 2.5
    assert read(value(b"n", (0,), b"Float32", b""))["n"].shape == (0,)


@pytest.mark.parametrize("text", ["", "a", "line\nbreak", "\ud800", "\0a", "ü" * 3000])
def test_texts(text):
    data = written({"t": text})
    assert read(data) == {"t": text}
    raw = np.array(text).tobytes()  # what MindSpore writes
    assert data == value(b"t", (0,), b"str", raw)


def test_crc_is_behind_all_and_is_compared():
    plain = written({"w": np.arange(3, dtype=np.int32)})
    data = written({"w": np.arange(3, dtype=np.int32)}, crc=True)
    assert data == plain + b"crc_num" + binascii.crc32(plain).to_bytes(10, "big")
    assert read(data)["w"].tolist() == [0, 1, 2]
    assert ckpt.has_crc(memoryview(data)) and not ckpt.has_crc(memoryview(plain))
    for place in (0, 10, len(plain) - 1, len(data) - 1):
        wrong = bytearray(data)
        wrong[place] ^= 1
        with pytest.raises(MalformedError):
            read(bytes(wrong))


def test_elements_that_look_like_a_crc_are_elements():
    content = b"crc_num" + bytes(10)
    data = value(b"w", (17,), b"UInt8", content)
    assert not ckpt.has_crc(memoryview(data))
    assert read(data)["w"].tobytes() == content
    assert (
        read(written({"w": np.frombuffer(content, np.uint8)}, crc=True))["w"].tobytes() == content
    )


def test_values_of_one_message_or_of_several_are_the_same():
    one = message((1, b"a")) + message((2, message((2, b"Int8"), (3, b"\1"))))
    two = message((1, b"b")) + message((2, message((2, b"Int8"), (3, b"\2"))))
    found = read(message((1, one), (1, two)))
    assert {name: int(array) for name, array in found.items()} == {"a": 1, "b": 2}


def test_order_of_fields_is_free():
    tensor = message((3, b"\1\2"), (1, 2), (2, b"Int8"))
    assert read(message((1, message((2, tensor), (1, b"w")))))["w"].tolist() == [1, 2]


GOOD = message((2, b"Int8"), (3, b"\1"))

#: What is wrong, with a part of what is said.
WRONG = {
    "cut off key": (b"\x8a", "a number is cut off"),
    "a long number": (b"\xff" * 11, "more than 64 bits"),
    "a number of 70 bits": (b"\x0a" + b"\xff" * 9 + b"\x7f", "more than 64 bits"),
    "field 0": (b"\x02\x00", "is the key of no field"),
    "a group": (b"\x0b", "is the key of no field"),
    "a fixed number": (b"\x0d\0\0\0\0", "is the key of no field"),
    "another field": (message((2, b"")), "no field 2"),
    "a number for a value": (message((1, 5)), "no field 1"),
    "bytes that are not there": (b"\x0a\xff\xff\xff\xff\x7f", "bytes are announced, 0 are there"),
    "no tag": (message((1, message((2, GOOD)))), "without a tag"),
    "an empty tag": (message((1, message((1, b""), (2, GOOD)))), "a tag is empty"),
    "a tag that is no text": (message((1, message((1, b"\xff"), (2, GOOD)))), "not UTF-8"),
    "two tags": (message((1, message((1, b"a"), (1, b"b"), (2, GOOD)))), "tag is there a second"),
    "no tensor": (message((1, message((1, b"a")))), "not just one thing"),
    "a tensor and a map": (
        message((1, message((1, b"a"), (2, GOOD), (3, b"")))),
        "not just one thing",
    ),
    "a map": (message((1, message((1, b"a"), (3, message((1, GOOD)))))), "'a' is a map"),
    "no type": (message((1, message((1, b"a"), (2, message((3, b"")))))), "'a' without a type"),
    "no content": (message((1, message((1, b"a"), (2, message((2, b"Int8")))))), "without content"),
    "a negative axis": (value(b"a", (2**64 - 1,), b"Int8", b""), "axis of negative size"),
    "too few bytes": (value(b"a", (2,), b"Int32", bytes(7)), "has 8 bytes, 7 are there"),
    "too many bytes": (value(b"a", (2,), b"Int32", bytes(9)), "has 8 bytes, 9 are there"),
    "sizes beyond all": (value(b"a", (2**62, 2**62), b"Int8", b""), "0 are there"),
    "no elements along a huge axis": (value(b"a", (0, 2**62, 2**62), b"Int8", b""), "no array has"),
    "65 axes": (value(b"a", (1,) * 65, b"Int8", b"\1"), "dims is there more than 64 times"),
    "a type of others": (value(b"a", (1,), b"UInt32", bytes(4)), "'a' has elements of UInt32"),
    "four bits": (value(b"a", (1,), b"Int4", b"\1"), "'a' has elements of Int4"),
    "a truth value of 2": (value(b"a", (2,), b"Bool", b"\1\2"), "neither 0 nor 1"),
    "a text of three bytes": (value(b"a", (0,), b"str", b"abc"), "is no UTF-32"),
    "a text beyond Unicode": (value(b"a", (0,), b"str", b"\xff" * 4), "is no UTF-32"),
    "texts with a shape": (value(b"a", (1,), b"str", bytes(4)), "elements of str"),
    "twice": (
        b"".join(value(tag, (1,), b"Int8", b"\1") for tag in (b"a", b"b", b"a")),
        "'a' is there a second time",
    ),
    "twice, behind one another": (value(b"a", (1,), b"Int8", b"\1") * 2, "1 bytes, 2 are there"),
    "slices that differ": (
        value(b"a", (2,), b"Int8", b"\1") + value(b"a", (3,), b"Int8", b"\1\1"),
        "slices of 'a' differ",
    ),
    "an empty slice": (
        value(b"a", (1,), b"Int8", b"\1") + value(b"a", (1,), b"Int8", b""),
        "a slice of 'a' is empty",
    ),
    "a CRC cut off": (written({"a": np.array(1)}, crc=True)[:-1], "is the key of no field"),
    "something behind a CRC": (written({"a": np.array(1)}, crc=True) + b"\0", "key of no field"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "reason"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said(data, reason):
    with pytest.raises(MalformedError, match=reason):
        read(data)


def test_what_is_left_out_may_be_of_any_kind():
    data = value(b"random_op", (0,), b"random_op", b"xyz") + value(b"w", (), b"Int8", b"\5")
    assert dict(ckpt.read(memoryview(data), lambda name: name == "w")) == {"w": 5}
