"""Are sines and their relatives right, in all quadrants?"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import f64
from support.laws import (
    binary,
    check_laws,
    check_values,
    edges,
    normal,
    positive,
    unary,
    uniform,
)
from support.reverse import gradient, gradients_at

nan, inf, pi = np.nan, np.inf, np.pi
UNARY = (p.sin, p.cos, p.tan, p.asin, p.acos, p.atan)


def inside(*shape: int) -> np.ndarray:
    return uniform(*shape, low=-0.9, high=0.9)


SPECS = [
    *(spec for prim in (p.sin, p.cos, p.atan) for spec in unary(prim, normal)),
    *(spec for prim in (p.tan, p.asin, p.acos) for spec in unary(prim, inside)),
    *binary(p.atan2, normal, positive),
    *binary(p.atan2, positive, normal),
    *edges(*UNARY),
    *edges(p.atan2, count=2),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def floats(*values):
    return np.array(values, float)


@pytest.mark.parametrize(
    ("prim", "operands", "expected"),
    [
        (p.sin, (floats(0.0, -0.0, inf, nan),), floats(0.0, -0.0, nan, nan)),
        (p.cos, (floats(0.0, -0.0, -inf, nan),), floats(1, 1, nan, nan)),
        (p.tan, (floats(0.0, -0.0, inf, nan),), floats(0.0, -0.0, nan, nan)),
        (p.asin, (floats(0.0, -0.0, 1, 2, nan),), floats(0.0, -0.0, pi / 2, nan, nan)),
        (p.acos, (floats(1, -1, 0, -2, nan),), floats(0, pi, pi / 2, nan, nan)),
        (p.atan, (floats(0.0, -0.0, inf, -inf, nan),), floats(0.0, -0.0, pi / 2, -pi / 2, nan)),
        (p.atan2, (floats(0.0, -0.0, 0.0, -0.0), floats(1, 1, -1, -1)),
         floats(0.0, -0.0, pi, -pi)),
        (p.atan2, (floats(0.0, -0.0, 0.0, -0.0), floats(0.0, 0.0, -0.0, -0.0)),
         floats(0.0, -0.0, pi, -pi)),
        (p.atan2, (floats(inf, -inf, inf, 1, nan), floats(inf, -inf, 1, inf, 1)),
         floats(pi / 4, -3 * pi / 4, pi / 2, 0.0, nan)),
    ],
)  # fmt: skip
def test_values(prim, operands, expected):
    check_values(prim(*operands), expected)


@pytest.mark.parametrize("prim", UNARY, ids=str)
def test_accuracy(prim):
    wide = np.concatenate([np.linspace(-9, 9, 20), [1e-300, 1e5, 1e15]])
    x = np.linspace(-1, 1, 21) if prim in (p.asin, p.acos) else wide
    with mpmath.workdps(50):
        expected = [float(getattr(mpmath, prim.name)(mpmath.mpf(float(v)))) for v in x]
    np.testing.assert_array_max_ulp(prim(x), np.array(expected), maxulp=4)


def test_derivatives_of_atan2_at_the_origin_are_finite():
    for found in gradients_at(p.atan2, np.array(0.0), np.array(0.0)):
        assert found == 0.0
    program = gradient(gradient(build_function(p.atan2, [f64, f64])))
    assert np.isfinite(evaluate(program, [0.0, 0.0, 1.0, 1.0, 1.0])).all()


@pytest.mark.parametrize(
    ("prim", "x", "expected"), [(p.asin, 1.0, inf), (p.acos, 1.0, -inf), (p.atan, 1e200, 0.0)]
)
def test_gradients_at_the_ends(prim, x, expected):
    check_values(gradients_at(prim, np.array(x))[0], expected)


@pytest.mark.parametrize("prim", UNARY, ids=str)
def test_integers_are_refused(prim):
    with pytest.raises(S2sadError, match="E0301"):
        prim(np.array(1))
