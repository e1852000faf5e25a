"""Is written in place wherever that cannot be seen, and nowhere else?

Each case says how many operations may write in place, and is held to the plain evaluator bit for
bit. The random ones mix views and writes in every order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.numpy import build, emit, ownership
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import Token, TokenType, bool_, f64, i64
from s2sad.ir.verify import verify
from s2sad.prims.host import feeding
from support.aliasing import aliasing_function
from support.differential import copies, differences, same

M, ROW = f64[12, 12], f64[12]
CASES: list[Any] = []


def writes(count: int, *types: Any, guards: int = 0) -> Callable[[Any], Any]:
    """A case: a function of inputs of `types`, and how many operations write in place."""

    def add(run: Callable[..., Any]) -> Callable[..., Any]:
        CASES.append(pytest.param(run, types, count, guards, id=run.__name__))
        return run

    return add


def at(index: int) -> Any:
    return p.const(index, i64)


def times(count: int, *carried: Any, body: Callable[..., Any]) -> Any:
    return p.for_(at(0), at(count), at(1), *carried, body=body)


def made(run: Callable[..., Any], types: Any) -> Function:
    bindings = ["token:host" if t is Token else f"x{i}" for i, t in enumerate(types)]
    function = build_function(run, types, inputs=bindings)
    verify(function)
    return function


def run_inputs(function: Function) -> list[Any]:
    rng = np.random.default_rng(0)
    return [Token if isinstance(t, TokenType) else rng.normal(size=t.shape) > 0 if t == bool_
            else rng.normal(size=t.shape) for t in function.input_types]  # fmt: skip


@pytest.mark.parametrize(("run", "types", "count", "guards"), CASES)
def test_case(run, types, count, guards):
    function = made(run, types)
    executable = build(function)
    assert executable.source.count("_in_place(") == count, executable.source
    assert executable.source.count("read_only(") == guards, executable.source
    assert differences(executable, run_inputs(function)) == []


# ---- straight lines --------------------------------------------------------------------------


@writes(1, M, ROW)
def a_fresh_array(x, row):
    return p.index_add(p.add(x, x), at(0), row)


@writes(0, M, ROW)
def an_input(x, row):
    return p.index_add(x, at(0), row)


@writes(2, M, ROW)
def a_chain_copies_the_input_once(x, row):
    for i in range(3):
        x = p.index_add(x, at(i), row)
    return x


@writes(0, M, ROW)
def what_is_read_later(x, row):
    t = p.add(x, x)
    return p.add(p.index_add(t, at(0), row), t)


@writes(0, M, ROW)
def what_is_a_result_too(x, row):
    t = p.add(x, x)
    return t, p.index_add(t, at(0), row)


@writes(0, M)
def what_is_read_twice_by_the_operation(x):
    t = p.add(x, x)
    return p.update_add(t, t, at(0), at(0))


@writes(0, M, ROW)
def what_another_operand_shows(x, row):
    t = p.add(x, x)
    part = p.slice(t, start=(0, 0), stop=(2, 12))
    return p.update(t, part, at(1), at(0))


@writes(1, M)
def what_another_operand_is_a_copy_of(x):
    t = p.add(x, x)
    return p.index_add(t, at(1), p.gather(t, at(0)))


@writes(0, ROW)
def a_constant(row):
    return p.index_add(p.const(0.5, M), at(0), row)


@writes(1, ROW)
def numbers_in_a_read_only_array(row):
    return p.index_add(p.iota(dtype=f64, shape=(12, 12)), at(0), row)


@writes(0, ROW)
def a_composite_that_gives_a_constant(row):
    return p.index_add(p.zeros_like(p.broadcast_to(row, shape=(12, 12))), at(0), row)


@writes(1, ROW)
def one_row_seen_many_times(row):
    wide = p.broadcast_to(p.add(row, row), shape=(12, 12))
    return p.index_add(wide, at(0), row)


@writes(1, M, ROW)
def a_view_whose_base_is_dead(x, row):
    turned = p.reshape(p.transpose(p.add(x, x)), shape=(12, 12))
    return p.reduce_sum(p.index_add(turned, at(0), row), axis=1)


@writes(1, M, ROW)
def a_layout_that_a_new_array_would_not_have(x, row):
    return p.reduce_sum(p.index_add(p.transpose(p.add(x, x)), at(0), row), axis=1)


@writes(2, M, ROW)
def columns_keep_the_layout(x, row):
    t = p.index_add(p.add(x, x), at(3), row, axis=1)
    return p.reduce_sum(t, axis=0), p.reduce_sum(p.index_update(t, at(1), row, axis=1), axis=1)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "transpose": p.transpose,
    "reshape": lambda x: p.reshape(x, shape=(144,)),
    "slice": lambda x: p.slice(x, start=(0, 0), stop=(3, 4)),
    "flip": lambda x: p.flip(x, axis=0),
    "broadcast_to": lambda x: p.broadcast_to(x, shape=(2, 12, 12)),
    "split": lambda x: p.split(x, axis=0, sizes=(4, 8))[1],
    "stop_gradient": p.stop_gradient,
    "cast": lambda x: p.cast(x, dtype=f64),
    "bitcast": lambda x: p.bitcast(x, dtype=i64),
    "a composite": lambda x: p.expand_dims(x, axis=0),
    "a view of a view": lambda x: p.flip(p.transpose(x), axis=1),
    "a region": lambda x: p.fused(x, body=lambda y: y),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("alive", [False, True])
def test_a_view_protects_its_base_while_it_lives(view, alive):
    def run(x, row):
        t = p.add(x, x)
        seen = view(t)
        part = p.reduce_sum(p.cast(seen, dtype=f64))
        t = p.index_add(t, at(0), p.mul(row, part))
        return (t, seen) if alive else t

    function = build_function(run, [M, ROW])
    executable = build(function)
    assert ("_in_place(" in executable.source) is not alive, executable.source
    assert differences(executable, run_inputs(function)) == []


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_base_protects_its_view_while_it_lives(view):
    def run(x):
        t = p.add(x, x)
        seen = p.cast(view(t), dtype=f64)
        row = p.slice(seen, start=(0,) * seen.ndim, stop=(1, *seen.shape[1:]))
        return p.update(seen, p.mul(row, 2.0), *[at(0)] * seen.ndim), t

    function = build_function(run, [M])
    executable = build(function)
    bits = "bitcast" in executable.source  # there `cast` makes an array
    assert ("_in_place(" in executable.source) is bits, executable.source
    assert differences(executable, run_inputs(function)) == []


@writes(0, M, ROW)
def what_a_stack_holds(x, row):
    t = p.add(x, x)
    stack = p.stack_push(p.stack_empty(of=M), t)
    return p.index_add(t, at(0), row), stack


@writes(0, M, ROW)
def a_view_of_what_a_stack_holds(x, row):
    t = p.add(x, x)
    stack = p.stack_push(p.stack_empty(of=M), t)
    return p.index_add(p.flip(t, axis=0), at(0), row), stack


@writes(1, M, ROW)
def what_goes_on_a_stack_afterwards(x, row):
    return p.stack_push(p.stack_empty(of=M), p.index_add(p.add(x, x), at(0), row))


@writes(0, M, ROW)
def what_comes_from_a_stack(x, row):
    t = p.add(x, x)
    stack = p.stack_push(p.stack_push(p.stack_empty(of=M), t), t)
    stack, top = p.stack_pop(stack)
    return p.index_add(top, at(0), row), stack


@writes(1, Token, M, ROW)
def what_is_printed(token, x, row):
    t = p.add(x, x)
    token = p.print_(token, t, format="{}")
    return token, p.index_add(t, at(0), row)


def test_what_a_queue_gives_belongs_to_its_feeder():
    def run(token, row):
        token, x = p.queue_read(token, types=(M,), queue="rows")
        return token, p.index_add(x, at(0), row)

    item, row = np.zeros((12, 12)), np.ones(12)
    executable = build(build_function(run, [Token, ROW]))
    with feeding("rows", [item, item]):
        for _ in range(2):
            _, found = executable.run([Token, row])
            assert found.sum() == 12
    assert not item.any()


# ---- branches --------------------------------------------------------------------------------


@writes(1, M, ROW, bool_)
def a_branch_writes_into_what_is_dead_afterwards(x, row, condition):
    t = p.add(x, x)
    return p.if_(condition, then=lambda: p.index_add(t, at(0), row), orelse=lambda: t)


@writes(0, M, ROW, bool_)
def a_branch_spares_what_lives_on(x, row, condition):
    t = p.add(x, x)
    return p.if_(condition, then=lambda: p.index_add(t, at(0), row), orelse=lambda: x), t


@writes(2, M, ROW, bool_)
def each_branch_is_on_its_own(x, row, condition):
    t = p.add(x, x)

    def orelse():
        part = p.gather(t, at(1))
        return p.index_add(t, at(2), part)

    return p.if_(condition, then=lambda: p.index_add(t, at(0), row), orelse=orelse)


@writes(1, M, ROW, bool_)
def what_a_branch_reads_itself(x, row, condition):
    t = p.add(x, x)

    def then():
        y = p.index_add(t, at(0), row)  # t is read below
        return p.index_add(p.add(y, t), at(1), row)

    return p.if_(condition, then=then, orelse=lambda: t)


@writes(1, M, ROW, bool_)
def branches_within_branches(x, row, condition):
    t = p.add(x, x)

    def inner():
        return p.if_(condition, then=lambda: p.index_add(t, at(0), row), orelse=lambda: t)

    return p.if_(condition, then=inner, orelse=lambda: p.neg(t))


@writes(0, M, ROW, bool_)
def a_branch_within_a_branch_spares_what_the_outer_one_reads(x, row, condition):
    t = p.add(x, x)

    def then():
        y = p.if_(condition, then=lambda: p.index_add(t, at(0), row), orelse=lambda: x)
        return p.add(y, t)

    return p.if_(condition, then=then, orelse=lambda: t)


@writes(0, M, ROW, bool_)
def two_results_that_may_be_one(x, row, condition):
    def then():
        t = p.add(x, x)
        return t, t

    a, b = p.if_(condition, then=then, orelse=lambda: (p.neg(x), p.neg(x)))
    return p.index_add(a, at(0), row), b


@writes(1, M, ROW, bool_)
def a_result_of_fresh_arrays(x, row, condition):
    t = p.if_(condition, then=lambda: p.neg(x), orelse=lambda: p.add(x, x))
    return p.index_add(t, at(0), row)


@writes(1, M, ROW, bool_)
def a_result_that_may_be_a_constant(x, row, condition):
    t = p.if_(condition, then=lambda: p.neg(x), orelse=lambda: p.const(1.0, M))
    return p.index_add(t, at(0), row)


@writes(0, M, ROW, bool_)
def a_result_that_may_be_an_input(x, row, condition):
    t = p.if_(condition, then=lambda: p.neg(x), orelse=lambda: x)
    return p.index_add(t, at(0), row)


@writes(0, M, ROW, bool_)
def what_a_branch_has_pushed(x, row, condition):
    t, stack = p.add(x, x), p.stack_empty(of=M)
    stack = p.if_(condition, then=lambda: p.stack_push(stack, t), orelse=lambda: stack)
    return p.index_add(t, at(0), row), stack


@writes(0, M, ROW, bool_)
def what_may_be_one_of_many(x, row, condition):
    kept = [p.mul(x, float(i)) for i in range(20)]
    t = kept[0]
    for other in kept[1:]:
        t = p.if_(condition, then=lambda t=t: t, orelse=lambda other=other: other)
    return p.index_add(t, at(0), row), p.index_add(kept[0], at(0), row), t


# ---- loops -----------------------------------------------------------------------------------


@writes(1, M, ROW)
def an_accumulator(x, row):
    return times(3, p.neg(x), body=lambda i, acc: p.index_add(acc, i, row))


@writes(1, ROW)
def an_accumulator_that_begins_as_a_constant(row):
    return times(3, p.const(0.0, M), body=lambda i, acc: p.index_add(acc, i, row))


@writes(1, M, ROW, guards=1)
def an_accumulator_that_begins_as_an_input(x, row):
    return times(3, x, body=lambda i, acc: p.index_add(acc, i, row))


@writes(1, M, ROW, guards=1)
def what_it_begins_with_is_used_afterwards(x, row):
    t = p.neg(x)
    return times(3, t, body=lambda i, acc: p.index_add(acc, i, row)), t


@writes(1, M, ROW, guards=1)
def what_it_begins_with_is_read_in_the_loop(x, row):
    t = p.neg(x)
    return times(3, t, body=lambda i, acc: p.index_add(acc, i, p.gather(t, at(0))))


@writes(1, M, ROW, guards=1)
def what_it_begins_with_has_a_view(x, row):
    t = p.neg(x)
    seen = p.flip(t, axis=0)
    return times(3, t, body=lambda i, acc: p.index_add(acc, i, p.gather(seen, at(0))))


@writes(1, M, ROW, guards=1)
def one_value_in_two_places(x, row):
    t = p.neg(x)
    return times(3, t, t, body=lambda i, a, b: (p.index_add(a, i, row), p.add(b, 1.0)))


@writes(1, M, ROW)
def places_that_are_exchanged(x, row):
    return times(3, p.neg(x), p.add(x, x), body=lambda i, a, b: (b, p.index_add(a, i, row)))


@writes(1, M, ROW, guards=1)
def exchanged_and_one_is_used_afterwards(x, row):
    t = p.neg(x)
    return *times(3, t, p.add(x, x), body=lambda i, a, b: (b, p.index_add(a, i, row))), t


@writes(0, M, ROW)
def one_result_of_a_turn_in_two_places(x, row):
    def body(i, a, b):
        t = p.index_add(a, i, row)
        return t, t

    return times(3, p.neg(x), p.add(x, x), body=body)


@writes(0, M, ROW)
def a_result_of_a_turn_and_its_view(x, row):
    def body(i, a, b):
        t = p.index_add(a, i, row)
        return t, p.transpose(t)

    return times(3, p.neg(x), p.add(x, x), body=body)


@writes(1, M, ROW)
def what_another_place_has_been(x, row):
    def body(i, a, b):
        return p.index_add(p.add(a, b), i, row), a

    return times(3, p.neg(x), p.add(x, x), body=body)


@writes(0, M, ROW)
def what_another_place_still_is(x, row):
    return times(3, p.neg(x), p.add(x, x), body=lambda i, a, b: (p.index_add(a, i, row), a))


@writes(0, M, ROW)
def what_a_turn_pushes(x, row):
    def body(i, acc, stack):
        acc = p.index_add(acc, i, row)
        return acc, p.stack_push(stack, acc)

    return times(3, p.neg(x), p.stack_empty(of=M), body=body)


@writes(0, M, ROW)
def what_a_turn_pushes_before(x, row):
    def body(i, acc, stack):
        stack = p.stack_push(stack, acc)
        return p.index_add(acc, i, row), stack

    return times(3, p.neg(x), p.stack_empty(of=M), body=body)


@writes(0, M, ROW)
def what_a_loop_has_pushed(x, row):
    t = p.neg(x)
    stack = times(3, p.stack_empty(of=M), body=lambda i, stack: p.stack_push(stack, t))
    return p.index_add(t, at(0), row), stack


@writes(0, M, ROW)
def what_a_loop_gives_back(x, row):
    t = p.neg(x)
    seen = times(3, x, body=lambda i, y: p.flip(t, axis=0))
    return p.index_add(t, at(0), row), seen


@writes(0, M, ROW)
def what_a_loop_begins_with_and_may_give_back(x, row):
    t = p.neg(x)
    kept = times(0, t, body=lambda i, y: p.add(y, 1.0))
    return p.index_add(t, at(0), row), kept


@writes(1, M, ROW, guards=1)
def what_an_accumulator_begins_with_and_may_give_back(x, row):
    t = p.neg(x)
    kept = times(0, t, body=lambda i, acc: p.index_add(acc, i, row))
    return p.index_add(t, at(0), row), kept


@writes(0, ROW, bool_)
def two_results_of_a_loop_that_may_be_one(row, condition):
    one = p.const(1.0, M)

    def body(i, a, b):
        t = p.add(one, one)
        return t, t

    a, b = times(2, one, p.const(2.0, M), body=body)
    t = p.if_(condition, then=lambda: a, orelse=lambda: p.add(one, one))
    return p.index_add(t, at(0), row), b


@writes(0, M, ROW)
def what_a_turn_takes_from_outside(x, row):
    t = p.neg(x)
    return times(2, p.add(x, x), body=lambda i, acc: p.add(acc, p.index_add(t, i, row)))


@writes(1, M, ROW)
def what_a_turn_makes(x, row):
    return times(2, x, body=lambda i, acc: p.index_add(p.add(acc, x), i, row))


@writes(1, M, ROW)
def loops_within_loops(x, row):
    def turn(i, acc):
        return times(2, acc, body=lambda j, inner: p.index_add(inner, p.add(i, j), row))

    return times(3, p.neg(x), body=turn)


@writes(1, M, ROW, guards=1)
def an_inner_loop_begins_with_what_the_outer_one_keeps(x, row):
    def turn(i, acc):
        return p.add(acc, times(2, acc, body=lambda j, inner: p.index_add(inner, j, row)))

    return times(3, p.neg(x), body=turn)


@writes(1, M, ROW)
def a_branch_within_a_loop(x, row):
    def turn(i, acc):
        return p.if_(p.less(i, at(2)), then=lambda: p.index_add(acc, i, row), orelse=lambda: acc)

    return times(4, p.neg(x), body=turn)


@writes(2, M, ROW)
def a_branch_that_begins_anew(x, row):
    def turn(i, acc):
        acc = p.if_(p.less(i, at(2)), then=lambda: acc, orelse=lambda: p.const(0.0, M))
        acc = p.if_(p.less(i, at(3)), then=lambda: p.index_add(acc, i, row), orelse=lambda: acc)
        return p.index_add(acc, i, row)

    return times(4, p.neg(x), body=turn)


@writes(0, M, ROW)
def a_branch_that_takes_an_input(x, row):
    def turn(i, acc):
        return p.if_(p.less(i, at(2)), then=lambda: x, orelse=lambda: p.index_add(acc, i, row))

    return times(4, p.neg(x), body=turn)


@writes(0, M, ROW)
def a_branch_that_keeps_the_other_place(x, row):
    def turn(i, a, b):
        def then():
            return p.index_add(a, i, row), b

        return p.if_(p.less(i, at(2)), then=then, orelse=lambda: (a, a))

    return times(4, p.neg(x), p.add(x, x), body=turn)


@writes(1, M, ROW)
def views_on_the_way(x, row):
    def turn(i, acc):
        flat = p.reshape(acc, shape=(144,))
        return p.reshape(p.update(flat, row, i), shape=(12, 12))

    return times(4, p.neg(x), body=turn)


@writes(1, M, ROW)
def a_loop_with_a_condition(x, row):
    def condition(i, acc):
        return p.less(i, at(4))

    def body(i, acc):
        return p.add(i, at(1)), p.index_add(acc, i, row)

    return p.while_(at(0), p.neg(x), condition=condition, body=body)[1]


@writes(1, M, ROW)
def a_condition_only_reads(x, row):
    def condition(acc):
        changed = p.index_add(acc, at(0), row)  # on a copy: the body reads it too
        return p.less(p.reduce_sum(p.abs(changed)), p.const(500.0, f64))

    return p.while_(p.neg(x), condition=condition, body=lambda acc: p.index_add(acc, at(0), row))


@writes(2, M, ROW)
def several_accumulators(x, row):
    def body(i, a, b, c):
        c = p.update(c, p.reshape(row, shape=(1, 12)), i, at(0))
        return p.index_add(a, i, row), p.add(b, 1.0), c

    return times(3, p.neg(x), x, p.add(x, x), body=body)


@writes(1, M, ROW)
def a_region_with_its_own_array(x, row):
    return p.checkpoint(x, row, body=lambda y, r: p.index_add(p.neg(y), at(0), r))


@writes(0, M, ROW)
def an_argument_of_a_region(x, row):
    return p.checkpoint(p.neg(x), row, body=lambda y, r: (p.index_add(y, at(0), r), y))


# ---- donated inputs --------------------------------------------------------------------------


def donating(run: Callable[..., Any], *types: Any) -> Function:
    function = build_function(run, types)
    function.donates = {0: 0}
    verify(function)
    return function


def test_a_donated_input_is_overwritten_by_what_fails_last():
    function = donating(lambda w, row: p.index_add(w, at(0), row), M, ROW)
    executable = build(function)
    assert executable.overwrites == {0}
    w, row = run_inputs(function)
    expected = evaluate(function, copies([w, row]))
    (found,) = executable.run([w, row], given={0})
    assert found is w
    assert same(found, expected[0])


def test_it_is_not_unless_it_is_given():
    function = donating(lambda w, row: p.index_add(w, at(0), row), M, ROW)
    w, row = run_inputs(function)
    before = w.copy()
    (found,) = build(function).run([w, row])
    assert same(w, before)
    assert same(found, evaluate(function, [w, row])[0])
    assert not np.shares_memory(found, w)


def test_it_is_not_while_something_can_fail():
    def run(w, row):
        changed = p.index_add(w, at(0), row)
        return changed, p.gather(row, at(99))

    function = donating(run, M, ROW)
    executable = build(function)
    assert executable.overwrites == frozenset()
    w, row = run_inputs(function)
    before = w.copy()
    with pytest.raises(S2sadError, match="E0501"):
        executable.run([w, row], given={0})
    assert same(w, before)


def test_it_is_not_by_a_loop_that_can_fail():
    def run(w, row):
        return times(14, w, body=lambda i, acc: p.index_add(acc, i, row))

    function = donating(run, M, ROW)
    w, row = run_inputs(function)
    before = w.copy()
    with pytest.raises(S2sadError, match="E0501"):
        build(function).run([w, row], given={0})
    assert same(w, before)


def test_it_stays_as_it_is_when_the_operation_refuses():
    function = donating(lambda w, row, i: p.index_add(w, i, row), M, ROW, i64)
    w, row = np.zeros((12, 12)), np.ones(12)
    with pytest.raises(S2sadError, match="E0501"):
        build(function).run([w, row, np.array(12)], given={0})
    assert not w.any()


def test_other_inputs_in_its_memory_are_copied_first():
    def run(w, other, row):
        return p.index_add(w, at(0), row), p.flip(other, axis=0)

    function = donating(run, M, M, ROW)
    w, _, row = run_inputs(function)
    expected = evaluate(function, [w.copy(), w.T.copy(), w[3].copy()])
    found = build(function).run([w, w.T, w[3]], given={0})
    assert all(map(same, found, expected))


def test_a_read_only_one_is_copied():
    function = donating(lambda w, row: p.index_add(w, at(0), row), M, ROW)
    w, row = run_inputs(function)
    w.flags.writeable = False
    (found,) = build(function).run([w, row], given={0})
    assert found is not w
    assert same(found, evaluate(function, [w, row])[0])


def test_donated_inputs_that_are_not_written_are_not_claimed():
    executable = build(donating(lambda w: p.mul(w, 0.5), M))
    assert executable.overwrites == frozenset()


# ---- random programs -------------------------------------------------------------------------


def test_random_programs():
    written = guarded = 0
    for seed in range(250):
        function, inputs = aliasing_function(seed)
        executable = build(function)
        assert differences(executable, inputs) == [], f"seed {seed}"
        written += executable.source.count("_in_place(")
        guarded += executable.source.count("read_only(")
    assert written > 200
    assert guarded > 30


def test_random_programs_are_valid():
    for seed in range(60):
        verify(aliasing_function(seed)[0])


def is_read_here(self, value):
    level = self.levels[-1]
    return level.last.get(value, -1) > level.place


def _wrong_programs(seeds: range) -> list[int]:
    found = []
    for seed in seeds:
        function, inputs = aliasing_function(seed)
        if differences(build(function), inputs):
            found.append(seed)
    return found


@pytest.mark.parametrize(
    ("name", "careless"),
    [
        ("_is_alive", lambda self, value: False),
        ("_is_alive", is_read_here),
        ("_is_free", lambda self, value, *_: value in self.memory and not self._is_alive(value)),
        ("_hold", lambda self, value, buffers: self.memory.update({value: buffers})),
    ],
    ids=["all is dead", "outer reads do not count", "views do not count", "holders do not count"],
)
def test_random_programs_notice_a_careless_analysis(name, careless, monkeypatch):
    monkeypatch.setattr(ownership._Scope, name, careless)
    assert _wrong_programs(range(60))


def test_arrays_are_let_go_after_their_last_use_only(monkeypatch):
    monkeypatch.setattr(emit, "LARGE", 0)
    assert _wrong_programs(range(1000, 1100)) == []


def test_the_analysis_is_linear_for_many_branches_and_loops():
    def run(x, row, condition):
        for i in range(300):
            x = p.if_(condition, then=lambda x=x: p.index_add(x, at(0), row), orelse=lambda x=x: x)
            x = times(2, x, body=lambda j, acc: p.index_add(acc, j, row))
            x = p.add(x, 1.0) if i % 3 == 0 else x
        return x

    function = build_function(run, [M, ROW, bool_])
    found = ownership.ownership(function)
    assert len(found.in_place) > 300
    assert differences(build(function), run_inputs(function)) == []
