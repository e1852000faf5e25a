"""Are the bytes of a ``.safetensors`` those of the ``safetensors`` package (0.8)?"""

from __future__ import annotations

import binascii
import io
import json
import struct

import numpy as np
import pytest

from s2sad.checkpoints import safetensors
from s2sad.checkpoints.wire import MalformedError
from s2sad.core.diagnostics import S2sadError

#: One element of each dtype, under names whose order is not theirs, as the package writes them.
ARRAYS = {
    "a": np.zeros(1, np.bool_), "b": np.zeros(1, np.uint8), "c": np.zeros(1, np.int8),
    "d": np.zeros(1, np.int16), "f": np.zeros(1, np.float16), "h": np.zeros(1, np.int32),
    "j": np.zeros(1, np.float32), "k": np.zeros(1, np.float64), "l": np.zeros(1, np.int64),
    "z0": np.array(1.5, np.float32), "empty": np.zeros((0, 3), np.float32),
    'ö"\n\x01/': np.ones(2, np.int8),
}  # fmt: skip
HEADER = (
    b'{"__metadata__":{"format":"ms"},"l":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},'
    b'"k":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},'
    b'"empty":{"dtype":"F32","shape":[0,3],"data_offsets":[16,16]},'
    b'"j":{"dtype":"F32","shape":[1],"data_offsets":[16,20]},'
    b'"z0":{"dtype":"F32","shape":[],"data_offsets":[20,24]},'
    b'"h":{"dtype":"I32","shape":[1],"data_offsets":[24,28]},'
    b'"f":{"dtype":"F16","shape":[1],"data_offsets":[28,30]},'
    b'"d":{"dtype":"I16","shape":[1],"data_offsets":[30,32]},'
    b'"c":{"dtype":"I8","shape":[1],"data_offsets":[32,33]},'
    b'"\xc3\xb6\\"\\n\\u0001/":{"dtype":"I8","shape":[2],"data_offsets":[33,35]},'
    b'"b":{"dtype":"U8","shape":[1],"data_offsets":[35,36]},'
    b'"a":{"dtype":"BOOL","shape":[1],"data_offsets":[36,37]}}'
)


