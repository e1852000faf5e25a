"""Do comparisons know NaN, the infinities and both zeros?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from support.laws import (
    Spec,
    binary,
    booleans,
    check_laws,
    check_values,
    edges,
    integers,
    normal,
    unary,
)

nan, inf = np.nan, np.inf
ORDERS = (p.less, p.less_equal, p.greater, p.greater_equal)
EQUALITIES = (p.equal, p.not_equal)
QUESTIONS = (p.is_nan, p.is_inf, p.is_finite)

SPECS = [
    *(spec for prim in (*ORDERS, *EQUALITIES) for spec in binary(prim, normal, normal)),
    *(Spec(prim, (integers(3, 4), integers(4))) for prim in (*ORDERS, *EQUALITIES)),
    *(Spec(prim, (booleans(3, 4), booleans(4))) for prim in EQUALITIES),
    *(spec for prim in QUESTIONS for spec in unary(prim, normal)),
    *edges(*ORDERS, *EQUALITIES, count=2),
    *edges(*QUESTIONS),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


@pytest.mark.parametrize(
    ("prim", "expected"),
    [
        (p.less, [1, 0, 0, 0, 0, 0, 1]),
        (p.less_equal, [1, 1, 0, 1, 0, 0, 1]),
        (p.greater, [0, 0, 1, 0, 0, 0, 0]),
        (p.greater_equal, [0, 1, 1, 1, 0, 0, 0]),
        (p.equal, [0, 1, 0, 1, 0, 0, 0]),
        (p.not_equal, [1, 0, 1, 0, 1, 1, 1]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_comparisons(prim, expected, dtype):
    x = np.array([1, 2, 3, 0.0, nan, nan, -inf], dtype)
    y = np.array([2, 2, 2, -0.0, 1, nan, inf], dtype)
    check_values(prim(x, y), np.array(expected, bool))


def test_large_integers_are_not_compared_as_floats():
    x, y = np.array(2**53), np.array(2**53 + 1)
    assert p.less(x, y)
    assert not p.equal(x, y)


@pytest.mark.parametrize(
    ("prim", "expected"),
    [(p.is_nan, [1, 0, 0, 0, 0]), (p.is_inf, [0, 1, 1, 0, 0]), (p.is_finite, [0, 0, 0, 1, 1])],
)
def test_questions(prim, expected):
    check_values(prim(np.array([nan, inf, -inf, -0.0, 1e-320])), np.array(expected, bool))


def test_bfloat16_is_compared_by_value():
    bits = np.array([0xBF80, 0x3F80, 0x7FC0], np.uint16)  # -1, 1, NaN
    check_values(p.less(bits, 0.0), np.array([True, False, False]))
    check_values(p.is_nan(bits), np.array([False, False, True]))


@pytest.mark.parametrize("prim", [*ORDERS, *QUESTIONS])
def test_bools_are_neither_ordered_nor_asked(prim):
    with pytest.raises(S2sadError, match="E0301"):
        prim(*[np.array(True)] * (2 if prim in ORDERS else 1))
