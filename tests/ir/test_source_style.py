"""Is the source style readable, does it read back, and does it run to the same bits?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import dtypes, location
from s2sad.core.diagnostics import S2sadError
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.compare import difference
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.printer import print_text
from s2sad.ir.reader import read_text
from s2sad.ir.types import TensorType, bf16, bool_, f16, f32, f64, i32, i64
from support.dumps import one_nan, run_plainly


def source(function: Function) -> str:
    """The function's source, which reads back as the same and prints again as the same bytes."""
    text = print_text(function, style="source")
    again = read_text(text, p.ALL)
    assert difference(function, again) is None
    assert print_text(again, style="source") == text
    return text


def body(run, *types, names=()) -> str:
    """The lines within the function that `run` builds."""
    lines = source(build_function(run, types, names=names)).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("def "))
    return "\n".join(line[4:] for line in lines[start + 1 :])


# ---- what is folded ------------------------------------------------------------------------


def test_expressions():
    def run(x, w):
        return p.mul(p.tanh(p.add(p.matmul(x, w), 1.0)), p.neg(x))

    assert body(run, f32[4, 4], f32[4, 4], names="xw") == "return p.tanh(x @ w + 1.0) * -x"


def test_only_parameters_have_types():
    text = source(build_function(lambda x: p.exp(x), [f32[2]], names=["x"]))
    assert text.endswith("def main(x: f32[2]):\n    return p.exp(x)\n")


def test_a_name_of_the_user_keeps_its_line():
    def run(x):
        hidden = p.exp(x)
        hidden.name = "hidden"
        return p.sin(hidden)

    assert body(run, f32, names="x") == "hidden = p.exp(x)\nreturn p.sin(hidden)"


def test_what_is_used_twice_has_a_line():
    def run(x):
        y = p.exp(x)
        return p.sub(y, p.sin(y))

    assert body(run, f32, names="x") == "t0 = p.exp(x)\nreturn t0 - p.sin(t0)"


def test_the_order_of_operations_stays():
    def run(x):
        a = p.exp(x)
        b = p.sin(x)
        return p.sub(b, a)

    assert body(run, f32, names="x") == "t0 = p.exp(x)\nreturn p.sin(x) - t0"


def test_what_waits_is_written_before_a_statement():
    def run(x):
        a = p.exp(x)
        b = p.sin(x)
        b.name = "b"
        return p.sub(a, b)

    assert body(run, f32, names="x") == "t0 = p.exp(x)\nb = p.sin(x)\nreturn t0 - b"


def test_nothing_moves_into_a_region():
    def run(x, c):
        y = p.exp(x)
        return p.if_(c, then=lambda: p.sin(y), orelse=lambda: x)

    assert body(run, f32, bool_, names="xc") == (
        "t0 = p.exp(x)\nif c:\n    t1 = p.sin(t0)\nelse:\n    t1 = x\nreturn t1"
    )


def test_lines_are_not_too_long():
    def run(x):
        for _ in range(40):
            x = p.logical_xor(p.equal(x, x), p.equal(x, x))
        return x

    lines = body(run, bool_, names="x").splitlines()
    assert len(lines) > 2 and max(map(len, lines)) <= 96

    def deep(x):
        for _ in range(60):
            x = p.exp(x)
        return x

    assert max(map(len, body(deep, f32, names="x").splitlines())) <= 96


def test_locations_of_lines_of_the_user():
    def at(line, column):
        return location.origin(Location("net.py", line, column), "net:Net")

    def run(x):
        with at(3, 8):
            y = p.exp(x)
        with at(3, 4):
            y = p.sin(y)
            y.name = "y"
        with at(4, 4):
            z = p.cos(y)
        with at(5, 4):
            return p.mul(z, y)

    assert body(run, f32, names="x").splitlines() == [
        "y = p.sin(p.exp(x))                     #@ net.py:3:4",
        "t0 = p.cos(y)                           #@ net.py:4:4",
        "return t0 * y                           #@ net.py:5:4",
    ]


