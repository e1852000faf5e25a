"""Are loops that write linear, is emission quick, and is memory given back as soon as it can be?

Times are those of the processor, the best of several, and the bounds are wide: they tell linear
from quadratic, not fast from slow.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.numpy import build, kernel
from s2sad.backends.numpy.kernel import overwrite
from s2sad.ir.builder import build_function
from s2sad.ir.types import bool_, f64, i64

WIDTH = 32


def best(run: Callable[[], Any], repeats: int = 5) -> float:
    """Least processor time of a few runs, in seconds."""
    gc.collect()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


# ---- loops that write --------------------------------------------------------------------------


def zero() -> Any:
    return p.const(0, i64)


def adds(acc, i, row):
    return p.index_add(acc, i, row)


def replaces(acc, i, row):
    return p.index_update(acc, i, row)


def updates(acc, i, row):
    return p.update(acc, p.reshape(row, shape=(1, WIDTH)), i, zero())


def updates_by_adding(acc, i, row):
    return p.update_add(acc, p.reshape(row, shape=(1, WIDTH)), i, zero())


def adds_or_not(acc, i, row):
    large = p.greater(p.reduce_sum(row), p.const(0.0, f64))
    return p.if_(large, then=lambda: p.index_add(acc, i, row), orelse=lambda: acc)


def counted(turn, start, rows, n):
    def body(i, acc):
        return turn(acc, i, p.gather(rows, i))

    return p.for_(zero(), n, p.const(1, i64), start, body=body)


def while_counted(turn, start, rows, n):
    def body(i, acc):
        return p.add(i, 1), turn(acc, i, p.gather(rows, i))

    return p.while_(zero(), start, condition=lambda i, acc: p.less(i, n), body=body)[1]


def within_a_loop(turn, start, rows, n):
    def outer(j, acc):
        def inner(i, acc):
            place = p.add(p.mul(j, 64), i)
            return turn(acc, place, p.gather(rows, place))

        return p.for_(zero(), p.const(64, i64), p.const(1, i64), acc, body=inner)

    return p.for_(zero(), p.floor_div(n, 64), p.const(1, i64), start, body=outer)


STARTS: dict[str, Callable[[Any], Any]] = {
    "zeros": p.zeros_like,
    "fresh": lambda x: p.mul(x, 0.5),
    "an input": lambda x: x,
}


CASES = [
    (loop, turn, start)
    for loop in (counted, while_counted, within_a_loop)
    for turn in (adds, replaces, updates, updates_by_adding, adds_or_not)
    for start in STARTS
]


def program_of(loop, turn, start, n: int) -> Any:
    def run(x, rows, count):
        return loop(turn, STARTS[start](x), rows, count)

    program = build(build_function(run, [f64[n, WIDTH], f64[n, WIDTH], i64]))
    assert program.source.count("_in_place(") == 1, program.source
    return program


def inputs_of(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=(n, WIDTH)), rng.normal(size=(n, WIDTH)), np.array(n)]


@pytest.mark.parametrize(("loop", "turn", "start"), CASES)
def test_a_loop_that_writes_rows_copies_once_at_most(loop, turn, start, monkeypatch):
    writes = []

    def spied(write, compute, target, *rest, **attrs):
        found = overwrite(write, compute, target, *rest, **attrs)
        writes.append(found is target)
        return found

    monkeypatch.setattr(kernel, "overwrite", spied)
    program_of(loop, turn, start, 128).run(inputs_of(128))
    assert len(writes) > 30
    assert writes.count(False) == (start != "fresh")
    assert all(writes[1:])


@pytest.mark.parametrize(
    ("turn", "start"),
    [(adds, "zeros"), (adds, "fresh"), (updates, "zeros"), (adds_or_not, "an input")],
)
def test_a_loop_that_writes_rows_is_linear(turn, start):
    runs = []
    for n in (1024, 2048):
        program, inputs = program_of(counted, turn, start, n), inputs_of(n)
        runs.append(lambda program=program, inputs=inputs: program.run(inputs))
    # In turn: what else the machine does slows both.
    times = [[best(run, 1) for run in runs] for _ in range(4)]
    short, long = map(min, zip(*times, strict=True))
    assert long < 2.5 * short, f"{short:.3f} s and {long:.3f} s"


def test_a_loop_that_pushes_is_linear():
    def run(x, n):
        def body(i, x, stack):
            x = p.add(x, 1.0)
            return x, p.stack_push(stack, x)

        return p.for_(zero(), n, p.const(1, i64), x, p.stack_empty(of=f64[WIDTH]), body=body)

    program = build(build_function(run, [f64[WIDTH], i64]))
    short, long = (
        best(lambda n=n: program.run([np.zeros(WIDTH), np.array(n)])) for n in (8192, 16384)
    )
    assert long < 2.5 * short, f"{short:.3f} s and {long:.3f} s"


# ---- emission and overhead -----------------------------------------------------------------------


def test_20000_operations_are_emitted_in_seconds():
    def run(x, y):
        for i in range(20_000):
            x = (p.add, p.mul, p.sub, p.maximum)[i % 4](x, y)
        return x

    function = build_function(run, [f64[4], f64[4]])
    assert best(lambda: build(function), 1) < 3.0


def test_many_writes_are_emitted_in_seconds():
    def run(x, y):
        for i in range(5_000):
            part = p.slice(x, start=(0,), stop=(2,))
            x = p.update(p.reshape(x, shape=(4,)), p.mul(part, 2.0), p.const(i % 3, i64))
        return x

    function = build_function(run, [f64[4], f64[4]])
    assert best(lambda: build(function), 1) < 3.0


def test_an_operation_costs_little_more_than_in_numpy():
    def run(x, y):
        for _ in range(1000):
            x = p.add(x, y)
        return x

    program = build(build_function(run, [f64[4], f64[4]]))
    x, y = np.zeros(4), np.ones(4)

    def plain() -> None:
        z = x
        with np.errstate(all="ignore"):
            for _ in range(1000):
                z = np.add(z, y)

    extra = best(lambda: program.run([x, y]), 20) - best(plain, 20)
    assert extra / 1000 < 1.5e-6, f"{extra * 1e3:.2f} us an operation"


# ---- memory --------------------------------------------------------------------------------------

MIB = 2**20
BIG = f64[MIB // 8]


def peak(run, *types, inputs) -> float:
    """Most memory that a run takes beyond its inputs, in MiB."""
    program = build(build_function(run, types))
    gc.collect()
    tracemalloc.start()
    try:
        program.run(inputs)
        return tracemalloc.get_traced_memory()[1] / MIB
    finally:
        tracemalloc.stop()


def big() -> np.ndarray:
    return np.ones(MIB // 8)


def test_a_chain_needs_two_arrays():
    def run(x):
        for _ in range(20):
            x = p.add(x, 1.0)
        return x

    assert peak(run, BIG, inputs=[big()]) < 2.2


def test_peak_memory_follows_liveness():
    def run(x):
        kept = p.neg(x)
        for _ in range(10):
            x = p.add(x, 1.0)
        y = p.add(x, kept)
        for _ in range(10):
            y = p.mul(y, 0.5)
        return y

    function = build_function(run, [BIG])
    report = build(function).memory_report()
    expected = (report.peak - report.inputs - report.constants) / MIB
    assert expected == 3
    assert peak(run, BIG, inputs=[big()]) < expected + 0.2


def test_a_view_is_let_go_with_its_base():
    def run(x):
        for _ in range(10):
            x = p.reshape(p.transpose(p.reshape(p.add(x, 1.0), shape=(-1, 2))), shape=x.shape)
        return x

    assert peak(run, BIG, inputs=[big()]) < 3.2


def test_a_loop_keeps_what_it_carries_and_one_turn():
    def run(x, n):
        def body(i, acc):
            for _ in range(6):
                acc = p.add(acc, 1.0)
            return acc

        y = p.for_(zero(), n, p.const(1, i64), p.neg(x), body=body)
        for _ in range(3):
            y = p.mul(y, 0.5)
        return y

    assert peak(run, BIG, i64, inputs=[big(), np.array(4)]) < 2.2


def test_a_condition_and_a_branch_let_go_too():
    def run(x, n, condition):
        def side():
            y = p.add(x, 1.0)
            for _ in range(6):
                y = p.mul(y, 0.5)
            return y

        def turn(i, acc):
            return p.add(i, 1), p.add(p.mul(acc, 0.5), 1.0)

        y = p.if_(condition, then=side, orelse=side)
        _, y = p.while_(zero(), y, condition=lambda i, acc: p.less(i, n), body=turn)
        return p.if_(condition, then=lambda: p.neg(p.neg(y)), orelse=lambda: y)

    inputs = [big(), np.array(3), np.array(True)]
    # While the last branch runs, y and two more are alive: what lies outside is let go behind it.
    assert peak(run, BIG, i64, bool_, inputs=inputs) < 3.2


def test_an_accumulator_is_not_copied():
    def run(x, n):
        acc = p.neg(x)
        row = p.const(1.0, f64)
        return p.for_(zero(), n, p.const(1, i64), acc, body=lambda i, acc: p.index_add(acc, i, row))

    assert peak(run, BIG, i64, inputs=[big(), np.array(50)]) < 1.2


def test_small_arrays_are_not_worth_a_statement():
    source = build(build_function(lambda x: p.neg(p.neg(x)), [f64[8000]])).source
    assert "del" not in source
