"""Does a converted checkpoint hold the same?"""

from __future__ import annotations

import os

import numpy as np
import pytest

import s2sad as ms
from s2sad.checkpoints import ckpt
from s2sad.core.diagnostics import S2sadError


def state():
    return {
        "b": ms.Tensor(np.array([0.1, np.nan, -0.0], np.float32)).astype(ms.bfloat16),
        "a.w": ms.Tensor(np.arange(6.0).reshape(2, 3)),
        "n": ms.Tensor(3), "none": ms.Tensor(np.zeros((0, 2), np.int8)),
    }  # fmt: skip


def same(found, names=None):
    names = names or {}
    expected = {names.get(name, name): tensor for name, tensor in state().items()}
    assert sorted(found) == sorted(expected)
    for name, tensor in expected.items():
        assert (found[name].dtype, found[name].shape) == (tensor.dtype, tensor.shape)
        assert found[name].array.tobytes() == tensor.array.tobytes()


def test_there_and_back(tmp_path, monkeypatch):
    monkeypatch.setattr(ckpt, "SLICE", 10)
    ms.save_checkpoint(state(), tmp_path / "a", crc_check=True)
    ms.ckpt_to_safetensors(str(tmp_path / "a.ckpt"))
    same(ms.load_checkpoint(tmp_path / "a.safetensors", format="safetensors"))
    ms.safetensors_to_ckpt(str(tmp_path / "a.safetensors"), str(tmp_path / "new" / "deep"))
    same(ms.load_checkpoint(tmp_path / "new" / "deep" / "a.ckpt"))


def test_new_names(tmp_path):
    ms.save_checkpoint(state(), tmp_path / "a")
    names = {"b": "bias", "not there": "x"}
    ms.ckpt_to_safetensors(tmp_path / "a.ckpt", name_map=names)
    same(ms.load_checkpoint(tmp_path / "a.safetensors", format="safetensors"), names)
    with pytest.raises(S2sadError, match="two values would have the name 'b'") as caught:
        ms.ckpt_to_safetensors(tmp_path / "a.ckpt", tmp_path / "x", {"n": "b"})
    assert caught.value.code == "E0406" and not (tmp_path / "x").exists()


def test_folders_of_ranks(tmp_path):
    for rank in ("rank_0", "rank_1", "other"):
        (tmp_path / rank).mkdir()
        for name in ("net-1", "net-2"):
            ms.save_checkpoint(state(), tmp_path / rank / name)
    ms.ckpt_to_safetensors(tmp_path, tmp_path / "out", file_name_regex=r"-2\.", processes_num=2)
    found = sorted(str(x.relative_to(tmp_path / "out")) for x in (tmp_path / "out").rglob("*.*"))
    assert found == ["rank_0/net-2.safetensors", "rank_1/net-2.safetensors"]
    ms.ckpt_to_safetensors(tmp_path)
    assert len(list(tmp_path.rglob("rank*/*.safetensors"))) == 6
    assert os.listdir(tmp_path / "other") and not list((tmp_path / "other").glob("*.safetensors"))


@pytest.mark.parametrize(
    ("settings", "code", "said"),
    [
        ({"file_path": 3}, "E0303", "file_path is a str"),
        ({"file_path": "a.txt"}, "E0404", "file_path ends with .ckpt, or is a folder"),
        ({"file_path": "none.ckpt"}, "E0604", "there is no file"),
        ({"file_path": "."}, "E0604", "has no folder rank"),
        ({"save_path": "text.ckpt"}, "E0604", "save_path is a folder"),
        ({"name_map": ["a"]}, "E0303", "name_map is a dict of names"),
        ({"name_map": {"a": 1}}, "E0303", "name_map is a dict of names"),
        ({"file_name_regex": "("}, "E0404", "is no regular expression"),
        ({"file_name_regex": 3}, "E0303", "file_name_regex is a str"),
        ({"processes_num": 0}, "E0404", "processes_num"),
        ({}, "E0304", "holds no text, and 't' is one"),
    ],
)
def test_refused(tmp_path, monkeypatch, settings, code, said):
    monkeypatch.chdir(tmp_path)
    ms.save_checkpoint({"w": ms.Tensor(1), "t": "text"}, "text.ckpt")
    with pytest.raises(S2sadError) as caught:
        ms.ckpt_to_safetensors(**{"file_path": "text.ckpt", **settings})
    assert caught.value.code == code and said in str(caught.value)
    assert caught.value.diagnostic.location.file == __file__
    assert os.listdir() == ["text.ckpt"]