# ---- numbers and operators -----------------------------------------------------------------


def test_numbers():
    def run(x, n):
        return (
            p.add(x, 1.0), p.sub(2.5, x), p.where(p.less(x, 0.0), 0.0, x), p.add(n, 3),
            p.maximum(x, p.const(0.0, f32[2])),
        )  # fmt: skip

    assert body(run, f32[2], i32[2], names="xn") == (
        "return x + 1.0, 2.5 - x, p.where(x < 0.0, 0.0, x), n + 3, "
        "p.maximum(x, p.const(0.0, f32[2]))"
    )


def test_numbers_by_themselves_stay_constants():
    def run(x):
        return p.add(x, p.const(float("nan"), f32)), p.const(1.0, f32), p.const(2, i64)

    assert (
        body(run, f32[2], names="x") == "return p.add(x, nan), p.const(1.0, f32), p.const(2, i64)"
    )


def test_constants_are_written_before_their_first_use():
    def run(x):
        c = p.const(1.0, f32[2])
        y = p.exp(x)
        y.name = "y"
        return p.for_(p.const(0, i64), 2, 1, y, body=lambda i, h: p.mul(p.add(h, c), c))

    assert body(run, f32[2], names="x") == (
        "y = p.exp(x)\nt0 = y\nc0 = p.const(1.0, f32[2])\n"
        "for t1 in range(2):\n    t0 = (t0 + c0) * c0\nreturn t0"
    )


def test_operators_only_where_numpy_agrees():
    def run(x, n, b):
        return p.mul(x, x), p.floor_div(n, n), p.pow(x, x), p.add(b, b), p.matmul(x, x), p.abs(x)

    text = body(run, f16[2, 2], i32, bf16, names=["x", "n", "b"])
    assert text == (
        "return x * x, p.floor_div(n, n), p.pow(x, x), p.add(b, b), p.matmul(x, x), p.abs(x)"
    )


def test_operands_with_dtypes_of_their_own():
    def run(tied):
        return p.tie_share(tied, p.const(0.5, f64), axis=(0,))

    assert body(run, i64[2], names=["tied"]) == (
        "return p.tie_share(tied, p.const(0.5, f64), axis=(0,))"
    )


def test_numbers_beside_scalars_are_passed_to_primitives():
    """NumPy 1 would compute in float64 and int64."""

    def run(x, n, y, m):
        return p.add(x, 1.0), p.add(n, 1), p.add(y, 1.0), p.add(m, 1)

    text = body(run, f32, i32, f64, i64, names="xnym")
    assert text == "return p.add(x, 1.0), p.add(n, 1), y + 1.0, m + 1"


def test_loop_counters_meet_no_operators():
    """They are Python's ints, which do not wrap."""

    def run(x):
        def step(i, h):
            return p.add(h, p.mul(i, i))

        return p.for_(p.const(0, i64), 3, 1, x, body=step)

    assert body(run, i64[2], names="x") == (
        "t0 = x\nfor t1 in range(3):\n    t0 = t0 + p.mul(t1, t1)\nreturn t0"
    )


OPERATORS = [
    p.add, p.sub, p.mul, p.div, p.neg, p.less, p.less_equal, p.greater, p.greater_equal, p.bit_and,
    p.bit_or, p.bit_xor, p.bit_not, p.matmul,
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 127, 0.1, -0.0, 65504.0, 1e38, 3.4028234663852886e38, np.inf, np.nan, True]


