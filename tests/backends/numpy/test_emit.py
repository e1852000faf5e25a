"""Does the emitted Python compute what the plain evaluator computes, and is it to be read?"""

from __future__ import annotations

import builtins
import textwrap
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.numpy import build, emit
from s2sad.core import dtypes
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import Stack, StackValue, bf16, bool_, f16, f32, f64, i8, i64
from support.differential import differences, same
from support.random_functions import random_function


@pytest.mark.parametrize("part", range(6))
def test_random_functions(part):
    for seed in range(50 * part, 50 * part + 50):
        function, inputs = random_function(seed)
        assert differences(build(function), inputs) == [], f"seed {seed}"


def test_random_functions_that_let_go_of_everything(monkeypatch):
    monkeypatch.setattr(emit, "LARGE", 0)
    for seed in range(300, 360):
        function, inputs = random_function(seed)
        assert differences(build(function), inputs) == [], f"seed {seed}"


def check(run: Any, types: Any, inputs: Any, names: Any = ()) -> str:
    """The source of `run`, whose results are those of the plain evaluator."""
    executable = build(build_function(run, types, names=names))
    assert differences(executable, inputs) == [], executable.source
    return executable.source


def forward(x, rows, n):
    """Adds rows to a table, as many as `n` says, and looks at what has come of it."""
    table = p.mul(x, 0.5)

    def turn(i, table, seen):
        row = p.gather(rows, i)
        table = p.index_add(table, i, row)
        small = p.less(p.reduce_sum(row), p.const(1.0, f64))
        return table, p.if_(small, then=lambda: p.add(seen, 1), orelse=lambda: seen)

    table, seen = p.for_(p.const(0, i64), n, p.const(1, i64), table, p.const(0, i64), body=turn)
    return p.cast(p.transpose(table), dtype=f32), p.cumsum(table, axis=0), seen


SNAPSHOT = """\
def main(x, rows, n):
    t0 = np.multiply(x, c0)
    t1, t2 = t0, c3
    for t3 in indices(c1, n, c2):
        t4 = gather(rows, t3, axis=0)
        t5 = index_add_in_place(t1, t3, t4, axis=0)
        t6 = reduce_sum(t4, axis=(0,), keepdims=False)
        t7 = np.less(t6, c4)
        if t7:
            t9 = np.add(t2, c5)
            t8 = t9
        else:
            t8 = t2
        t1, t2 = t5, t8
    t10 = np.transpose(t1, (1, 0))
    t11 = cast(t10, dtype=float32)
    t12 = cumsum(t1, axis=0, reverse=False, exclusive=False)
    return (t11, t12, t2,)
"""


def test_what_it_looks_like():
    rng = np.random.default_rng(0)
    inputs = [rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), np.array(3)]
    source = check(forward, [f64[4, 3], f64[4, 3], i64], inputs, ["x", "rows", "n"])
    assert source == SNAPSHOT


def test_what_a_loop_begins_with_is_guarded_and_large_arrays_are_let_go():
    def run(x, n):
        t = p.neg(x)
        zero, one = p.const(0, i64), p.const(1, i64)
        row = p.reshape(p.slice(t, start=(0, 0), stop=(1, 100)), shape=(100,))
        acc = p.for_(zero, n, one, x, body=lambda i, acc: p.index_add(p.add(acc, 1.0), i, row))
        return p.for_(zero, n, one, acc, body=lambda i, acc: p.index_add(acc, i, row))

    source = check(run, [f64[100, 100], i64], [np.ones((100, 100)), np.array(2)], ["x", "n"])
    assert source == textwrap.dedent(
        """\
        def main(x, n):
            t0 = np.negative(x)
            t1 = slice(t0, start=(0, 0), stop=(1, 100), step=(1, 1))
            del t0
            t2 = np.reshape(t1, (100,))
            t3 = x
            for t4 in indices(c0, n, c1):
                t5 = np.add(t3, c2)
                del t3
                t6 = index_add_in_place(t5, t4, t2, axis=0)
                del t5
                t3 = t6
                del t6
            t7 = read_only(t3)
            del t3
            for t8 in indices(c0, n, c1):
                t9 = index_add_in_place(t7, t8, t2, axis=0)
                del t7
                t7 = t9
                del t9
            return (t7,)
        """
    )


