"""Is what is cheap computed again by each group that reads it, where that saves memory traffic?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import f32
from s2sad.passes.base import run_passes
from s2sad.passes.fuse import Fuse
from support.differential import same

LARGE, SMALL = f32[64, 8192], f32[64, 256]


def fused(run, *types) -> Function:
    """The program after fusion; it gives what it gave before."""
    function = build_function(run, types)
    before = clone(function)
    run_passes(function, [Fuse()])
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=t.shape).astype(np.float32) for t in types]
    for found, wanted in zip(evaluate(function, inputs), evaluate(before, inputs), strict=True):
        assert same(found, wanted)
    return function


def groups(function: Function) -> list[str]:
    return [
        " ".join(op.prim.name for op in operation.regions["body"].operations if op.operands)
        for operation in function.walk()
        if operation.prim.name == "fused"
    ]


def sum_rows(x):
    return p.reduce_sum(x, axis=(1,), keepdims=True)


def normalized(x):
    """Each row less its mean, over the root of the sum of squares of that."""
    centered = p.sub(x, p.mul(sum_rows(x), 2.0**-13))
    return p.mul(centered, p.rsqrt(sum_rows(p.mul(centered, centered))))


def test_what_is_made_of_one_array_is_made_by_each_reader():
    function = fused(normalized, LARGE)
    assert groups(function) == ["reduce_sum mul", "sub mul reduce_sum rsqrt", "sub mul"]
    large = [v for op in function.body.operations for v in op.results if v.ndim and v.shape[1] > 1]
    assert large == list(function.results)


def test_chains_are_made_again_as_a_whole():
    def run(x, dy):
        y = normalized(x)
        return p.mul(p.sub(dy, p.mul(y, sum_rows(p.mul(dy, y)))), 3.0)

    assert groups(fused(run, LARGE, LARGE))[2:] == [
        "sub mul mul reduce_sum", "sub mul mul sub mul",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        (lambda x: [y := p.sub(x, 1.0), p.div(y, sum_rows(y))], LARGE),  # a result is stored
        (lambda x: p.div(y := p.exp(x), sum_rows(y)), LARGE),  # expensive
        (lambda x: p.div(y := p.mul(p.exp(x), 3.0), sum_rows(y)), LARGE),  # of what is
    ],
)
def test_what_is_stored_or_expensive_is_not(run, kind):
    function = fused(run, kind)
    names = [op.prim.name for op in function.walk()]
    assert names.count("exp") <= 1 and names.count("sub") <= 1


def test_small_arrays_stay_in_caches():
    small = groups(fused(lambda x: p.div(y := p.sub(x, 1.0), p.reduce_sum(y, axis=(0, 1))), SMALL))
    assert " ".join(small).count("sub") == 1


def test_reductions_of_one_array_are_taken_together():
    def run(x):
        return sum_rows(x), sum_rows(p.mul(x, x)), sum_rows(p.mul(x, 2.0))

    assert groups(fused(run, LARGE)) == ["reduce_sum mul reduce_sum mul reduce_sum"]
    assert len(groups(fused(run, SMALL))) == 2


def test_reductions_over_other_axes_or_one_after_the_other_are_not():
    def run(x):
        first = sum_rows(p.mul(x, x))
        other = p.reduce_sum(p.neg(x), axis=(0,), keepdims=True)
        return other, sum_rows(p.mul(x, first))

    assert len(groups(fused(run, LARGE))) == 3