def edges(dtype: dtypes.DType, shape: tuple[int, ...]) -> np.ndarray:
    """Values at which dtypes differ, in some order."""
    random = np.random.default_rng(len(shape))
    if dtype.is_float:
        values = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1.5, 1e-45, 3e38, 65504, 6e-8, 0.1, 2 / 3]
        return np.asarray(dtypes.narrow(random.choice(np.array(values), shape), dtype))
    if dtype.kind == "bool":
        return random.integers(0, 2, shape).astype(bool)
    info = np.iinfo(dtype.storage)
    values = np.array([info.min, info.max, 0, 1, info.max - 1, info.max // 3], dtype.storage)
    return np.asarray(random.choice(values, shape))


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda dtype: dtype.short)
@pytest.mark.parametrize("prim", OPERATORS, ids=str)
def test_every_operator_is_the_primitive(prim, dtype):
    arity = prim.least
    shapes = [((4, 4), (4, 4))] if prim is p.matmul else [((), ()), ((5,), (5,)), ((3, 1), ())]
    for shape, other in shapes:
        types = [TensorType(dtype, shape), TensorType(dtype, other)]
        check_operator(prim, types, [edges(dtype, shape), edges(dtype, other)], arity)


def check_operator(prim, types, arrays, arity) -> None:
    def run(x, y):
        results = [prim(*(x, y)[:arity])]
        for number in NUMBERS if arity == 2 and prim is not p.matmul else ():
            if isinstance(number, float) and not types[0].dtype.is_float:
                continue
            results += [prim(x, number), prim(number, y)]
        return results

    try:
        function = build_function(run, types)
    except S2sadError as error:
        assert error.code == "E0301"  # the primitive is not for this dtype
        return
    text = source(function)
    found = run_plainly(text, arrays)
    for one, other in zip(found, evaluate(read_text(text, p.ALL), arrays), strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape, text
        np.testing.assert_array_equal(one_nan(one), one_nan(other), err_msg=text)


# ---- stacks --------------------------------------------------------------------------------


def push(i, h, stack):
    return p.exp(h), p.stack_push(stack, h)


def pop(i, h, stack):
    rest, top = p.stack_pop(stack)
    return p.mul(h, top), rest


def loop(body, *carried):
    return p.for_(p.const(0, i64), 3, 1, *carried, body=body)


def test_a_stack_is_a_list():
    def run(x):
        h, stack = loop(push, x, p.stack_empty(of=f32[2]))
        return loop(pop, h, stack)[0]

    assert (
        body(run, f32[2], names="x")
        == """\
tape = p.stack_empty(of=f32[2])
t0 = x
for t1 in range(3):
    t2 = p.exp(t0)
    tape.append(t0)
    t0 = t2
t3 = t0
for t4 in range(3):
    t5 = tape.pop()
    t3 = t3 * t5
return t3"""
    )


def test_stacks_that_do_not_stand_last_are_assigned():
    def run(x):
        def step(i, stack, h):
            return p.stack_push(stack, h), p.exp(h)

        stack, h = loop(step, p.stack_empty(of=f32[2]), x)
        return h, stack

    text = body(run, f32[2], names="x")
    assert "tape.append(t0)\n    tape, t0 = tape, p.exp(t0)" in text and text.endswith("t0, tape")


def test_several_stacks_are_found_in_order():
    def run(x):
        def step(i, h, a, b):
            return p.exp(h), p.stack_push(a, h), p.stack_push(b, h)

        def swapped(i, h, b, a):
            return p.exp(h), p.stack_push(b, h), p.stack_push(a, h)

        stacks = p.stack_empty(of=f32[2]), p.stack_empty(of=f32[2])
        h, *stacks = loop(step, x, *stacks)
        return loop(swapped, h, *reversed(stacks))

    assert (
        body(run, f32[2], names="x").splitlines()[3:]
        == """\
for t1 in range(3):
    t2 = p.exp(t0)
    tape.append(t0)
    tape_1.append(t0)
    t0 = t2
t3 = t0
for t4 in range(3):
    t5 = p.exp(t3)
    tape_1.append(t3)
    tape.append(t3)
    t3, tape_1 = t5, tape_1
return t3, tape_1, tape""".splitlines()
    )


def test_stacks_in_branches():
    def run(x, c):
        stack = p.stack_empty(of=f32)
        stack = p.if_(c, then=lambda: p.stack_push(stack, x), orelse=lambda: stack)
        other = p.if_(
            c,
            then=lambda: p.stack_push(p.stack_empty(of=f32), x),
            orelse=lambda: p.stack_empty(of=f32),
        )
        return stack, other

    assert (
        body(run, f32, bool_, names="xc")
        == """\
tape = p.stack_empty(of=f32)
if c:
    tape.append(x)
if c:
    tape_1 = p.stack_empty(of=f32)
    tape_1.append(x)
    tape_1 = tape_1
else:
    tape_1 = p.stack_empty(of=f32)
    tape_1 = tape_1
return tape, tape_1"""
    )


def test_a_stack_that_is_not_linear_is_no_list():
    def run(x):
        stack = p.stack_empty(of=f32)
        return p.stack_push(stack, x), p.stack_push(stack, p.exp(x))

    text = body(run, f32, names="x")
    assert "p.stack_push(" in text and ".append" not in text


def test_what_a_counter_leaves_on_a_stack_meets_no_operator():
    def run(x):
        def fill(i, stack):
            return p.stack_push(stack, i)

        def use(i, h, stack):
            rest, top = p.stack_pop(stack)
            return p.add(h, p.mul(top, top)), rest

        stack = loop(fill, p.stack_empty(of=i64))
        return loop(use, x, stack)[0]

    text = body(run, i64, names="x")
    assert text.endswith("    t3 = tape.pop()\n    t1 = t1 + p.mul(t3, t3)\nreturn t1")


# ---- control flow --------------------------------------------------------------------------


def test_loops():
    def run(x, n):
        def condition(i, h):
            return p.less(i, n)

        def step(i, h):
            return p.add(i, 1), p.mul(h, x)

        return p.while_(p.const(0, i64), x, condition=condition, body=step)[1]

    assert body(run, f32[2], i64, names="xn") == (
        "t0, t1 = p.const(0, i64), x\nwhile t0 < n:\n    t0, t1 = t0 + 1, t1 * x\nreturn t1"
    )


def test_a_condition_with_statements():
    def run(x):
        def condition(h):
            t = p.reduce_sum(h)
            return p.bit_and(p.less(t, 9.0), p.greater(t, 0.0))

        return p.while_(x, condition=condition, body=lambda h: p.add(h, h))

    assert body(run, f32[2], names="x") == (
        "t0 = x\nwhile True:\n    t1 = p.reduce_sum(t0, axis=(0,))\n"
        "    if not p.less(t1, 9.0) & p.greater(t1, 0.0): break\n    t0 = t0 + t0\nreturn t0"
    )


def test_ranges_are_short():
    def run(x, n):
        for bounds in ((0, 3, 1), (1, 3, 1), (0, 3, 2), (3, -1, -1)):
            start, *rest = bounds
            x = p.for_(p.const(start, i64), *rest, x, body=lambda i, h: p.exp(h))
        return p.for_(n, 5, 1, x, body=lambda i, h: p.exp(h))

    text = body(run, f32, i64, names="xn")
    found = [line.partition(" in ")[2] for line in text.splitlines() if line.startswith("for ")]
    assert found == [
        "range(3):",
        "range(1, 3):",
        "range(0, 3, 2):",
        "range(3, -1, -1):",
        "range(n, 5):",
    ]


def test_what_a_loop_starts_with_may_be_folded():
    def run(x):
        def step(i, h):
            h.name = "h"
            return p.sin(h)

        return p.for_(p.const(0, i64), 3, 1, p.exp(x), body=step)

    assert body(run, f32, names="x") == (
        "h = p.exp(x)\nfor t0 in range(3):\n    h = p.sin(h)\nreturn h"
    )


def test_regions_of_a_call():
    def run(x):
        return p.neg(p.fused(p.exp(x), body=lambda a: p.add(p.mul(a, a), 1.0)))

    assert body(run, f32[2], names="x") == (
        "@region\ndef body_0(t0: f32[2]):\n    return t0 * t0 + 1.0\n"
        "t1 = p.fused(p.exp(x), body=body_0)\nreturn -t1"
    )
