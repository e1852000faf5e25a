"""Is a damaged checkpoint refused with the reason, or loaded as it stands, in little memory?"""

from __future__ import annotations

import json
import random
import struct
import tracemalloc

import numpy as np
import pytest

import s2sad as ms
from s2sad.checkpoints import ckpt
from s2sad.core.diagnostics import S2sadError

#: Mutants of each file. The seed of one is its number.
COUNT = 150


def state():
    generator = np.random.default_rng(0)
    return {
        "fc.weight": ms.Tensor(generator.normal(size=(40, 30)).astype(np.float32)),
        "fc.bias": ms.Tensor(np.zeros(30, np.float32)).astype(ms.bfloat16),
        "flags": ms.Tensor(np.array([True, False] * 8)),
        "count": ms.Tensor(3),
        "empty": ms.Tensor(np.zeros((0, 4))),
        "ü": ms.Tensor(np.arange(9, dtype=np.int16)),
    }


@pytest.fixture(scope="module", params=["ckpt", "safetensors"])
def saved(request, tmp_path_factory):
    """The format, the bytes of a file with a CRC and of one without, and what is in them."""
    folder, found = tmp_path_factory.mktemp("mutants"), []
    for crc in (True, False):
        ms.save_checkpoint(state(), folder / "a", format=request.param, crc_check=crc)
        found.append((folder / f"a.{request.param}").read_bytes())
    return request.param, found[0], found[1]