def file(header, content=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content


def tensor(kind, shape, begin, end):
    return {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}


def read(data):
    return dict(safetensors.read(memoryview(data), lambda name: True))


def written(entries, crc=False):
    out = io.BytesIO()
    safetensors.write(out, entries, crc)
    return out.getvalue()


def test_bytes_are_those_of_the_package():
    data = written(ARRAYS)
    (size,) = struct.unpack("<Q", data[:8])
    assert size % 8 == 0
    assert data[8 : 8 + size].rstrip(b" ") == HEADER
    content = bytes(20) + np.float32(1.5).tobytes() + bytes(9) + b"\1\1" + bytes(2)
    assert data[8 + size :] == content
    found = read(data)
    assert list(found) == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert found[name].tobytes() == array.tobytes()


def test_bfloat16_stands_before_float16():
    data = written({"a": np.ones(1, np.float16), "b": np.array([0x3F80], np.uint16)})
    assert data.index(b'"BF16"') < data.index(b'"F16"')
    assert data.endswith(b"\x80\x3f\x00\x3c")
    assert read(data)["b"].dtype == np.uint16


def test_a_file_of_others_needs_no_metadata():
    assert read(file({"w": tensor("I8", [2], 0, 2)}, b"\1\2"))["w"].tolist() == [1, 2]
    assert read(file({})) == {} and read(file(b"{}   ")) == {}


def test_crc_is_that_of_mindspore():
    arrays = {"b": np.arange(3, dtype=np.int32), "a": np.array(2.5)}
    data = written(arrays, crc=True)
    crc = 0
    for name in sorted(arrays):
        crc = binascii.crc32(bytes(arrays[name]), binascii.crc32(name.encode(), crc))
    assert f'{{"format":"ms","crc_num":"{crc}"}}'.encode() in data
    assert read(data)["b"].tolist() == [0, 1, 2] and safetensors.has_crc(memoryview(data))
    assert not safetensors.has_crc(memoryview(written(arrays)))
    with pytest.raises(MalformedError, match="CRC-32"):
        read(data[:-1] + b"\x7f")


#: What is wrong, with a part of what is said.
WRONG = {
    "nothing": (b"", "has 8 bytes for its length, 0"),
    "a length alone": (struct.pack("<Q", 2), "header of 2 bytes is announced, 0 are there"),
    "a huge length": (b"\xff" * 8 + b"{}", "is announced, 2 are there"),
    "no JSON": (file(b"{x"), "the header is no JSON"),
    "no UTF-8": (file(b'{"\xff": 1}'), "the header is no JSON"),
    "nested without end": (file(b"[" * 100_000), "the header is no JSON"),
    "a number without end": (file(b'{"a": ' + b"9" * 5000 + b"}"), "the header is no JSON|keys"),
    "a list": (file([]), "the header is no mapping"),
    "metadata that is none": (file({"__metadata__": {"a": 1}}), "does not map texts"),
    "a name twice": (file(b'{"a": 1, "a": 2}'), "a name is there a second time"),
    "an empty name": (file({"": tensor("I8", [0], 0, 0)}), "'' is no name"),
    "a name that is half a letter": (file({"\ud800": tensor("I8", [0], 0, 0)}), "is no name"),
    "a dtype that is half a letter": (file({"a": tensor("\ud800", [0], 0, 0)}), "dtype that is no"),
    "65 axes": (file({"a": tensor("I8", [1] * 65, 0, 1)}, b"\1"), "no array has 65 axes"),
    "no tensor": (file({"a": 1}), "other keys than"),
    "another key": (file({"a": {**tensor("I8", [0], 0, 0), "x": 1}}), "other keys than"),
    "a dtype that is none": (file({"a": tensor(1, [0], 0, 0)}), "a dtype that is no text"),
    "a size that is none": (file({"a": tensor("I8", [True], 0, 1)}, b"\1"), "sizes that are none"),
    "a size that is negative": (file({"a": tensor("I8", [-1], 0, 0)}), "sizes that are none"),
    "a size that is a float": (file({"a": tensor("I8", [1.0], 0, 1)}, b"\1"), "sizes that are"),
    "three offsets": (
        file({"a": {"dtype": "I8", "shape": [0], "data_offsets": [0, 0, 0]}}),
        "goes from nowhere",
    ),
    "offsets that go back": (file({"a": tensor("I8", [0], 1, 0)}), "goes from nowhere"),
    "elements beyond the end": (file({"a": tensor("I8", [2], 0, 2)}, b"\1"), "end at 2, the file"),
    "bytes of nobody": (file({"a": tensor("I8", [1], 0, 1)}, b"\1\1"), "end at 1, the file at 2"),
    "a gap": (
        file({"a": tensor("I8", [1], 0, 1), "b": tensor("I8", [1], 2, 3)}, b"\1\1\1"),
        "'b' begins at 2, and the one before ends at 1",
    ),
    "shared elements": (
        file({"a": tensor("I8", [2], 0, 2), "b": tensor("I8", [2], 1, 3)}, b"\1\1\1"),
        "'b' begins at 1",
    ),
    "another shape": (file({"a": tensor("I32", [2], 0, 4)}, bytes(4)), "8 bytes, 4 are there"),
    "a type of others": (file({"a": tensor("U16", [1], 0, 2)}, bytes(2)), "elements of U16"),
    "a type of nobody": (file({"a": tensor("X", [1], 0, 2)}, bytes(2)), "elements of X"),
    "a truth value of 3": (file({"a": tensor("BOOL", [1], 0, 1)}, b"\3"), "neither 0 nor 1"),
    "sizes beyond all": (file({"a": tensor("I8", [2**62] * 60, 0, 0)}), "0 are there"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "reason"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said(data, reason):
    with pytest.raises(MalformedError, match=reason):
        read(data)


def test_names_that_no_reader_would_take_are_refused(monkeypatch):
    monkeypatch.setattr(safetensors, "LIMIT", 100)
    with pytest.raises(S2sadError, match="the names take 104 bytes, 100 are the most"):
        written({"w" * 20: np.zeros(1)})


def test_what_is_left_out_may_be_of_any_kind():
    header = {"a": tensor("U16", [1], 0, 2), "b": tensor("I8", [1], 2, 3)}
    data = memoryview(file(header, b"\1\1\5"))
    ((name, found),) = safetensors.read(data, lambda name: name == "b")
    assert (name, found.tolist()) == ("b", [5])
