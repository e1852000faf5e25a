"""In which types and formats is a graph said to run, and which casts and moves follow?"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.backends.ascend import formats, precision
from s2sad.backends.ascend.encoding import encode
from s2sad.backends.ascend.graph import Desc
from s2sad.core.diagnostics import S2sadError
from s2sad.tools.cli import main
from support.graph_files import lowered

X = ms.Tensor(np.ones((2, 20, 8, 8), np.float32))
W = ms.Tensor(np.ones((20, 20, 3, 3), np.float32))
SQUARE = ms.Tensor(np.ones((40, 33), np.float32))


def convolved(x, w):
    x = ops.relu(ops.conv2d(x, w, pad_mode="same"))
    return ops.conv2d(x + 1.0, w, pad_mode="same")


def multiplied(x):
    return ops.tanh(x.T @ x)


def model_of(function, *args):
    return lowered(function, *args)[1]


def pairs(model, mode):
    return [(str(x.edge), x.before[3:], x.after[3:]) for x in precision.insertions(model, mode)]


def test_modes_change_types_where_operators_take_them():
    model = model_of(multiplied, SQUARE)
    assert pairs(model, "must_keep_origin_dtype") == []
    assert pairs(model, "force_fp16") == [
        ("x:0", "FLOAT", "FLOAT16"), ("Tanh:0", "FLOAT16", "FLOAT")
    ]  # fmt: skip
    # Products of float16 with sums in float32, and all else in float32.
    assert pairs(model, "force_fp32") == [
        ("Transpose:0", "FLOAT", "FLOAT16"), ("x:0", "FLOAT", "FLOAT16")
    ]  # fmt: skip
    # Products in float16 alone.
    assert pairs(model, "allow_fp32_to_fp16") == [
        ("Transpose:0", "FLOAT", "FLOAT16"), ("x:0", "FLOAT", "FLOAT16"),
        ("MatMulV2:0", "FLOAT16", "FLOAT"),
    ]  # fmt: skip
    assert precision.changed(model, "allow_fp32_to_fp16") == ["root/MatMulV2"]


def test_what_only_moves_integers_keeps_its_types():
    model = model_of(lambda x: x[::-1] * 2, ms.Tensor([1, 2, 3]))
    assert all(pairs(model, mode) == [] for mode in precision.MODES)


def test_which_mode_to_ask_for():
    plain = model_of(multiplied, SQUARE)
    cast = model_of(lambda x: multiplied(x.astype(ms.float16)).astype(ms.float32), SQUARE)
    assert precision.advised(plain, "Ascend910B1")[:2] == ("must_keep_origin_dtype", "origin")
    assert precision.advised(plain, "Ascend910A")[:2] == ("allow_fp32_to_fp16", "")
    assert precision.advised(cast, "Ascend910A")[:2] == ("must_keep_origin_dtype", "origin")
    assert [pair[1:] for pair in precision.casts(cast)] == [
        ("DT_FLOAT", "DT_FLOAT16"), ("DT_FLOAT16", "DT_FLOAT")
    ]  # fmt: skip
    with pytest.raises(S2sadError, match="E0303.*no soc_version.*Ascend910B9"):
        precision.advised(plain, "Ascend910B9")


def test_formats_of_the_cube_spread_through_what_is_elementwise():
    model = model_of(convolved, X, W)
    liked = [(each.port, each.format) for each in formats.likings(model)]
    assert liked == [("x", "NC1HWC0"), ("filter", "FRACTAL_Z")] * 2
    moved = [(each.before, each.after) for each in formats.moves(model)]
    # Into the first convolution, the filter once for both, and out of the second.
    assert moved == [("ND", "NC1HWC0"), ("ND", "FRACTAL_Z"), ("NC1HWC0", "ND")]


def test_weights_of_products_are_liked_in_blocks():
    weight = ms.Parameter(SQUARE, name="weight")

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = weight

        def construct(self, x):
            return x @ self.weight

    model = model_of(Net(), ms.Tensor(np.ones((5, 40), np.float32)))
    (one,) = formats.likings(model)
    assert (one.port, one.format, one.stored) == ("x2", "FRACTAL_NZ", (3, 3, 16, 16))
    assert formats.padded([one]) == 3 * 3 * 16 * 16 - 40 * 33


def test_sizes_in_memory_hold_all_elements():
    for shape in ((1, 1, 3, 2), (2, 16, 4, 4), (2, 17, 1, 1), (3, 40, 2, 5)):
        n, c, h, w = shape
        x = np.random.default_rng(0).normal(size=shape).astype(np.float16)
        padded = np.pad(x, ((0, 0), (0, -c % 16), (0, 0), (0, 0)))
        blocks = padded.reshape(n, -1, 16, h, w).transpose(0, 1, 3, 4, 2)
        assert formats.storage(Desc("DT_FLOAT16", shape), "NC1HWC0") == blocks.shape
    assert formats.storage(Desc("DT_FLOAT16", (-1, 16, 4, 4)), "NC1HWC0") == ()


def test_numbers_beyond_float16():
    model = model_of(multiplied, SQUARE)
    ranges = {"root/MatMulV2:0": (-7e4, 3.0), "root/Tanh:0": (-1.0, 1.0), "root/x:0": (0.0, 1e9)}
    assert precision.overflows(model, "force_fp16", ranges) == [("root/MatMulV2:0", 7e4)]
    assert precision.overflows(model, "force_fp32", ranges) == []
    nan = {"root/MatMulV2:0": (float("nan"), 1.0)}
    assert len(precision.overflows(model, "allow_fp32_to_fp16", nan)) == 1


@pytest.fixture
def net(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("net.air").write_bytes(encode(model_of(convolved, X, W)))
    return "net.air"


def test_the_command_speaks_to_people(net, capsys):
    assert main(["ascend-report", net, "--soc-version", "Ascend910B1"]) == 0
    said = capsys.readouterr().out
    for text in ("net.air on Ascend910B1", "precision_mode=must_keep_origin_dtype", "Conv2D",
                 "2x2x8x8x16", "TransData that follow: 3"):  # fmt: skip
        assert text in said


def test_the_command_speaks_to_programs(net, capsys):
    Path("ranges.npz").write_bytes(b"")
    np.savez("ranges.npz", **{"root/Relu:0": np.array([0.0, 1e6])})
    given = ["ascend-report", net, "--soc-version", "Ascend910A", "--format", "json"]
    assert main([*given, "--ranges", "ranges.npz"]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert facts["kind"] == "Ascend910" and facts["precision_mode"] == "allow_fp32_to_fp16"
    assert facts["overflows"] == {"force_fp16": [["root/Relu:0", 1e6]]}
    assert len(facts["modes"]["allow_fp32_to_fp16"]["nodes"]) == 2


def test_bfloat16_is_not_on_every_chip(capsys, tmp_path):
    path = tmp_path / "net.air"
    path.write_bytes(encode(model_of(multiplied, SQUARE.astype(ms.bfloat16))))
    assert main(["ascend-report", str(path), "--soc-version", "Ascend910B1"]) == 0
    assert main(["ascend-report", str(path), "--soc-version", "Ascend910B"]) == 1
    assert "is bfloat16, which Ascend910 has not" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "array", "code"),
    [("gone.npz", None, "E0604"), ("net.air", None, "E0608"), ("x.npz", np.zeros(3), "E0608")],
)
def test_ranges_that_cannot_be_read(name, array, code, net, capsys):
    if array is not None:
        np.savez(name, x=array)
    given = ["ascend-report", net, "--soc-version", "Ascend910B1", "--ranges", name]
    assert main(given) == 2
    assert code in capsys.readouterr().err
