"""Can what is written to event files be read back, by rules written down a second time?"""

from __future__ import annotations

import re
import struct
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad.core import summaries
from s2sad.core.diagnostics import S2sadError
from s2sad.train import History, SummaryCollector, SummaryRecord
from s2sad.train.summary import events
from support.forms import refused
from support.training import Trace, batches, bits, model

DATA = batches(5)


# ---- a reader -----------------------------------------------------------------------------------


def castagnoli(data: bytes) -> int:
    """CRC-32C, bit by bit, as RFC 3720 defines it."""
    crc = 0xFFFFFFFF
    for byte in data:
        for place in range(8):
            bit = (byte >> place & 1) ^ (crc & 1)
            crc = crc >> 1 ^ (0x82F63B78 if bit else 0)
    return crc ^ 0xFFFFFFFF


def unmasked(found: int) -> int:
    turned = (found - 0xA282EAD8) % 2**32
    return (turned >> 17 | turned << 15) % 2**32


def records(path: Path) -> list[bytes]:
    data, place, found = path.read_bytes(), 0, []
    while place < len(data):
        head = data[place : place + 8]
        (size,) = struct.unpack("<Q", head)
        body = data[place + 12 : place + 12 + size]
        for part, at in ((head, place + 8), (body, place + 12 + size)):
            assert unmasked(struct.unpack("<I", data[at : at + 4])[0]) == castagnoli(part)
        found.append(body)
        place += 16 + size
    assert place == len(data)
    return found


def fields(data: bytes) -> dict[int, list[Any]]:
    """The fields of a message, by their numbers."""
    found: dict[int, list[Any]] = {}
    place = 0

    def varint() -> int:
        nonlocal place
        value = shift = 0
        while True:
            byte = data[place]
            place += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while place < len(data):
        key = varint()
        if key & 7 == 0:
            value: Any = varint()
        else:
            size = {1: 8, 5: 4}.get(key & 7) or varint()
            value = data[place : place + size]
            place += size
            if key & 7 == 1:
                value = struct.unpack("<d", value)[0]
            elif key & 7 == 5:
                value = struct.unpack("<f", value)[0]
        found.setdefault(key >> 3, []).append(value)
    return found


def values_of(path: Path) -> list[tuple[int, str, dict[int, list[Any]]]]:
    """Step, tag and fields of each value in a file, whose first event tells the version."""
    first, *rest = map(fields, records(path))
    assert first[3] == [b"brain.Event:2"]
    return [
        (event[2][0], value[1][0].decode(), value)
        for event in rest
        for value in map(fields, fields(event[5][0])[1])
    ]


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    assert re.fullmatch(r"events\.out\.tfevents\.summary\.\d+\..+_MS", path.name)
    return path


# ---- records ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [b"", b"a", b"123456789", bytes(range(256)) * 3])
def test_checksums(text):
    assert events.crc32c(text) == castagnoli(text)
    assert unmasked(events.masked(events.crc32c(text))) == castagnoli(text)


def test_scalars_come_back(tmp_path):
    given = [0.5, -0.0, float("inf"), np.float64(1 / 3), np.int64(7), True]
    with SummaryRecord(tmp_path) as record:
        for step, value in enumerate(given):
            record.add_value("scalar", "x", ms.Tensor(value))
            record.add_value("scalar", "y", value)
            assert record.record(step)
    found = values_of(only_file(tmp_path))
    assert [entry[0] for entry in found] == [step for step in range(6) for _ in "xy"]
    assert [entry[1] for entry in found] == ["train/x", "train/y"] * 6
    read = [entry[2][2][0] for entry in found]
    expected = np.float32([value for value in given for _ in "xy"])
    assert np.float32(read).tobytes() == expected.tobytes()


def test_a_large_step_and_a_mode(tmp_path):
    with SummaryRecord(tmp_path) as record:
        record.set_mode("eval")
        record.add_value("scalar", "x", 1.0)
        record.record(2**40)
    assert [entry[:2] for entry in values_of(only_file(tmp_path))] == [(2**40, "eval/x")]


