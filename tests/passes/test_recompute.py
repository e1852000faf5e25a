"""Is what is computed again the same, where it is needed, and is less kept for it?"""

from __future__ import annotations

import contextlib
import io
from dataclasses import replace

import pytest

from s2sad import prims as p
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import f64, i32
from s2sad.ir.verify import verify
from s2sad.passes.base import run_passes
from s2sad.passes.recompute import CHEAP_ONLY, Recompute, choice
from support.differential import copies, same
from support.fuzz import READY
from support.random_functions import random_function

PLACE = Location("net.py", 1, 0)


def two_sweeps(function: Function, begin: int) -> Function:
    """`function`, of which all from operation number `begin` on is taken for adjoints."""
    for number, operation in enumerate(function.body.operations):
        place = operation.loc or PLACE
        operation.loc = replace(place, is_adjoint=number >= begin)
    return function


def chain(x, w):
    """Three layers, and what looks like their gradient."""
    kept, last = [], x
    for _ in range(3):
        h = p.tanh(p.matmul(last, w))
        last = p.exp(h)
        kept += [h, last]
    total = last
    for value in reversed(kept):
        total = p.matmul(p.mul(total, value), w, transpose_b=True)
    return last, total


def names(function: Function) -> list[str]:
    return [op.prim.name for op in function.body.operations]


def recomputed(segments: int, price: int) -> Function:
    function = two_sweeps(build_function(chain, [f64[4, 8], f64[8, 8]]), 9)
    run_passes(function, [Recompute(segments, price)])
    verify(function)
    return function


def test_what_is_cheap_runs_again_just_before_its_reader():
    function = recomputed(1, CHEAP_ONLY)
    order = names(function)
    # Of each layer one array is kept, not two; the last exp is a result, so it is there anyhow.
    assert order.count("tanh") == 3 and order.count("exp") == 3 + 2 and order.count("matmul") == 9
    for place, name in enumerate(order):
        if name == "exp" and place > 9:
            assert order[place - 1 : place + 2] == ["barrier", "exp", "mul"]


def test_at_no_price_all_runs_again_and_segments_keep_states():
    whole, in_two = names(recomputed(1, 0)), names(recomputed(2, 0))
    assert whole.count("matmul") == 9 + 3
    assert 9 < in_two.count("matmul") < 9 + 3


def test_the_price_says_what_runs_again():
    found = [names(recomputed(1, price)).count("matmul") for price in (CHEAP_ONLY, 8192, 64, 0)]
    assert found == [9, 9, 12, 12]


def test_copies_know_their_sweep_and_where_they_come_from():
    function = recomputed(1, 0)
    order = list(function.body.operations)
    begin = next(i for i, op in enumerate(order) if op.loc.is_adjoint)
    assert begin == 9 and all(op.loc.is_adjoint for op in order[begin:])
    assert all(op.loc.file == "net.py" for op in order)


def test_a_program_without_a_backward_sweep_stays_as_it_is():
    function = build_function(chain, [f64[4, 8], f64[8, 8]])
    before = names(function)
    run_passes(function, [Recompute(4, 0)])
    assert names(function) == before and choice(function, 4, 0) == []


def test_what_may_fail_or_is_a_result_runs_once():
    def run(x, i):
        picked = p.gather(x, i)
        total = p.exp(x)
        return total, p.mul(picked, picked), p.mul(total, total)

    function = two_sweeps(build_function(run, [f64[8], i32[3]]), 2)
    run_passes(function, [Recompute(1, 0)])
    assert names(function).count("gather") == 1 and names(function).count("exp") == 1


@pytest.mark.parametrize("seed", range(60))
def test_numbers_of_any_program_stay_the_same(seed):
    function, inputs = random_function(seed)
    run_passes(function, READY)
    count = len(function.body.operations)
    two_sweeps(function, count * (seed % 3 + 1) // 4)
    with contextlib.redirect_stdout(io.StringIO()):
        expected = evaluate(function, copies(inputs))
        for segments, price in ((1, CHEAP_ONLY), (1, 0), (3, 0), (5, 16)):
            changed = clone(function)
            run_passes(changed, [Recompute(segments, price)])
            found = evaluate(changed, copies(inputs))
            assert all(map(same, found, expected)), (segments, price)
