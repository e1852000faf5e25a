"""Are sums, products, powers and extremes right, at the edges and in their derivatives too?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import f64
from support.laws import (
    EDGES,
    Spec,
    binary,
    check_laws,
    check_values,
    distinct,
    edges,
    integers,
    normal,
    positive,
    unary,
    uniform,
)
from support.reverse import gradient, gradients_at

nan, inf = np.nan, np.inf
NUMBERS = (p.add, p.sub, p.mul, p.floor_div, p.mod, p.maximum, p.minimum, p.pow)

SPECS = [
    *(spec for prim in (p.add, p.sub, p.mul) for spec in binary(prim, normal, normal)),
    *(spec for prim in (p.maximum, p.minimum) for spec in binary(prim, normal, distinct)),
    *(spec for prim in (p.div, p.mod, p.floor_div) for spec in binary(prim, normal, positive)),
    *binary(p.pow, positive, normal),
    *(spec for prim in (p.neg, p.abs, p.sign, p.square, p.relu) for spec in unary(prim, normal)),
    *(spec for prim in (p.sqrt, p.rsqrt) for spec in unary(prim, positive)),
    *edges(p.neg, p.abs, p.sign, p.square, p.relu, p.sqrt, p.rsqrt),
    *edges(*NUMBERS, p.div, count=2),
    *edges(p.clip, count=3),
    Spec(p.pow, (normal(2, 3), integers(3).astype(float)), positions=(0,)),
    Spec(p.pow, (np.zeros(3), np.array([0.0, 1.0, 2.0])), positions=()),
    Spec(p.clip, (uniform(4, 5, low=-2, high=2), np.array(-0.51), np.array(0.83))),
    Spec(p.clip, (uniform(4, 3, low=-2, high=2), uniform(3, low=-1, high=0), positive(4, 1))),
    Spec(p.clip, (normal(5), np.array(1.0), np.array(-1.0))),
    *(Spec(prim, (integers(3, 4), integers(4))) for prim in NUMBERS),
    *(Spec(prim, (integers(5, low=0, high=90),)) for prim in (p.neg, p.abs, p.sign, p.relu)),
    Spec(p.square, (integers(5),)),
    Spec(p.clip, (integers(5, low=0, high=90), np.array(10), np.array(50))),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def floats(*values):
    return np.array(values, float)


def int8s(*values):
    return np.array(values, np.int8)


@pytest.mark.parametrize(
    ("prim", "operands", "expected"),
    [
        (p.add, (floats(-0.0, inf, nan), floats(-0.0, -inf, 1)), floats(-0.0, nan, nan)),
        (p.add, (int8s(127, -128), int8s(1, -1)), int8s(-128, 127)),
        (p.sub, (floats(-0.0, inf), floats(0.0, inf)), floats(-0.0, nan)),
        (p.sub, (np.uint8(3), np.uint8(5)), np.uint8(254)),
        (p.mul, (floats(-0.0, inf, 1e308), floats(1.0, 0.0, 10)), floats(-0.0, nan, inf)),
        (p.mul, (int8s(100), int8s(3)), int8s(44)),
        (p.div, (floats(1, -1, 0, -0.0), floats(0, 0, 0, 1)), floats(inf, -inf, nan, -0.0)),
        (p.neg, (floats(0.0, -0.0, inf, nan),), floats(-0.0, 0.0, -inf, nan)),
        (p.neg, (int8s(-128, 5),), int8s(-128, -5)),
        (p.floor_div, (int8s(7, -7, 7, -7), int8s(2, 2, -2, -2)), int8s(3, -4, -4, 3)),
        (p.floor_div, (int8s(7, 0, -128), int8s(0, 0, -1)), int8s(0, 0, -128)),
        (p.floor_div, (floats(7, -7, -0.0, 1), floats(2, 2, 3, 0)), floats(3, -4, -0.0, inf)),
        (p.floor_div, (floats(0, nan, inf, 5), floats(0, 1, 1, inf)), floats(nan, nan, nan, 0)),
        (p.mod, (int8s(7, -7, 7, -7), int8s(3, 3, -3, -3)), int8s(1, 2, -2, -1)),
        (p.mod, (int8s(7, 0, -128), int8s(0, 0, -1)), int8s(0, 0, 0)),
        (p.mod, (floats(7.5, -7.5, -6, 6), floats(2, 2, 2, -2)), floats(1.5, 0.5, 0.0, -0.0)),
        (p.mod, (floats(1, inf, nan, 1, -1), floats(0, 1, 1, inf, inf)),
         floats(nan, nan, nan, 1, inf)),
        (p.abs, (floats(-0.0, -inf, nan, -2),), floats(0.0, inf, nan, 2)),
        (p.abs, (int8s(-128, -5),), int8s(-128, 5)),
        (p.sign, (floats(-0.0, 0.0, -inf, nan, 3),), floats(0.0, 0.0, -1, nan, 1)),
        (p.sign, (int8s(-128, 0, 5),), int8s(-1, 0, 1)),
        (p.sign, (np.uint8(200),), np.uint8(1)),
        (p.square, (floats(-0.0, -inf, nan, -3),), floats(0.0, inf, nan, 9)),
        (p.square, (int8s(16, -3),), int8s(0, 9)),
        (p.maximum, (floats(0.0, -0.0, 0.0, -0.0), floats(0.0, 0.0, -0.0, -0.0)),
         floats(0.0, 0.0, 0.0, -0.0)),
        (p.minimum, (floats(0.0, -0.0, 0.0, -0.0), floats(0.0, 0.0, -0.0, -0.0)),
         floats(0.0, -0.0, -0.0, -0.0)),
        (p.maximum, (floats(-0.0, -0.0, nan, 1, inf), floats(-1, -inf, 1, nan, nan)),
         floats(-0.0, -0.0, nan, nan, nan)),
        (p.minimum, (floats(0.0, nan, 1, -inf), floats(1, 1, nan, 3)),
         floats(0.0, nan, nan, -inf)),
        (p.maximum, (np.uint8(200), np.uint8(100)), np.uint8(200)),
        (p.clip, (floats(-2, 0.5, 3, nan), 0.0, 1.0), floats(0.0, 0.5, 1, nan)),
        (p.clip, (floats(-0.0, 1.0), floats(0.0, nan), floats(1.0, 2.0)), floats(0.0, nan)),
        (p.clip, (floats(0, 5), 3.0, 1.0), floats(1, 1)),
        (p.clip, (int8s(-100, 3, 100), -5, 5), int8s(-5, 3, 5)),
        (p.relu, (floats(-1, -0.0, 0.0, inf, -inf, nan),), floats(0.0, 0.0, 0.0, inf, 0.0, nan)),
        (p.relu, (np.float32(-0.0),), np.float32(0.0)),
        (p.relu, (int8s(-3, 3),), int8s(0, 3)),
        (p.sqrt, (floats(4, -0.0, 0.0, inf, -1, nan),), floats(2, -0.0, 0.0, inf, nan, nan)),
        (p.rsqrt, (floats(4, -0.0, 0.0, inf, -1, nan),), floats(0.5, -inf, inf, 0.0, nan, nan)),
        (p.pow, (floats(0, nan, inf, 1, 1), floats(0, 0, 0, nan, inf)), floats(1, 1, 1, 1, 1)),
        (p.pow, (floats(0, -0.0, -0.0, -8, -2), floats(-1, -1, 3, 1 / 3, 3)),
         floats(inf, -inf, -0.0, nan, -8)),
        (p.pow, (floats(inf, 2, 0.5, nan), floats(-1, -inf, inf, 1)), floats(0, 0, 0, nan)),
        (p.pow, (int8s(2, 2, -3, 0, 0), int8s(6, 8, 3, 0, 5)), int8s(64, 0, -27, 1, 0)),
        (p.pow, (int8s(2, -2, 1, -1, -1, 0), int8s(-1, -2, -3, -3, -2, -1)),
         int8s(0, 0, 1, -1, 1, 0)),
        (p.pow, (np.uint8(2), np.uint8(200)), np.uint8(0)),
    ],
)  # fmt: skip
def test_values(prim, operands, expected):
    check_values(prim(*operands), expected)


def test_the_sign_of_zero_does_not_depend_on_the_length_of_the_array():
    x, y = np.tile([0.0, -0.0], 50), np.tile([-0.0, 0.0], 50)
    for dtype in (np.float32, np.float64):
        check_values(p.maximum(x.astype(dtype), y.astype(dtype)), np.zeros(100, dtype))
        check_values(p.minimum(x.astype(dtype), y.astype(dtype)), -np.zeros(100, dtype))


def test_quotient_and_remainder_give_back_the_number():
    x, y = integers(40, low=-128, high=128), integers(40, low=-9, high=9)
    whole = p.add(p.mul(p.floor_div(x, y), y), p.mod(x, y))
    check_values(whole, np.where(y == 0, 0, x))


@pytest.mark.parametrize(
    ("prim", "operands", "expected"),
    [
        (p.abs, (floats(-2, 0.0, -0.0, 3, nan),), [(-1, 0, 0, 1, 0)]),
        (p.relu, (floats(-2, 0.0, -0.0, 3, nan, inf),), [(0, 0, 0, 1, 0, 1)]),
        (p.sign, (floats(-2, 0.0, 3),), [(0, 0, 0)]),
        (p.maximum, (floats(1, 2, 3, nan), floats(2, 2, 2, 1)), [(0, 0.5, 1, 0), (1, 0.5, 0, 0)]),
        (p.maximum, (floats(0.0, inf), floats(-0.0, inf)), [(0.5, 0.5), (0.5, 0.5)]),
        (p.minimum, (floats(1, 2, 3, 1), floats(2, 2, 2, nan)), [(1, 0.5, 0, 0), (0, 0.5, 1, 0)]),
        (p.clip, (floats(-1, 0, 0.5, 1, 2), np.zeros(5), np.ones(5)),
         [(0, 1, 1, 1, 0), (1, 0, 0, 0, 0), (0, 0, 0, 0, 1)]),
        (p.clip, (floats(0, 2, 4), floats(3, 3, 3), floats(1, 1, 1)),
         [(0, 0, 0), (0, 0, 0), (1, 1, 1)]),
        (p.sqrt, (floats(0.0, 4),), [(inf, 0.25)]),
        (p.mod, (floats(5, -5), floats(3, 3)), [(1, 1), (-1, 2)]),
        (p.floor_div, (floats(5, -5), floats(3, 3)), [(0, 0), (0, 0)]),
        (p.div, (floats(1), floats(0)), [(inf,), (-inf,)]),
        (p.pow, (floats(0, 0, 0, 0), floats(0, 1, 2, 0.5)), [(0, 1, 0, inf), (0, 0, 0, 0)]),
        (
            p.pow, (floats(-2, -2, nan, inf), floats(2, 0, 0, 0)),
            [(-4, 0, 0, 0), (nan, nan, nan, inf)],
        ),  # fmt: skip
        (p.pow, (floats(2, 1), floats(0, 3)), [(0, 3), (np.log(2), 0)]),
    ],
)  # fmt: skip
def test_gradients_at_kinks_and_singular_points(prim, operands, expected):
    for found, wanted in zip(gradients_at(prim, *operands), expected, strict=True):
        np.testing.assert_array_equal(found, np.array(wanted, float))


@pytest.mark.parametrize(
    ("exponent", "first", "second", "third"),
    [(0.0, 0, 0, 0), (1.0, 1, 0, 0), (2.0, 0, 2, 0), (3.0, 0, 0, 6)],
)
def test_all_derivatives_of_powers_at_zero(exponent, first, second, third):
    program = build_function(lambda x: p.pow(x, exponent), [f64])
    for expected in (first, second, third):
        program = gradient(program, (0,))
        douts = [1.0] * (len(program.args) - 1)
        check_values(evaluate(program, [0.0, *douts])[0], float(expected))


def test_the_mixed_derivative_of_a_power_at_exponent_zero():
    """Of ``y * x**(y - 1)`` with respect to y it is 1/x, though the first derivative is 0."""
    slope = gradient(build_function(p.pow, [f64, f64]), (0,))
    check_values(evaluate(gradient(slope, (1,)), [4.0, 0.0, 1.0, 1.0])[0], 0.25)


def test_a_cotangent_that_is_not_finite_stays_on_the_selected_side():
    x = floats(-1.0, 0.0, 2.0)
    program = gradient(build_function(p.relu, [f64[3]]))
    check_values(evaluate(program, [x, np.full(3, nan)])[0], floats(0.0, 0.0, nan))


@pytest.mark.parametrize("prim", [p.div, p.sqrt, p.rsqrt])
def test_integers_are_refused_where_the_result_is_none(prim):
    with pytest.raises(S2sadError, match="E0301"):
        prim(*[np.array([1, 2])] * len(prim.__wrapped__.__code__.co_varnames))


def test_bools_and_mixed_dtypes_are_refused():
    for operands in ([np.array(True)] * 2, [np.array(1.0), np.array(1)]):
        with pytest.raises(S2sadError, match="E0301"):
            p.add(*operands)


def test_edges_are_really_met():
    assert np.isnan(EDGES).any()
    assert np.signbit(EDGES[EDGES == 0]).tolist() == [True, False]