def test_values_called_like_what_the_program_uses():
    names = ["np", "indices", "read_only", "reduce_sum", "cast", "float32", "print", "map", "range"]

    def run(*args):
        total = args[0]
        for arg in args[1:]:
            total = p.add(total, arg)
        total = p.for_(0, 2, 1, total, body=lambda i, t: p.add(t, p.cast(i, dtype=f64)))
        return p.cast(p.reduce_sum(total), dtype=f32), *args

    source = check(run, [f64[2]] * len(names), [np.ones(2) * i for i in range(len(names))], names)
    assert "np_1.add(np," in source


@pytest.mark.parametrize("hint", ["__builtins__", "__name__", "self", "lambda", "None", "x.y", "2"])
def test_any_name_will_do(hint):
    def run(x):
        y = p.mul(x, p.const(2.0, f64))
        y.name = hint
        constant = p.const(3.0, f64)
        constant.name = hint
        return p.add(y, constant)

    check(run, [f64[2]], [np.ones(2)], [hint])
    assert builtins.len is len


def test_a_function_called_like_a_primitive():
    function = build_function(lambda x: p.reduce_sum(x), [f64[3]], name="reduce_sum")
    assert differences(build(function), [np.arange(3.0)]) == []


@pytest.mark.parametrize("dtype", [bf16, f16, f32, f64], ids=str)
def test_floats_of_every_width(dtype):
    def run(x, y):
        z = p.add(p.mul(x, y), x)
        return p.reduce_sum(z, axis=0), p.less(x, y), p.where(p.less(x, y), z, y), p.matmul(x, y)

    rng = np.random.default_rng(1)
    inputs = [dtypes.narrow(rng.normal(size=(3, 3)), dtype.dtype) for _ in range(2)]
    check(run, [dtype[3, 3]] * 2, inputs)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 1)], ids=str)
def test_no_axes_and_no_elements(shape):
    type_ = f64[shape] if shape else f64

    def run(x):
        y = p.add(p.exp(x), x)
        flat = p.reshape(y, shape=(y.type.size,))
        return y, flat, p.reduce_sum(y), p.neg(p.cast(y, dtype=i8))

    check(run, [type_], [np.ones(shape)])


def test_scalars_go_through_everything_as_arrays():
    def run(x, n):
        x = p.add(x, 1.0)  # NumPy makes a scalar of it
        x = p.update(x, p.mul(x, x))
        stack = p.stack_push(p.stack_push(p.stack_empty(of=f64), x), p.sqrt(x))
        y = p.for_(0, n, 1, x, body=lambda i, y: p.update_add(y, x))
        y = p.fused(y, body=lambda z: p.update(p.add(z, z), z))
        return y, stack, p.broadcast_to(y, shape=(2,)), p.index_add(p.reshape(y, shape=(1,)), 0, x)

    check(run, [f64, i64], [np.array(3.0), np.array(2)])


def test_stacks_and_tokens_come_in_and_go_out():
    def run(stack, x):
        stack, top = p.stack_pop(stack)
        return p.stack_push(stack, p.mul(top, x)), top

    stack = StackValue(f64[2], [np.zeros(2), np.ones(2)])
    check(run, [Stack[f64[2]], f64[2]], [stack, np.array([2.0, 3.0])])


def test_branches_and_loops_without_results():
    def run(x, condition):
        p.if_(condition, then=lambda: (), orelse=lambda: ())
        p.for_(0, 2, 1, body=lambda i: ())
        p.fused(x, body=lambda y: ())
        return x

    for condition in (True, False):
        check(run, [f64[2], bool_], [np.ones(2), np.array(condition)])
    assert build(build_function(lambda: (), [])).run([]) == ()


