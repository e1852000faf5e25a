"""Do branches, loops and stacks compute the same on arrays and in programs, and refuse the same?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import as_tuple, build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import Stack, StackValue, Token, bool_, f32, f64, i32, i64, type_of
from s2sad.ir.verify import verify
from support.laws import identical

H = symbol("H")


def both(run, *operands):
    """Results of `run` on arrays, once they are those of the program that `run` writes."""
    operands = [np.asarray(x) for x in operands]
    direct = as_tuple(run(*operands))
    program = build_function(run, [type_of(x) for x in operands])
    found = evaluate(program, operands)
    assert len(direct) == len(found)
    assert all(identical(one, other) for one, other in zip(direct, found, strict=True))
    return [x.tolist() for x in found]


def codes(run, *operands):
    """Codes with which `run` is refused on arrays and while its program is built."""
    operands = [np.asarray(x) for x in operands]
    found = []
    for call in (
        lambda: run(*operands),
        lambda: build_function(run, [type_of(x) for x in operands]),
    ):
        with pytest.raises(S2sadError) as caught:
            call()
        found.append(caught.value.code)
    return found


# Branches


def test_if_takes_one_branch():
    def run(x):
        return p.if_(p.less(x, 0), then=lambda: p.neg(x), orelse=lambda: p.mul(x, 2))

    assert both(run, 3) == [6] and both(run, -3) == [3]
    assert both(run, -1.5) == [1.5]


def test_branches_give_any_number_of_results():
    def run(x):
        return p.if_(p.less(x, 0), then=lambda: (x, p.neg(x), 1.0), orelse=lambda: (x, x, 2.0))

    assert both(run, np.float64(-1)) == [-1, 1, 1]
    assert both(lambda x: p.if_(p.less(x, 0), then=lambda: (), orelse=lambda: ()) or x, 1) == [1]


def test_the_other_branch_is_not_evaluated():
    def run(x):
        return p.if_(
            p.less(x, 0), then=lambda: p.stack_pop(p.stack_empty(of=i64))[1], orelse=lambda: x
        )

    assert both(run, 1) == [1]
    with pytest.raises(S2sadError, match="E0502"):
        run(np.array(-1))


def test_a_condition_is_a_scalar_bool():
    def branch(c):
        return p.if_(c, then=lambda: 1, orelse=lambda: 2)

    assert codes(branch, 1) == ["E0304"] * 2
    assert codes(branch, [True]) == ["E0304"] * 2
    loop = lambda x: p.while_(x, condition=lambda x: x, body=lambda x: x)  # noqa: E731
    assert codes(loop, 1) == ["E0304"] * 2
    twice = lambda x: p.while_(x, condition=lambda x: (x, x), body=lambda x: x)  # noqa: E731
    assert codes(twice, True) == ["E0304"] * 2


def test_branches_of_different_types_are_refused_in_programs():
    run = lambda x: p.if_(p.less(x, 0), then=lambda: x, orelse=lambda: 1.0)  # noqa: E731
    with pytest.raises(S2sadError, match="E0306"):
        build_function(run, [i64])


# Loops


def collatz(n):
    def body(n, steps):
        half = p.if_(
            p.equal(p.mod(n, 2), 0),
            then=lambda: p.floor_div(n, 2),
            orelse=lambda: p.add(p.mul(n, 3), 1),
        )
        return half, p.add(steps, 1)

    return p.while_(n, 0, condition=lambda n, _: p.greater(n, 1), body=body)[1]


def test_while_with_a_branch_inside():
    assert both(collatz, 27) == [111]
    assert both(collatz, 1) == [0]  # no trip


def test_while_that_carries_nothing():
    never = build_function(
        lambda x: p.while_(condition=lambda: p.less(x, x), body=lambda: ()) or x, [i64]
    )
    assert evaluate(never, [np.array(1)]) == (np.array(1),)


@pytest.mark.parametrize(
    "bounds", [(0, 5, 1), (5, 0, -2), (0, 0, 1), (3, 1, 1), (1, 3, -1), (-3, 4, 3)]
)
def test_for_is_range(bounds):
    def run(start, stop, step, total):
        return p.for_(
            start, stop, step, total, 0, body=lambda i, t, n: (p.add(p.mul(t, 10), i), p.add(n, 1))
        )

    total = 0
    for i in range(*bounds):
        total = total * 10 + i
    assert both(run, *bounds, 0) == [total, len(range(*bounds))]


def test_bounds_beyond_the_range_do_not_wrap():
    most = np.iinfo(np.int64).max
    run = lambda a, b, s: p.for_(a, b, s, 0, body=lambda i, n: p.add(n, 1))  # noqa: E731
    assert both(run, most - 1, most, 2) == [1]
    assert both(run, most - 5, most, 3) == [2]


def test_step_of_zero():
    run = lambda step: p.for_(0, 5, step, 1.0, body=lambda i, x: x)  # noqa: E731
    program = build_function(run, [i64])
    for call in (lambda: run(np.array(0)), lambda: evaluate(program, [np.array(0)])):
        with pytest.raises(ValueError, match=r"E0404.*step"):
            call()


def test_bounds_are_i64():
    run = lambda stop: p.for_(0, stop, 1, 1, body=lambda i, x: x)  # noqa: E731
    assert codes(run, np.int32(3)) == ["E0304"] * 2
    assert codes(run, 3.0) == ["E0304"] * 2
    assert codes(run, [3]) == ["E0304"] * 2


def test_loops_keep_the_types_that_they_carry():
    narrows = lambda x: p.cast(x, dtype=f32)  # noqa: E731
    loop = lambda x: p.while_(x, condition=lambda x: p.less(x, 3), body=narrows)  # noqa: E731
    assert codes(loop, 1.0) == ["E0306"] * 2
    count = lambda x: p.for_(0, 2, 1, x, body=lambda i, x: (x, x))  # noqa: E731
    assert codes(count, 1.0) == ["E0306"] * 2
    grows = lambda x: p.for_(0, 2, 1, x, body=lambda i, x: p.concat(x, x, axis=0))  # noqa: E731
    assert codes(grows, [1.0]) == ["E0306"] * 2


def test_nested_loops_and_what_they_capture():
    def run(n, x):
        def outer(i, total):
            def inner(j, total):
                return p.add(total, p.mul(p.cast(p.mul(i, j), dtype=f64), x))

            return p.for_(0, p.add(i, 1), 1, total, body=inner)

        return p.for_(n, 0, -1, 0.0, body=outer)

    expected = sum(i * j * 0.5 for i in range(4, 0, -1) for j in range(i + 1))
    assert both(run, 4, 0.5) == [expected]
    assert both(run, 0, 0.5) == [0.0]


def test_results_are_arrays_also_of_no_trip():
    found = p.for_(0, 0, 1, 2.5, body=lambda i, x: x)
    assert isinstance(found, np.ndarray) and found.shape == ()


def test_regions_must_be_given_and_take_what_is_carried():
    with pytest.raises(S2sadError, match="E0302"):
        build_function(lambda x: p.while_(x, condition=lambda x: x), [bool_])
    program = build_function(lambda x: p.for_(0, 3, 1, x, body=lambda i, x: x), [f32[2]])
    (loop,) = [o for o in program.walk() if o.prim is p.for_]
    assert [v.type for v in loop.regions["body"].args] == [i64, f32[2]]


def test_tokens_and_stacks_are_carried(capsys):
    def run(token, n):
        def body(i, token, stack):
            return p.print_(token, i, format="{} "), p.stack_push(stack, p.cast(i, dtype=f64))

        return p.for_(0, n, 1, token, p.stack_empty(of=f64), body=body)

    program = build_function(run, [Token, i64])
    assert program.result_types == (Token, Stack[f64])
    _, stack = evaluate(program, [Token, np.array(3)])
    assert [x.tolist() for x in stack] == [0, 1, 2]
    assert capsys.readouterr().out == "0 1 2 "


# Stacks


def test_what_is_pushed_last_is_popped_first():
    def run(x, y):
        stack = p.stack_push(p.stack_push(p.stack_empty(of=f64[2]), x), y)
        stack, top = p.stack_pop(stack)
        return p.sub(top, p.stack_pop(stack)[1])

    assert both(run, [1.0, 2.0], [5.0, 7.0]) == [[4.0, 5.0]]


def test_stacks_have_one_type():
    empty = p.stack_empty(of=f32)
    assert isinstance(empty, StackValue) and type_of(empty) == Stack[f32]
    assert codes(lambda x: p.stack_push(p.stack_empty(of=f32[2]), x), [1.0, 2.0]) == ["E0304"] * 2
    assert codes(lambda x: p.stack_push(x, x), 1.0) == ["E0304"] * 2
    assert codes(lambda x: p.stack_pop(x), 1.0) == ["E0304"] * 2
    with pytest.raises(S2sadError, match="E0303"):
        p.stack_empty(of=3)


def test_an_empty_stack_cannot_be_popped():
    program = build_function(lambda: p.stack_pop(p.stack_empty(of=i32))[1], [])
    with pytest.raises(IndexError, match="E0502"):
        evaluate(program, [])


def test_push_and_pop_are_adjoints():
    def run(stack, dx):
        dstack, found = p.control.stack_push_adjoint(None, None, None, p.stack_push(stack, dx))
        (again,) = p.control.stack_pop_adjoint(None, (None, found), (dstack, found))
        (zero,) = p.control.stack_pop_adjoint(None, (None, found), (again, None))
        return zero

    program = build_function(run, [Stack[f64], f64])
    (stack,) = evaluate(program, [StackValue(f64), np.array(2.0)])
    assert [x.tolist() for x in stack] == [2.0, 0.0]


# Types that are spelled otherwise and equal at all sizes

ONE, OTHER = f32[(H + 2) // 2], f32[H // 2 + 1]


def test_branches_and_loops_take_equal_sizes():
    def branch(c, x, y):
        return p.if_(c, then=lambda: x, orelse=lambda: y)

    def counted(x, y):
        return p.for_(0, 3, 1, x, body=lambda i, h: y)

    def conditional(c, x, y):
        return p.while_(c, x, condition=lambda c, h: c, body=lambda c, h: (c, y))

    for program in (
        build_function(branch, [bool_, ONE, OTHER]),
        build_function(counted, [ONE, OTHER]),
        build_function(conditional, [bool_, ONE, OTHER]),
    ):
        verify(program)
        assert program.result_types[-1] == ONE
    with pytest.raises(S2sadError, match="E0306"):
        build_function(branch, [bool_, ONE, f32[H // 2 + 2]])
    with pytest.raises(S2sadError, match="E0306"):
        build_function(counted, [ONE, f32[H]])


def test_stacks_take_equal_sizes():
    program = build_function(p.stack_push, [Stack[ONE], OTHER])
    verify(program)
    assert program.result_types == (Stack[ONE],)
    with pytest.raises(S2sadError, match="E0304"):
        build_function(p.stack_push, [Stack[ONE], f32[H]])


def test_the_zero_that_is_pushed_back_may_be_of_symbolic_size():
    def run(stack, dstack):
        _, top = p.stack_pop(stack)
        return p.control.stack_pop_adjoint(None, (None, top), (dstack, None))[0]

    program = build_function(run, [Stack[f32[H]], Stack[f32[H]]])
    assert program.result_types == (Stack[f32[H]],)
