"""Are files that MindSpore 2.10 wrote read as what was saved? And are those it reads still written?

`support/peer_checkpoints.py` says how they were made.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad.checkpoints import ckpt, safetensors
from s2sad.core.diagnostics import S2sadError
from support import peer_checkpoints

FILES = Path(__file__).parent / "of_mindspore"
NAMES = sorted(path.name for path in FILES.glob("*.*") if path.suffix != ".md")


def test_each_value_is_what_was_saved():
    found = list(peer_checkpoints.differences(ms, FILES))
    assert sorted(name for name, _, _ in found) == NAMES and len(NAMES) == 22
    assert [(name, wrong) for name, _, wrong in found if wrong] == []
    assert all(count for _, count, _ in found)


def entries(path):
    form = ckpt if path.suffix == ".ckpt" else safetensors
    return form.has_crc(memoryview(path.read_bytes())), dict(
        form.read(memoryview(path.read_bytes()), lambda name: True)
    )


def parted(path):
    """The header, if there is one, and the other bytes."""
    data = path.read_bytes()
    if path.suffix == ".ckpt":
        return data
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    return size, header.pop("__metadata__"), list(header.items()), data[8 + size :]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_is_written_as_mindspore_wrote_it(tmp_path, name):
    """Byte for byte, but for the order of metadata, which is any order in MindSpore's files."""
    has_crc, found = entries(FILES / name)
    values = {
        key: value if isinstance(value, str) else ms.Tensor.wrap(value)
        for key, value in found.items()
    }
    kind = name.rpartition(".")[2]
    ms.save_checkpoint(values, tmp_path / name, crc_check=has_crc, format=kind)
    assert has_crc == ("_crc" in name)
    assert parted(tmp_path / name) == parted(FILES / name)


@pytest.mark.parametrize("value", [-1, 0, 1, 2**16, 2**16 + 1, safetensors.ZEROS + 1, 2**62])
def test_a_crc_of_an_integer_without_axes_sees_another_value(tmp_path, value):
    path = tmp_path / "a.safetensors"
    saved = {"n": ms.Tensor(np.int64(value)), "w": ms.Tensor([1.0])}
    ms.save_checkpoint(saved, path, crc_check=True, format="safetensors")
    assert int(ms.load_checkpoint(path, format="safetensors", crc_check=True)["n"]) == value
    whole = path.read_bytes()
    path.chmod(0o600)
    for bit in range(64):
        changed = bytearray(whole)
        changed[-12 + bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        with pytest.raises(S2sadError, match="E0607.*CRC-32"):
            ms.load_checkpoint(path, format="safetensors")