@pytest.mark.parametrize("shape", [(3, 5), (), (0,)])
def test_histograms_come_back(tmp_path, shape):
    data = np.asarray(np.random.default_rng(0).normal(size=shape))
    with_nan = np.append(data, [np.nan, np.inf])
    with SummaryRecord(tmp_path) as record:
        record.add_value("histogram", "h", ms.Tensor(with_nan))
        record.record(1)
    ((_, tag, value),) = values_of(only_file(tmp_path))
    found = fields(value[5][0])
    limits, counts = (np.frombuffer(found[place][0], "<f8") for place in (6, 7))
    assert tag == "train/h" and len(limits) == len(counts) == 30 and counts.sum() == data.size
    facts = [found[place][0] for place in range(1, 6)]
    if data.size:
        expected = [data.min(), data.max(), data.size, data.sum(), (data**2).sum()]
        np.testing.assert_allclose(facts, expected, rtol=1e-12)
        below = [(data <= limit + 1e-9).sum() for limit in limits]
        assert np.all(np.abs(np.cumsum(counts) - below) <= 1)
    else:
        assert facts == [0.0] * 5


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_images_come_back(tmp_path, channels, dtype):
    pixels = np.random.default_rng(1).integers(0, 256, (2, channels, 4, 5)).astype(np.uint8)
    given = pixels if dtype == np.uint8 else (pixels / np.float32(255)).astype("f4")
    with SummaryRecord(tmp_path) as record:
        record.add_value("image", "i", given)
        record.record(1)
    ((_, _, value),) = values_of(only_file(tmp_path))
    found = fields(value[4][0])
    assert (found[1], found[2], found[3]) == ([4], [5], [channels])
    assert decoded(found[4][0], channels) == np.moveaxis(pixels[0], 0, -1).tolist()


