"""`s2sad tune`: are settings measured, kept and taken, and only those that are worth it?"""

from __future__ import annotations

import sys

import numpy as np
import pytest

import s2sad as ms
from s2sad import compiler
from s2sad.backends.c.runtime import load_runtime
from s2sad.binding import tuned
from s2sad.core.tuning import stamp
from s2sad.passes.fuse import Fuse
from s2sad.passes.recompute import Recompute
from s2sad.tools import tune as tool

NET = """
import s2sad as ms
from s2sad import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 3, activation="tanh")

    def construct(self, x):
        return ops.sum(ops.sigmoid(self.fc(x)))


def twice(x):
    return ops.tanh(x * 2.0) + x
"""


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    """A cache of its own, with the runtime's library from elsewhere, and programs of C."""
    load_runtime()
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("S2SAD_BACKEND", "c")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    yield
    sys.modules.pop("net", None)


def favour(monkeypatch, wanted):
    """Let the candidate with the settings `wanted` be twice as fast as all others."""

    def measure(candidates, arrays, rounds):
        for each in candidates:
            assert len(each.executable.run(arrays)) > 0
            each.times += [1.0 if each.settings == wanted else 2.0] * rounds

    monkeypatch.setattr(tool, "_measure", measure)


def compiled():
    """The passes that TARGET has for the function of the file."""
    from s2sad.tools.targets import find_target

    function = find_target("net.py:twice", train=False)
    variant = compiler.compile_variant(function, (ms.Tensor(np.ones((8, 4), np.float32)),), {})
    return variant.stages.target


def test_the_best_is_kept_and_taken(s2sad, monkeypatch):
    before = stamp()
    favour(monkeypatch, {"fuse.max_ops": 64, "recompute": 1})
    assert Recompute() not in compiled()
    said = s2sad("tune", "net.py:twice", "-i", "f32[8, 4]")
    assert said.code == 0, said.err
    # Without a gradient the sweeps are no different, so that comes to the same program.
    assert "nothing is worth it" in said.out and stamp() != before == ""
    favour(monkeypatch, {"fuse.max_ops": 4, "recompute": 0})
    first = stamp()
    said = s2sad("tune", "net.py:Net", "-i", "f32[8, 4]", "--grad")
    assert "fuse.max_ops=4, recompute=0: 50 % less time" in said.out and "kept" in said.out
    assert stamp() not in ("", first)


def test_later_compiles_take_it(s2sad, monkeypatch):
    favour(monkeypatch, {"fuse.max_ops": 4, "recompute": 0})
    monkeypatch.setattr(tool, "_candidates", _all_of_them)
    assert Fuse(max_ops=4) not in compiled()
    assert s2sad("tune", "net.py:twice", "-i", "f32[8, 4]").code == 0
    assert Fuse(max_ops=4) in compiled()
    assert "forgot the settings of 1 program" in s2sad("tune", "--clear").out
    assert Fuse(max_ops=4) not in compiled() and stamp() == ""


def _all_of_them(function):
    """Candidates of every setting, though they come to the same here."""
    from itertools import product

    names = [knob.name for knob in tuned.KNOBS]
    ways = [dict(zip(names, values, strict=True))
            for values in product(*(knob.values for knob in tuned.KNOBS))]  # fmt: skip
    (made,) = _found(function)[:1]
    return [tool.Candidate(settings, made.executable) for settings in ways]


_found = tool._candidates


def test_nothing_is_kept_of_a_dry_run(s2sad):
    said = s2sad("tune", "net.py:Net", "-i", "f32[8, 4]", "--grad", "--dry-run", "--rounds", "2")
    assert said.code == 0 and "times as fast" in said.out and "kept" not in said.out
    assert stamp() == ""
    rows = [line for line in said.out.splitlines() if "fuse.max_ops=" in line and "." in line]
    assert len(rows) >= 2


def test_what_is_measured_computes_the_same():
    function, arrays = tool._program("net.py:Net", ["f32[8, 4]"], grad=True, seed=0, train=False)
    first, *others = tool._candidates(function)
    expected = first.executable.run(arrays)
    assert others
    for candidate in others:
        for one, other in zip(candidate.executable.run(arrays), expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_a_knob_that_is_gone_changes_nothing():
    passes = compiler.TARGET["s2sad.backends.c"]
    assert tuned.with_settings(passes, {"gone": 3}) == passes
    assert tuned.with_settings(passes, tuned.default()) == passes


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("tune",), "E0302"),
        (("tune", "net.py:twice", "-i", "f32[4]", "--rounds", "0"), "E0404"),
        (("tune", "net.py:none", "-i", "f32[4]"), "E0220"),
    ],
)
def test_refusals(s2sad, arguments, code):
    said = s2sad(*arguments)
    assert said.code == 2 and code in said.err


def test_numpy_has_nothing_to_set(s2sad, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", "numpy")
    assert "E0712" in s2sad("tune", "net.py:twice", "-i", "f32[4]").err
