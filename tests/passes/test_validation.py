"""When are two results the same, when close, and what moves when inputs are perturbed?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad.core import dtypes
from s2sad.ir.types import StackValue, Token, f32, f64
from s2sad.passes.validation import Failure, compare, is_close, is_same, outcome, perturbed
from tests.passes.rewriting import read

NAN, INF = np.nan, np.inf
BF16_NAN, BF16_OTHER_NAN, BF16_ONE = 0x7FC0, 0xFFC1, 0x3F80


def f64s(*values):
    return np.array(values, np.float64)


SAME = [
    (f64s(1.0, NAN), f64s(1.0, -NAN), True),
    (f64s(0.0), f64s(-0.0), False),
    (f64s(INF), f64s(-INF), False),
    (f64s(1.0), np.array([1.0], np.float32), False),
    (f64s(1.0), f64s(1.0, 1.0), False),
    (f64s(), f64s(), True),
    (np.array(1), np.array(1), True),
    (np.array([BF16_NAN], np.uint16), np.array([BF16_OTHER_NAN], np.uint16), True),
    (np.array([BF16_ONE], np.uint16), np.array([BF16_ONE + 1], np.uint16), False),
    (Token, Token, True),
    (StackValue(f64, [f64s(1.0)]), StackValue(f64, [f64s(1.0)]), True),
    (StackValue(f64, [f64s(1.0)]), StackValue(f64, []), False),
    (StackValue(f64, []), StackValue(f32, []), False),
    (StackValue(f64, [f64s(1.0)]), StackValue(f64, [f64s(2.0)]), False),
    (f64s(1.0), Token, False),
    (f64s(1.0), StackValue(f64, []), False),
]


@pytest.mark.parametrize(("found", "wanted", "expected"), SAME)
def test_same(found, wanted, expected):
    assert is_same(found, wanted) is expected


CLOSE = [
    (f64s(1.0 + 1e-14, 5.0), f64s(1.0, 5.0), True),
    (f64s(1.0 + 1e-12), f64s(1.0), False),
    (f64s(1e-14, 1.0), f64s(0.0, 1.0), True),
    (f64s(1e9 + 1e-5), f64s(1e9), True),
    (f64s(NAN, 1.0), f64s(1.0, 1.0), False),
    (f64s(INF, NAN), f64s(INF, NAN), True),
    (f64s(INF), f64s(-INF), False),
    (f64s(INF), f64s(1e308), False),
    (f64s(), f64s(), True),
    (np.array([3]), np.array([4]), False),
    (np.array([True]), np.array([True]), True),
    (np.array([BF16_ONE], np.uint16), np.array([BF16_ONE + 1], np.uint16), True),
    (np.array([1.0], np.float16), np.array([1.5], np.float16), False),
]


@pytest.mark.parametrize(("found", "wanted", "expected"), CLOSE)
def test_close(found, wanted, expected):
    assert is_close(found, wanted) is expected


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_floats_are_moved_a_little(dtype):
    values = dtypes.narrow(np.array([1.0, -3.0, 0.0, 100.0]), dtype)
    moved = perturbed(values)
    assert moved.dtype == values.dtype and moved.shape == values.shape
    if not dtype.is_float:
        assert (moved == values).all()
        return
    wide, before = dtypes.widen(moved), dtypes.widen(values)
    assert (wide != before).any()
    assert (np.abs(wide - before) <= 2.0**-8 * (np.abs(before) + 1)).all()
    assert is_same(perturbed(values), moved)


def test_what_is_no_number_stays():
    values = f64s(NAN, INF, -INF)
    np.testing.assert_array_equal(perturbed(values), values)
    assert perturbed(Token) is Token
    stack = StackValue(f64, [f64s(2.0)])
    moved = perturbed(stack)
    assert moved.element == f64 and moved[0] != 2.0 and stack[0] == 2.0


RAISES = """
@function(inputs=("token:host",))
def main(token: Token):
    said = p.raise_(token, kind="KeyError", message="lost")
    return said
"""


def test_failures_are_outcomes():
    assert outcome(read(RAISES), [Token]) == Failure("KeyError", "'lost'")
    text = "def main(x: f64[2], i: i64):\n    return p.gather(x, i)\n"
    found = outcome(read(text), [f64s(1.0, 2.0), np.array(2)])
    assert isinstance(found, Failure) and found.kind == "E0501"
    assert compare(found, found, is_same) is None
    assert compare((f64s(1.0),), found, is_same).endswith(", and is all right")
    assert compare((), (f64s(1.0),), is_same) == "it gave 1 results, and gives 0"
    assert compare((f64s(1.0),), (Token,), is_same) == "result 0 is of another kind"


def test_a_fault_of_ours_is_no_outcome():
    function = read("def main(x: f64[2]):\n    return -x\n")
    function.body.operations[0].prim = None
    with pytest.raises(AttributeError):
        outcome(function, [f64s(1.0, 2.0)])
