"""Are the error functions and the gamma functions right, and each other's derivatives?

The accuracy of the kernels is tested in `test_kernels_special`.
"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from support.laws import Spec, check_laws, check_values, edges, normal, positive, unary, uniform
from support.reverse import gradients_at

nan, inf = np.nan, np.inf


def inside(*shape: int) -> np.ndarray:
    return uniform(*shape, low=-0.9, high=0.9)


SPECS = [
    *(spec for prim in (p.erf, p.erfc) for spec in unary(prim, normal)),
    *unary(p.erfinv, inside),
    *unary(p.lgamma, positive),
    Spec(p.lgamma, (np.array([-2.5, -0.4, 3.0, 20.0]),)),
    *(Spec(p.polygamma, (positive(2, 3),), {"n": n}) for n in (0, 1, 2, 3)),
    *(Spec(p.polygamma, (positive(*shape),), {"n": 0}) for shape in ((), (0, 3))),
    Spec(p.polygamma, (np.array([-2.5, -0.4, 3.0, 20.0]),), {"n": 1}),
    *edges(p.erf, p.erfc, p.erfinv, p.lgamma),
    *(Spec(p.polygamma, s.operands, {"n": n}, gradient=False)
      for s in edges(p.polygamma) for n in (0, 1, 2)),
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def floats(*values):
    return np.array(values, float)


@pytest.mark.parametrize(
    ("prim", "x", "expected"),
    [
        (p.erf, floats(0.0, -0.0, inf, -inf, nan, 9), floats(0.0, -0.0, 1, -1, nan, 1)),
        (p.erfc, floats(0.0, -0.0, inf, -inf, nan, 30), floats(1, 1, 0, 2, nan, 0)),
        (p.erfinv, floats(0.0, -0.0, 1, -1, 2, nan), floats(0.0, -0.0, inf, -inf, nan, nan)),
        (p.lgamma, floats(1, 2, 0.0, -0.0, -1, inf, -inf, nan),
         floats(0, 0, inf, inf, inf, inf, inf, nan)),
    ],
)  # fmt: skip
def test_values(prim, x, expected):
    check_values(prim(x), expected)


def test_polygamma_at_poles():
    x = floats(0.0, -0.0, -1.0, inf, nan)
    check_values(p.polygamma(x, n=0), floats(-inf, inf, nan, inf, nan))
    check_values(p.polygamma(x, n=1), floats(inf, inf, inf, 0.0, nan))


@pytest.mark.parametrize(
    ("prim", "x", "expected"),
    [
        (p.erf, 0.0, 2 / np.sqrt(np.pi)),
        (p.erf, inf, 0.0),
        (p.erf, 1e200, 0.0),
        (p.erfc, -inf, 0.0),
        (p.erfinv, 1.0, inf),
        (p.lgamma, 1.0, -np.euler_gamma),
    ],
)
def test_gradients(prim, x, expected):
    np.testing.assert_allclose(gradients_at(prim, np.array(x))[0], expected, rtol=1e-15)


def test_the_derivative_of_a_polygamma_is_the_next():
    (dx,) = gradients_at(p.polygamma, np.array(1.5), n=2)
    check_values(dx, p.polygamma(np.array(1.5), n=3))


@pytest.mark.parametrize(("n", "code"), [(-1, "E0404"), (1.0, "E0303"), (True, "E0303")])
def test_a_wrong_order_is_refused(n, code):
    with pytest.raises(S2sadError, match=code):
        p.polygamma(np.array(1.0), n=n)


@pytest.mark.parametrize("prim", [p.erf, p.erfc, p.erfinv, p.lgamma])
def test_integers_are_refused(prim):
    with pytest.raises(S2sadError, match="E0301"):
        prim(np.array(1))
