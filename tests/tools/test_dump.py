"""`s2sad dump` and `s2sad check` on files of users."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.store import load
from s2sad.ir.types import f32, i32
from s2sad.prims.trigonometric import sin
from s2sad.tools.check import check_gradients

NET = """
import s2sad as ms
from s2sad import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 3, activation="relu")

    def construct(self, x, labels):
        return ops.cross_entropy(self.fc(x), labels)


class Sized(nn.Cell):
    def __init__(self, size):
        super().__init__()

    def construct(self, x):
        return x


def rnn(x, h, rate):
    while (h * h).sum() < 5.0:
        h = h + ops.tanh(x * h) * rate + 0.5
    return h


def kinked(x):
    return ops.abs(x - x)


NUMBER = 3
"""


@pytest.fixture
def net(tmp_path):
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    yield "net.py"
    sys.modules.pop("net", None)


def test_every_stage_is_written_and_runs(s2sad, net, tmp_path):
    said = s2sad("dump", "net.py:Net", "-i", "f32[5, 4]", "-i", "i32[5]", "--grad", "-o", "out")
    assert said.code == 0 and said.out.startswith("net.Net.construct: 14 stages")
    paths = sorted((tmp_path / "out").glob("*.py"))
    assert [path.name for path in paths][:4] == [
        "00-primal.py", "01-expand-transforms.py", "02-decompose.py", "03-hoist-constants.py",
    ]  # fmt: skip
    assert all(path.name in said.out for path in paths)
    assert (
        len(load(paths[4], p.ALL).results) == 4
    )  # the loss, and gradients of x and of two weights
    command = [sys.executable, str(paths[-1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    assert done.stdout.count("result") == 4


def test_one_stage_is_printed_or_written(s2sad, net, tmp_path):
    given = "net.py:rnn", "-i", "f32[3]", "-i", "f32[3]", "--input", "0.5"
    flat = s2sad("dump", *given, "--stage", "joint", "--grad")
    assert flat.code == 0 and "· after 04-joint" in flat.out and "stack_pop" in flat.out
    assert s2sad("dump", *given, "--stage", "04-joint", "--grad").out == flat.out
    source = s2sad("dump", *given, "--stage", "source", "-o", "out")
    assert source.out == "out/source.py\n"
    assert "while " in (tmp_path / "out" / "source.py").read_text(encoding="utf-8")
    missing = s2sad("dump", *given, "--stage", "joint")
    assert missing.code == 2 and "there is no stage 'joint'" in missing.err


@pytest.mark.parametrize(
    ("target", "code", "text"),
    [
        ("net.py", "E0303", "FILE:OBJECT"),
        ("none.py:Net", "E0604", "there is no file"),
        ("no_such_module:Net", "E0604", "there is no module"),
        ("net.py:Nett", "E0220", "did you mean Net?"),
        ("net.py:NUMBER", "E0304", "is a int, no Cell"),
        ("net.py:Sized", "E0302", "name an instance"),
        ("net.py:Net", "E0302", "labels"),
    ],
)
def test_what_cannot_be_found_says_so(s2sad, net, target, code, text):
    said = s2sad("dump", target, "-i", "f32[5, 4]")
    assert said.code == 2 and said.err.startswith(f"[{code}]") and text in said.err


@pytest.mark.parametrize("text", ["f33[2]", "f32[2", "f32[2,,3]", "hello there"])
def test_what_is_no_type_says_so(s2sad, net, text):
    said = s2sad("check", "net.py:rnn", "-i", text)
    assert said.code == 2 and said.err.startswith("[E0303]")


def test_gradients_are_checked(s2sad, net):
    said = s2sad("check", "net.py:Net", "-i", "f32[5, 4]", "-i", "i32[5]")
    assert said.code == 0, said
    lines = said.out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["x", "param:fc.weight", "param:fc.bias"]
    assert said.out.count(" ok ") == 3
    said = s2sad("check", "net.py:rnn", "-i", "f32[3]", "-i", "f32[3]", "-i", "0.5")
    assert said.code == 0 and said.out.count(" ok ") == 2


def test_a_network_is_checked_as_in_training(s2sad, tmp_path):
    (tmp_path / "drops.py").write_text(
        "from s2sad import nn\n\n\nnet = nn.SequentialCell(nn.Dense(4, 3), nn.Dropout(p=0.5))\n",
        encoding="utf-8",
    )
    given = "drops.py:net", "-i", "f32[5, 4]"
    assert '"rng"' not in s2sad("dump", *given, "--stage", "primal").out
    sys.modules.pop("drops", None)
    assert '"rng"' in s2sad("dump", *given, "--stage", "primal", "--train").out
    sys.modules.pop("drops", None)
    said = s2sad("check", *given, "--train")
    assert said.code == 0 and said.out.count(" ok ") == 3
    sys.modules.pop("drops", None)


def test_a_kink_is_no_fault(s2sad, net):
    said = s2sad("check", "net.py:kinked", "-i", "f32[3]")
    assert said.code == 0 and "ok" in said.out


def test_a_wrong_adjoint_is_found(s2sad, net, tmp_path, monkeypatch):
    (tmp_path / "wave.py").write_text(
        "from s2sad import ops, prims as p\n\n\ndef wave(x, y):\n    return p.sin(x) * y\n",
        encoding="utf-8",
    )

    def sin_adjoint(x, out, dout):
        return (dout * x,)

    assert s2sad("check", "wave.py:wave", "-i", "f32[4]", "-i", "f32[4]").code == 0
    monkeypatch.setattr(sin, "adjoint_rule", sin_adjoint)
    sys.modules.pop("wave", None)
    said = s2sad("check", "wave.py:wave", "-i", "f32[4]", "-i", "f32[4]")
    assert said.code == 1 and said.out.endswith("wrong: x\n")
    sys.modules.pop("wave", None)


def test_the_check_itself_takes_any_function():
    function = build_function(lambda x, i: p.mul(x, p.cast(i, dtype=f32.dtype)), [f32[3], i32[3]])
    arrays = [np.ones(3, np.float32), np.arange(3, dtype=np.int32)]
    (row,) = check_gradients(function, arrays, [0], seed=0, tolerance=1e-6)
    assert row.verdict == "ok" and row.type == "f32[3]"
    empty = build_function(lambda x: p.mul(x, x), [f32[0]])
    (row,) = check_gradients(empty, [np.ones(0, np.float32)], [0], seed=0, tolerance=1e-6)
    assert row.verdict == "ok" and row.error == 0.0
