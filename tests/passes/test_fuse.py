"""Are those operations put together that one nest of loops computes, and no others?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import bool_, f32, f64, i64
from s2sad.passes.base import run_passes
from s2sad.passes.fuse import Fuse
from support.differential import same
from support.fuzz import READY, Written


def fused(run, *types, max_ops: int = 64) -> Function:
    function = build_function(run, types)
    run_passes(function, [Fuse(max_ops)])
    return function


def groups(function: Function) -> list[str]:
    """Names of the operations of each group, in order."""
    return [
        " ".join(op.prim.name for op in operation.regions["body"].operations if op.operands)
        for operation in function.walk()
        if operation.prim.name == "fused"
    ]


def names(function: Function) -> list[str]:
    return [op.prim.name for op in function.body.operations if op.prim.name != "const"]


def test_a_chain_is_one_group():
    function = fused(lambda x, y: p.tanh(p.add(p.mul(x, y), 1.0)), f64[3], f64[3])
    assert groups(function) == ["mul add tanh"] and names(function) == ["fused"]


def test_one_operation_stays_alone():
    assert names(fused(lambda x: p.neg(x), f64[3])) == ["neg"]


def test_a_value_that_others_read_too_is_a_result():
    function = fused(lambda x: [y := p.neg(x), p.mul(y, y)], f64[3])
    (operation,) = [op for op in function.walk() if op.prim.name == "fused"]
    assert len(operation.results) == 2 and names(function) == ["fused"]


def test_constants_of_one_number_go_inside():
    function = fused(lambda x: p.mul(p.add(x, 1.0), np.float64(2.0)), f64[3])
    assert names(function) == ["fused"] and len(function.body.operations) == 1


def test_parts_of_a_split_are_read_as_they_lie():
    def run(x):
        a, b, c = p.split(x, sizes=(2, 1, 3), axis=1)
        return p.mul(p.exp(a), b), p.neg(c)

    function = fused(run, f64[4, 6])
    assert groups(function) == ["slice slice exp mul", "slice neg"]
    assert names(function) == ["fused", "fused"]
    x = np.random.default_rng(0).normal(size=(4, 6))
    found = evaluate(function, [x])
    assert same(found[0], np.exp(x[:, :2]) * x[:, 2:3]) and same(found[1], -x[:, 3:])


def test_a_split_stays_whose_parts_others_read():
    def run(x):
        a, b = p.split(x, sizes=(3, 3), axis=1)
        return p.cumsum(a, axis=0), p.neg(p.exp(b))

    assert "split" in names(fused(run, f64[4, 6]))


def test_nothing_that_must_run_between_is_passed_by():
    def run(x):
        y = p.neg(x)
        z = p.cumsum(y, axis=0)  # no part of a loop
        return p.add(p.mul(y, y), z)

    function = fused(run, f64[3])
    x = np.arange(3.0)
    assert same(evaluate(function, [x])[0], x * x + np.cumsum(-x))
    assert names(function).count("cumsum") == 1


def test_other_spaces_stay_apart():
    function = fused(lambda x, y: (p.neg(p.abs(x)), p.neg(p.abs(y))), f64[3], f64[4])
    assert groups(function) == ["abs neg", "abs neg"]


def test_a_row_is_reduced_with_what_it_is_made_of():
    def run(x):
        return p.reduce_sum(p.mul(x, x), axis=(1,))

    assert groups(fused(run, f32[4, 5])) == ["mul reduce_sum"]


def test_products_take_what_is_done_to_their_blocks():
    def run(x, w, b):
        return p.maximum(p.add(p.matmul(x, w), b), 0.0)

    assert groups(fused(run, f32[4, 5], f32[5, 6], f32[6])) == ["matmul add maximum"]


def test_nothing_expensive_is_computed_twice():
    def run(x, y):
        return p.add(p.broadcast_to(p.exp(x), shape=(50, 60)), y)

    function = fused(run, f64[60], f64[50, 60])
    assert "exp" in names(function)


def test_what_may_fail_stays_alone():
    function = fused(lambda x, i: p.neg(p.gather(p.abs(x), i)), f64[3, 4], i64)
    assert "gather" in names(function)


def test_groups_have_a_size():
    def run(x):
        for _ in range(20):
            x = p.sin(x)
        return x

    assert [len(group.split()) for group in groups(fused(run, f64[3], max_ops=8))] == [8, 8, 4]


def test_large_groups_join_as_wholes():
    def run(x):
        for _ in range(150):
            x = p.mul(p.tanh(x), x)
        return x

    found = [len(group.split()) for group in groups(fused(run, f64[3], max_ops=256))]
    assert found == [256, 44]


def test_bodies_of_loops_and_branches():
    def run(x, c):
        y = p.for_(0, 3, 1, x, body=lambda i, y: p.neg(p.sin(y)))
        return p.if_(c, then=lambda: p.neg(p.cos(y)), orelse=lambda: y)

    assert groups(fused(run, f64[3], bool_)) == ["sin neg", "cos neg"]


def test_what_nobody_reads_is_left_alone():
    def run(x):
        p.mul(p.neg(x), p.abs(x))
        return p.exp(x)

    function = fused(run, f64[3])
    assert same(evaluate(function, [np.zeros(3)])[0], np.ones(3))


@pytest.mark.parametrize("part", range(4))
def test_results_stay(part):
    for seed in range(40 * part, 40 * part + 40):
        written = Written.of_seed(seed)
        function = clone(written.function)
        run_passes(function, (*READY, Fuse()))
        again = run_passes(clone(function), [Fuse()])
        pairs = zip(
            evaluate(function, written.inputs), evaluate(written.function, written.inputs),
            strict=True,
        )  # fmt: skip
        assert all(same(*pair) for pair in pairs), seed
        assert again[0].titles.keys() <= {"copy a source"} or not again[0].changes, seed