def mutant(data: bytes, chance: random.Random) -> bytes:
    """`data` with bits turned, cut off, with parts missing, doubled, or of other bytes."""
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5])):
        # Half of the changes are near the beginning, where most of the lengths are.
        end = chance.choice([min(200, len(changed)), len(changed)])
        place = chance.randrange(max(1, end))
        size = chance.choice([1, 1, 8, 100])
        part = slice(place, place + size)
        kind = chance.randrange(6)
        if kind == 0 and place < len(changed):
            changed[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            changed[part] = chance.randbytes(len(changed[part]))
        elif kind == 2:
            del changed[part]
        elif kind == 3:
            changed[place:place] = changed[part]
        elif kind == 4:
            changed[part] = b"\xff" * len(changed[part])
        else:
            del changed[place:]
    return bytes(changed)


def load(path, format, data):
    """What is loaded, or the error; at most some times the memory of the file is taken."""
    path.write_bytes(data)
    tracemalloc.start()
    try:
        return ms.load_checkpoint(path, format=format)
    except S2sadError as error:
        return error
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20 * len(data) + 200_000


def test_mutants_with_a_crc_are_refused_or_whole(saved, tmp_path):
    format, data, _ = saved
    expected, refused = state(), 0
    for seed in range(COUNT):
        changed = mutant(data, random.Random(seed))
        found = load(tmp_path / f"a.{format}", format, changed)
        if isinstance(found, S2sadError):
            refused += changed != data
            assert found.code in ("E0404", "E0607"), seed
            assert found.code == "E0607" or not changed, seed
            assert found.code == "E0404" or "at byte" in str(found), seed
        elif b"crc_num" in changed:
            # The same bytes; or what has no effect: spaces in a header, another key of metadata.
            for name, tensor in expected.items():
                assert found[name].array.tobytes() == tensor.array.tobytes(), seed
    assert refused > COUNT * 0.9


def test_mutants_without_a_crc_are_refused_or_loaded_as_they_stand(saved, tmp_path):
    format, _, data = saved
    refused = loaded = 0
    for seed in range(COUNT):
        changed = mutant(data, random.Random(1000 + seed))
        found = load(tmp_path / f"a.{format}", format, changed)
        if isinstance(found, S2sadError):
            assert found.code == ("E0607" if changed or format == "safetensors" else "E0404"), seed
            refused += 1
            continue
        loaded += changed != data
        for name, parameter in found.items():  # its bytes are there
            assert parameter.array.tobytes() in changed, (seed, name)
    assert refused > COUNT / 3 and loaded > 0


def test_every_cut_is_seen(saved, tmp_path):
    format, data, _ = saved
    for end in range(0, len(data), 37):
        found = load(tmp_path / f"a.{format}", format, data[:end])
        if isinstance(found, dict):  # between two values of a .ckpt, without its CRC
            assert format == "ckpt" and not set(found) >= set(state())
        else:
            assert found.code == ("E0607" if end or format == "safetensors" else "E0404")


def test_every_bit_of_a_small_file_counts(tmp_path):
    """Each bit turned in a file with a CRC is seen, but those that leave what is said."""
    for format in ("ckpt", "safetensors"):
        path = tmp_path / f"b.{format}"
        ms.save_checkpoint({"w": ms.Tensor([1.0])}, path, format=format, crc_check=True)
        data = path.read_bytes()
        path.chmod(0o600)
        for place in range(8 * len(data)):
            changed = bytearray(data)
            changed[place // 8] ^= 1 << place % 8
            path.write_bytes(changed)
            try:
                found = ms.load_checkpoint(path, format=format)
            except S2sadError as error:
                assert error.code == "E0607"
            else:  # the key of the CRC, or that of the format, is another, and so is unknown
                assert format == "safetensors" and found["w"].tolist() == [1.0]
                assert json.loads(changed[8 : 8 + changed[0]])["__metadata__"].keys()


def test_announced_sizes_take_no_memory(tmp_path):
    path = tmp_path / "a.safetensors"
    header = {"w": {"dtype": "F32", "shape": [2**38], "data_offsets": [0, 2**40]}}
    text = json.dumps(header).encode()
    found = load(path, "safetensors", struct.pack("<Q", len(text)) + text)
    assert found.code == "E0607" and "elements end at 1099511627776, the file at 0" in str(found)
    found = load(path, "safetensors", struct.pack("<Q", 2**62) + b"{}")
    assert found.code == "E0607"
    path = tmp_path / "a.ckpt"
    found = load(path, "ckpt", b"\n\xff\xff\xff\xff\xff\xff\xff\xff\x7f")
    assert found.code == "E0607" and "0 are there" in str(found)


def test_parts_without_end_take_little_memory(tmp_path):
    """Axes, fields and slices, as many as there is room for."""

    def field(key, content):
        length, found = len(content), bytes([key])
        while length > 127:
            found, length = found + bytes([length & 127 | 128]), length >> 7
        return found + bytes([length]) + content

    axes = field(10, field(10, b"a") + field(18, b"\x08\x01" * 10**5))
    tags = field(10, field(10, b"") * 10**5)
    empty = field(
        10, field(10, b"a") + field(18, b"\x08\x02" + field(18, b"Int8") + field(26, b""))
    )
    texts = field(10, field(10, b"a") + field(18, b"\x08\x00" + field(18, b"str") + field(26, b"")))
    ones = field(10, field(10, b"a") + field(18, field(18, b"Int8") + field(26, b"a")))
    for data, said in (
        (ones * 10_000, "has 1 bytes, 10000 are there"),
        (axes, "more than 64 times"),
        (tags, "a second time"),
        (empty * 10_000, "is empty"),
        (texts * 10_000, "is empty"),
    ):
        found = load(tmp_path / "a.ckpt", "ckpt", data)
        assert found.code == "E0607" and said in str(found)


def test_a_large_file_is_read_in_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(ckpt, "SLICE", 2**20)
    saved = {f"w{i}": ms.Tensor(np.full(2**20, float(i), np.float32)) for i in range(6)}
    for format in ("ckpt", "safetensors"):
        path = tmp_path / f"a.{format}"
        tracemalloc.start()
        ms.save_checkpoint(saved, path, format=format, crc_check=True)
        assert tracemalloc.get_traced_memory()[1] < 2**20
        found = ms.load_checkpoint(path, format=format)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        # What is loaded, and one tensor more while its slices are put together.
        assert peak < 24 * 2**20 + (5 if format == "ckpt" else 1) * 2**20
        assert [found[f"w{i}"].array[-1] for i in range(6)] == list(range(6))