def test_the_sides_of_a_branch_are_exchanged():
    def run(x, y, condition):
        x, y = p.if_(condition, then=lambda: (y, x), orelse=lambda: (x, y))
        return p.for_(0, 3, 1, x, y, body=lambda i, a, b: (b, a))

    for condition in (True, False):
        check(run, [f64[2]] * 2 + [bool_], [np.zeros(2), np.ones(2), np.array(condition)])


def test_a_loop_that_carries_and_captures_the_same():
    def run(x):
        y = p.for_(0, 3, 1, x, body=lambda i, acc: p.add(acc, x))
        return p.while_(
            p.const(0, i64), y, x, condition=lambda i, a, b: p.less(i, 2),
            body=lambda i, a, b: (p.add(i, 1), b, p.add(a, x)),
        )  # fmt: skip

    check(run, [f64[2]], [np.ones(2)])


@pytest.mark.parametrize("bounds", [(0, 0, 1), (5, -1, -2), (2, 9, 3), (3, 0, 1)])
def test_counted_loops(bounds):
    def run(x):
        return p.for_(*bounds, x, body=lambda i, acc: p.add(p.mul(acc, 2.0), p.cast(i, dtype=f64)))

    check(run, [f64], [np.array(1.0)])


def test_regions_within_regions():
    def run(x, y):
        def body(i, acc):
            acc = p.checkpoint(acc, y, body=lambda a, b: p.fused(a, b, body=p.mul))
            return p.if_(
                p.less(i, 1), then=lambda: acc,
                orelse=lambda: p.for_(0, 2, 1, acc, body=lambda j, z: p.add(z, y)),
            )  # fmt: skip

        return p.for_(0, 3, 1, x, body=body)

    check(run, [f64[2], f64[2]], [np.ones(2), np.array([2.0, 3.0])])


def test_attributes_without_a_literal():
    def run(x):
        y = p.full_like(x, value=float("inf"))
        z = p.full_like(x, value=-0.0)
        return y, p.full_like(x, value=float("nan")), z, p.full_like(x, value=0.0)

    source = check(run, [f64[2]], [np.ones(2)], ["x"])
    lines = [line.strip().partition(" = ")[2] for line in source.splitlines()[1:-1]]
    assert lines == [
        "full_like(x, value=inf_1, dtype=None)", "full_like(x, value=-0.0, dtype=None)",
        "full_like(x, value=nan_1, dtype=None)", "full_like(x, value=0.0, dtype=None)",
    ]  # fmt: skip


def test_types_among_attributes():
    def run(x):
        stack = p.stack_push(p.stack_empty(of=f64[2, 3]), x)
        p.stack_drop(p.stack_push(p.stack_empty(of=f64), p.reduce_sum(x)))
        return p.stack_push(stack, x)

    source = check(run, [f64[2, 3]], [np.ones((2, 3))])
    assert "stack_empty(of=f64_2_3)" in source
    assert "stack_empty(of=f64_1)" in source  # `f64` itself stays what it is in a dump


def test_one_kernel_serves_all_calls_of_its_kind():
    def run(x, y):
        for axis in (0, 1, 0):
            x = p.add(x, p.reduce_sum(x, axis=axis, keepdims=True))
        return x, p.reduce_sum(y)

    program = emit.emit(build_function(run, [f64[2, 2], bf16[2]]))
    kernels = [name for name in program.names if name.startswith("reduce_sum")]
    assert kernels == ["reduce_sum", "reduce_sum_1"]


def test_constants_are_read_only():
    array = np.zeros(3)
    function = build_function(lambda: p.add(p.const(array, f64[3]), 1.0), [])
    for operation in function.walk():
        if operation.prim is p.const and operation.result.shape:
            assert not emit.emit(function).names["c0"].flags.writeable
    (found,) = build(build_function(lambda: p.const(array, f64[3]), [])).run([])
    assert not found.flags.writeable
    assert same(found, evaluate(build_function(lambda: p.const(array, f64[3]), []), [])[0])
