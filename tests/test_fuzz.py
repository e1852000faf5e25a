"""Do PyNative, NumPy and C agree on programs that nobody wrote, and on those that once failed?

``make fuzz N=1000`` tries more of them; see `support.fuzz`. A file of the corpus is the smallest
part of a program that showed a fault; its first line says which.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c import tables
from s2sad.backends.c.layout import Layout
from s2sad.backends.c.scalar import plain
from s2sad.ir.graph import Function
from support.fuzz import Program, Truth, Written, check, check_functions, items_of, keep, shrunk
from support.open_programs import check_open
from support.shrink import size_of

pytestmark = pytest.mark.usefixtures("programs_apart")

CORPUS = Path(__file__).parent / "corpus"
#: Others at each run. `make fuzz N=200 SEED=...` tries them again.
FIRST = int(time.time()) % 10**9
PARTS, MANY = 4, 50


@pytest.mark.parametrize("part", range(PARTS))
def test_fresh_ones(part):
    seed = FIRST + part * MANY
    report = check(items_of(range(seed, seed + MANY)))
    assert report.failures == [], f"make fuzz N={MANY} SEED={seed}"
    assert report.ran >= 0.8 * MANY, f"{report.refused} are refused; SEED={seed}"


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_fresh_ones_for_any_number_of_rows(backend):
    count = 8 if backend == "numpy" else 3
    report = check_open(range(FIRST, FIRST + count), backend)
    assert report.failures == [], f"check_open(range({FIRST}, {FIRST + count}), {backend!r})"
    assert report.ran >= count // 2, report.closed


def test_a_nan_hides_no_other_element():
    """Where it belongs it is right, and what stands beside it is measured."""
    truth = Truth({"y": np.array([np.nan, 1.0, np.inf])}, {"y": 0.0}, set())
    for found, is_right in [
        ([np.nan, 1.0, np.inf], True),
        ([np.nan, 1.0 + 1e-6, np.inf], True),
        ([np.nan, 1.1, np.inf], False),
        ([0.0, 1.0, np.inf], False),
        ([np.nan, np.nan, np.inf], False),
        ([np.nan, 1.0, -np.inf], False),
    ]:
        assert (truth.wrong({"y": np.array(found)}, 1e-6) == []) is is_right, found


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_many_for_any_number_of_rows(backend):
    report = check_open(range(100), backend)
    assert report.failures == []
    assert report.ran >= 80, report.closed


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_compiled_as_they_always_are(part):
    report = check(items_of(range(100 * part, 100 * part + 100)), quickly=False)
    assert report.failures == []


def test_the_corpus():
    programs = [Program.of_file(path) for path in sorted(CORPUS.glob("program*.py"))]
    functions = [Written.of_file(path) for path in sorted(CORPUS.glob("function*.py"))]
    assert programs or functions
    report = check([*programs, *functions])
    assert report.failures == []
    assert report.refused == 0


# ---- would it find anything? -------------------------------------------------------------------


@pytest.mark.slow
def test_a_value_that_is_overwritten_too_early_is_found_and_made_small(monkeypatch, tmp_path):
    monkeypatch.setattr(Layout, "_takes", lambda *_: True)
    failures = check_functions([Written.of_seed(seed) for seed in range(60)]).failures
    assert failures
    small = shrunk(failures[0])
    before, after = failures[0].program, small.program
    assert isinstance(before, Written) and isinstance(after, Written)
    assert 2 * size_of(after.function) < size_of(before.function)
    again = Written.of_file(keep(small, tmp_path))
    assert isinstance(again.function, Function)
    assert (tmp_path / f"{small.program.name}.txt").read_text() != ""


SOURCE = """\
from s2sad import ops

DTYPE = "float64"


def construct(self, x, h, s, m, k):
    s = ops.tanh(s)
    if s > 0.5:
        for i in range(8):
            h = h * 0.5
    h = h * self.v
    x = x + 1
    loss = (x.sum() + h.sum()) * s
    return loss, {"x": x, "more": (h, m)}, [s, k]
"""


def test_an_operation_that_is_wrong_is_found_and_its_program_made_small(monkeypatch):
    monkeypatch.setitem(tables.SCALARS, p.tanh, plain("({0} * 0.999)"))
    report = check([Program("program", SOURCE)])
    (failure,) = report.failures
    assert failure.said and all(line.startswith("c: ") for line in failure.said)
    small = shrunk(failure)
    assert isinstance(small.program, Program)
    kept = [line.strip() for line in small.program.source.splitlines() if line.startswith("    ")]
    assert kept[:-2] in ([], ["s = ops.tanh(s)"]), small.program.source
