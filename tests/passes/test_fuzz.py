"""Do random programs keep their results, bit for bit, and settle at once?"""

from __future__ import annotations

import contextlib
import io

import pytest

from s2sad import prims as p
from s2sad.ir.clone import clone
from s2sad.ir.compare import difference
from s2sad.ir.evaluate import evaluate
from s2sad.ir.printer import print_text
from s2sad.ir.reader import read_text
from s2sad.passes.base import Repeat, run_passes
from s2sad.passes.canonicalize import Canonicalize
from s2sad.passes.cse import Cse
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose
from s2sad.passes.hoist import HoistConstants
from support.differential import copies, same
from support.random_functions import random_function

PIPELINE = (Repeat((Canonicalize(), Cse(), Dce())),)


def run(function, inputs):
    """Results, and what was printed."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        results = evaluate(function, copies(inputs))
    return results, printed.getvalue()


def reads_bits(function) -> bool:
    """Whether `function` reads the bits of floats, of which those of a NaN may change."""
    casts = [op for op in function.walk() if op.prim is p.bitcast]
    return any(op.operands[0].dtype.is_float for op in casts)


def check(seed: int) -> None:
    function, inputs = random_function(seed)
    before, (wanted, printed) = clone(function), run(function, inputs)
    for each in (HoistConstants(), Canonicalize(), Cse(), Dce(), *PIPELINE):
        run_passes(function, [each])
        again = run_passes(function, [each])
        assert not any(report.changes for report in again), (str(each), again[0].titles)
    found, said = run(function, inputs)
    wrong = [i for i, pair in enumerate(zip(found, wanted, strict=True)) if not same(*pair)]
    right = not wrong and said == printed
    assert right or reads_bits(before), f"results {wrong} of\n{before}\nbecame\n{function}"
    assert difference(read_text(print_text(function), p.ALL), function) is None


@pytest.mark.parametrize("block", range(10))
def test_results_stay(block):
    for seed in range(15 * block, 15 * (block + 1)):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(50))
def test_results_of_many_stay(block):
    for seed in range(1000 + 100 * block, 1000 + 100 * (block + 1)):
        check(seed)


@pytest.mark.parametrize("seed", range(60))
def test_bodies_of_composites_keep_results_as_well(seed):
    function, inputs = random_function(seed)
    run_passes(function, [Decompose()])
    wanted = run(function, inputs)[0]
    run_passes(function, PIPELINE)
    assert all(map(same, run(function, inputs)[0], wanted))


@pytest.mark.parametrize("seed", range(40))
def test_any_number_of_rewrites_keeps_results(seed):
    """So bisection may stop anywhere."""
    function, inputs = random_function(seed)
    wanted = run(function, inputs)[0]
    total = sum(report.changes for report in run_passes(clone(function), PIPELINE))
    for limit in sorted({0, 1, 2, total // 3, total // 2, total - 1}):
        cut = clone(function)
        run_passes(cut, PIPELINE, stop_after=max(limit, 0))
        assert all(map(same, run(cut, inputs)[0], wanted)), limit


@pytest.mark.parametrize("seed", range(40, 60))
def test_validation_finds_nothing(seed, tmp_path):
    function, inputs = random_function(seed)
    run_passes(function, PIPELINE, validate=inputs, folder=tmp_path)
    assert not list(tmp_path.iterdir())