def decoded(png: bytes, channels: int) -> list[Any]:
    """Pixels of a PNG without filters."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, data, size = 8, b"", (0, 0)
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        kind, body = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        (crc,) = struct.unpack(">I", png[place + 8 + length : place + 12 + length])
        assert crc == zlib.crc32(kind + body)
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
            assert body[8:] == bytes([8, 2 if channels == 3 else 0, 0, 0, 0])
        data += body if kind == b"IDAT" else b""
        place += 12 + length
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(size[1], 1 + size[0] * channels)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(size[1], size[0], channels).tolist()


def test_a_file_has_its_largest_size(tmp_path):
    with SummaryRecord(tmp_path, max_file_size=150) as record:
        record.add_value("scalar", "x", 1.0)
        assert record.record(1)
        record.add_value("histogram", "h", np.ones(3))
        with pytest.warns(UserWarning, match="is full"):
            assert not record.record(2)
        record.add_value("histogram", "h", np.ones(3))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert not record.record(3)
    assert [entry[1] for entry in values_of(only_file(tmp_path))] == ["train/x"]
    assert only_file(tmp_path).stat().st_size <= 150


def test_two_records_of_one_second_are_two_files(tmp_path):
    with SummaryRecord(tmp_path), SummaryRecord(tmp_path):
        assert len(list(tmp_path.iterdir())) == 2


REFUSED = {
    "a folder that is a file": ("E0604", lambda _: SummaryRecord(__file__)),
    "another plugin": ("E0404", lambda r: r.add_value("graph", "g", 1.0)),
    "no name": ("E0303", lambda r: r.add_value("scalar", "", 1.0)),
    "a scalar of two": ("E0405", lambda r: r.add_value("scalar", "x", [1.0, 2.0])),
    "a text": ("E0304", lambda r: r.add_value("scalar", "x", "1.0")),
    "a picture without channels": ("E0401", lambda r: r.add_value("image", "x", np.ones((4, 4)))),
    "a step below 0": ("E0404", lambda r: r.record(-1)),
    "another mode": ("E0404", lambda r: r.set_mode("predict")),
    "a prefix with a folder": ("E0303", lambda r: SummaryRecord(r.log_dir, "a/b")),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_place(case, tmp_path):
    code, call = REFUSED[case]
    with SummaryRecord(tmp_path) as record, pytest.raises(S2sadError) as caught:
        call(record)
    assert caught.value.code == code, caught.value
    assert caught.value.diagnostic.place is not None


def test_a_closed_file_takes_nothing(tmp_path):
    with SummaryRecord(tmp_path) as record:
        record.add_value("scalar", "x", 1.0)
    with pytest.raises(S2sadError) as caught:
        record.record(1)
    assert caught.value.code == "E0604"


# ---- the callback -------------------------------------------------------------------------------


@pytest.mark.parametrize("is_sunk", [True, False])
def test_what_is_collected(mode, is_sunk, tmp_path):
    made, trace, history = model(metrics={"mse"}), Trace(), History()
    collector = SummaryCollector(str(tmp_path), collect_freq=4)
    made.fit(2, DATA, DATA, 2, [collector, trace, history], is_sunk, is_sunk)
    losses = {c[2]: c[3] for c in trace.calls if c[0] == "on_train_step_end"}
    found = values_of(only_file(tmp_path))
    scalars = {(step, tag): value[2][0] for step, tag, value in found if 2 in value}
    assert [s for s, tag in scalars if tag == "train/loss"] == [1, 4, 8]
    assert all(scalars[step, "train/loss"] == losses[step] for step in (1, 4, 8))
    assert scalars[8, "train/learning_rate"] == np.float32(0.05)
    assert scalars[10, "eval/mse"] == np.float32(history.history["mse"][0])
    assert (10, "eval/eval_loss") in scalars

    plain = model()
    for step, (x, y) in enumerate(DATA * 2, 1):
        plain.train_network(ms.Tensor(x), ms.Tensor(y))
        if step in (1, 4, 8):
            histograms = {t: fields(v[5][0]) for s, t, v in found if s == step and 5 in v}
            assert len(histograms) == 4
            for x in plain.predict_network.trainable_params():
                facts = histograms[f"train/{x.name}"]
                assert facts[3] == [x.size]
                assert facts[1] == [float(x.asnumpy().min())]
    assert bits(plain) == bits(made)


def test_what_is_collected_can_be_chosen(mode, tmp_path):
    chosen = {"histogram_regular": r"3\..*", "collect_input_data": False, "collect_graph": False}
    collector = SummaryCollector(tmp_path, 5, 32, chosen, keep_default_action=False)
    model().train(1, DATA, collector)
    assert {entry[1] for entry in values_of(only_file(tmp_path))} == {
        "train/3.weight", "train/3.bias",
    }  # fmt: skip


def test_pictures_are_collected(mode, tmp_path):
    net = ms.nn.SequentialCell(ms.nn.Flatten(), ms.nn.Dense(12, 1))
    made = ms.train.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1))
    data = [(np.full((2, 3, 2, 2), 0.5, np.float32), np.ones((2, 1), np.float32))]
    collector = SummaryCollector(tmp_path, 1, 32, {"collect_input_data": True}, False)
    made.train(1, data, collector)
    ((step, tag, value),) = values_of(only_file(tmp_path))
    assert (step, tag) == (1, "train/input_data") and fields(value[4][0])[3] == [3]


# ---- what programs tell -------------------------------------------------------------------------


def test_tensors_come_back(tmp_path):
    given = [
        np.arange(6).astype(dtype).reshape(2, 3)
        for dtype in ("float32", "float64", "int32", "uint8", "int16", "int8", "int64", "bool")
    ] + [np.zeros((0, 2)), np.ones((1, 2), np.float16)]
    with SummaryRecord(tmp_path) as record:
        for array in given:
            record.add_value("tensor", "t", array)
        record.record(1)
    codes = [1, 2, 3, 4, 5, 6, 9, 10, 2, 19]
    for array, code, (_, _, value) in zip(
        given, codes, values_of(only_file(tmp_path)), strict=True
    ):
        found = fields(value[8][0])
        sizes = [fields(size)[1][0] for size in fields(found[2][0])[2]]
        assert (found[1], sizes) == ([code], list(array.shape))
        assert found[4][0] == array.tobytes()


SCALAR, TENSOR = ms.ops.ScalarSummary(), ms.ops.TensorSummary()
HISTOGRAM, IMAGE = ms.ops.HistogramSummary(), ms.ops.ImageSummary()


def tells(x):
    SCALAR("sum", x.sum())
    TENSOR("all", x)
    for _ in range(2):
        HISTOGRAM("spread", x * 2.0)
    if x.sum() > 5:
        SCALAR("large", x.sum()[None])
    IMAGE("picture", x[None, None])
    return (x * x).sum()


def heard(function, *args):
    listener = summaries.Listener()
    listener.listen()
    try:
        return function(*args), listener.take()
    finally:
        listener.leave()


@pytest.mark.parametrize("backend", ["numpy", "c"])
@pytest.mark.parametrize("dtype", [ms.float32, ms.bfloat16, ms.float16])
def test_what_programs_tell_in_order(backend, dtype, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", backend)
    x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]], dtype)
    array = np.float32([[1, 2], [3, 4]])
    right = [
        ("scalar", "sum", 10.0), ("tensor", "all", array), ("histogram", "spread", array * 2),
        ("histogram", "spread", array * 2), ("scalar", "large", [10.0]),
        ("image", "picture", array[None, None]),
    ]  # fmt: skip
    slope = ms.grad(tells)
    for run in (tells, ms.compile(tells), slope, ms.compile(slope)):
        result, told = heard(run, x)
        assert [each[:2] for each in told] == [each[:2] for each in right]
        for each, (_, _, expected) in zip(told, right, strict=True):
            assert each.value.dtype == np.float32
            np.testing.assert_array_equal(each.value, expected)
        expected = 30.0 if result.shape == () else array * 2
        np.testing.assert_array_equal(result.float().asnumpy(), expected)
    small = [each.name for each in heard(ms.compile(tells), ms.Tensor([[1.0]], dtype))[1]]
    assert small == ["sum", "all", "spread", "spread", "picture"]


def test_rows_of_a_map_tell_one_after_the_other():
    def run(x):
        SCALAR("x", x)
        return x * 2.0

    for function in (ms.vmap(run), ms.compile(ms.vmap(run))):
        result, told = heard(function, ms.Tensor([1.0, 2.0]))
        assert (result.tolist(), [each.value.item() for each in told]) == ([2.0, 4.0], [1.0, 2.0])


def test_a_record_writes_what_was_told_since_the_last(tmp_path):
    run = ms.compile(tells)
    with SummaryRecord(tmp_path) as record:
        for step in (1, 2):
            run(ms.Tensor([[float(step)]]))
            record.add_value("scalar", "own", 7)
            assert record.record(step)
        assert record.record(3)
    found = values_of(only_file(tmp_path))
    names = ["own", "sum", "all", "spread", "spread", "picture"]
    assert [entry[:2] for entry in found] == [(s, f"train/{n}") for s in (1, 2) for n in names]
    assert [entry[2][2][0] for entry in found if entry[1] == "train/sum"] == [1.0, 2.0]
    assert not summaries.LISTENERS
    run(ms.Tensor([[1.0]]))  # nobody listens


@pytest.mark.parametrize(("code", "tell"), [
    ("E0303", lambda x: SCALAR("", x.sum())), ("E0303", lambda x: SCALAR(x, x)),
    ("E0304", lambda x: SCALAR("x", 1.0)), ("E0401", lambda x: SCALAR("x", x)),
    ("E0401", lambda x: TENSOR("x", x.sum())), ("E0401", lambda x: HISTOGRAM("x", x.sum())),
    ("E0401", lambda x: IMAGE("x", x)),
])  # fmt: skip
def test_what_cannot_be_told(code, tell):
    refused(code, tell, ms.Tensor([[1.0, 2.0]]))
