"""Are exponentials, logarithms and hyperbolic functions right, near and far?"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from support.laws import Spec, check_laws, check_values, edges, normal, positive, unary, uniform
from support.reverse import gradients_at

nan, inf = np.nan, np.inf
WHOLE = (p.exp, p.exp2, p.expm1, p.sinh, p.cosh, p.tanh, p.asinh, p.sigmoid)
POSITIVE = (p.log, p.log2, p.log10, p.log1p)
FAR = np.array([-20.0, -3.0, 3.0, 20.0])


def above_one(*shape: int) -> np.ndarray:
    return 1 + positive(*shape)


def inside(*shape: int) -> np.ndarray:
    return uniform(*shape, low=-0.9, high=0.9)


SPECS = [
    *(spec for prim in WHOLE for spec in unary(prim, normal)),
    *(spec for prim in POSITIVE for spec in unary(prim, positive)),
    *unary(p.acosh, above_one),
    *unary(p.atanh, inside),
    *(Spec(prim, (FAR,)) for prim in (p.tanh, p.asinh, p.sigmoid)),
    *edges(*WHOLE, *POSITIVE, p.acosh, p.atanh),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def floats(*values):
    return np.array(values, float)


@pytest.mark.parametrize(
    ("prim", "x", "expected"),
    [
        (p.exp, floats(0, -0.0, -inf, inf, nan, 1000, -1000), floats(1, 1, 0, inf, nan, inf, 0)),
        (p.exp2, floats(3, -1074, 1024, -inf, nan), floats(8, 5e-324, inf, 0, nan)),
        (p.expm1, floats(0.0, -0.0, -inf, inf, 1e-300), floats(0.0, -0.0, -1, inf, 1e-300)),
        (p.log, floats(1, 0.0, -0.0, -1, inf, nan), floats(0, -inf, -inf, nan, inf, nan)),
        (p.log2, floats(1, 8, 0.125, 0, -1, inf), floats(0, 3, -3, -inf, nan, inf)),
        (p.log10, floats(1, 1000, 0, -1, inf), floats(0, 3, -inf, nan, inf)),
        (p.log1p, floats(0.0, -0.0, -1, -2, inf), floats(0.0, -0.0, -inf, nan, inf)),
        (p.tanh, floats(0.0, -0.0, inf, -inf, nan), floats(0.0, -0.0, 1, -1, nan)),
        (p.sinh, floats(0.0, -0.0, inf, -inf, nan), floats(0.0, -0.0, inf, -inf, nan)),
        (p.cosh, floats(0.0, -0.0, inf, -inf, nan), floats(1, 1, inf, inf, nan)),
        (p.asinh, floats(0.0, -0.0, inf, -inf, nan), floats(0.0, -0.0, inf, -inf, nan)),
        (p.acosh, floats(1, 0.5, -2, inf, nan), floats(0, nan, nan, inf, nan)),
        (p.atanh, floats(0.0, -0.0, 1, -1, 2, nan), floats(0.0, -0.0, inf, -inf, nan, nan)),
        (p.sigmoid, floats(0, -0.0, inf, -inf, nan, 800), floats(0.5, 0.5, 1, 0, nan, 1)),
    ],
)
def test_values(prim, x, expected):
    check_values(prim(x), expected)


REFERENCES = {
    p.exp: mpmath.exp, p.exp2: lambda x: mpmath.power(2, x), p.expm1: mpmath.expm1,
    p.log: mpmath.log, p.log2: lambda x: mpmath.log(x, 2), p.log10: mpmath.log10,
    p.log1p: mpmath.log1p, p.tanh: mpmath.tanh, p.sinh: mpmath.sinh, p.cosh: mpmath.cosh,
    p.asinh: mpmath.asinh, p.acosh: mpmath.acosh, p.atanh: mpmath.atanh,
    p.sigmoid: lambda x: 1 / (1 + mpmath.exp(-x)),
}  # fmt: skip


@pytest.mark.parametrize("prim", REFERENCES, ids=str)
def test_accuracy(prim):
    x = {
        p.acosh: 1 + np.geomspace(1e-12, 1e6, 19),
        p.atanh: np.concatenate([np.linspace(-0.99, 0.99, 20), [1e-300, 1 - 1e-12]]),
        p.sigmoid: np.linspace(-700, 700, 29),
    }.get(prim, np.geomspace(1e-12, 600, 25))
    with mpmath.workdps(40):
        expected = np.array([float(REFERENCES[prim](mpmath.mpf(float(v)))) for v in x])
    np.testing.assert_array_max_ulp(prim(x), expected, maxulp=4)


@pytest.mark.parametrize(
    ("prim", "x", "expected"),
    [
        (p.log, 0.0, inf),
        (p.acosh, 1.0, inf),
        (p.atanh, 1.0, inf),
        (p.asinh, 1e300, 1e-300),
        (p.expm1, -40.0, float(np.exp(-40.0))),
        (p.atanh, 1 - 2.0**-30, float(1 / (2.0**-30 * (2 - 2.0**-30)))),
        (p.sigmoid, -800.0, 0.0),
        (p.tanh, inf, 0.0),
    ],
)
def test_gradients_where_a_careless_formula_fails(prim, x, expected):
    (dx,) = gradients_at(prim, np.array(x))
    np.testing.assert_allclose(dx, expected, rtol=1e-12)


@pytest.mark.parametrize("prim", REFERENCES, ids=str)
def test_integers_are_refused(prim):
    with pytest.raises(S2sadError, match="E0301"):
        prim(np.array(1))
