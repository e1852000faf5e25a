"""Trigonometric functions against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.elementwise import TOLERANCES, check_derivatives, check_function, check_integers, wide
from support.forms import both_forms, check_gradients

ANGLES = np.array([[-2.5, -1.0, -0.125], [0.25, 1.25, 3.0]])
INSIDE = ANGLES / 4
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan, 1e-300, 1e-9]

FUNCTIONS = {
    "sin": (np.sin, ANGLES), "cos": (np.cos, ANGLES), "tan": (np.tan, ANGLES),
    "asin": (np.arcsin, INSIDE), "acos": (np.arccos, INSIDE), "atan": (np.arctan, ANGLES),
    "sinc": (np.sinc, ANGLES / 3.5), "deg2rad": (np.deg2rad, ANGLES),
    "rad2deg": (np.rad2deg, ANGLES),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name):
    reference, values = FUNCTIONS[name]
    special = [x for x in SPECIAL if name != "sinc" or np.isfinite(x) and x != int(x) or x == 0]
    check_function(name, reference, values, special)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_integers(name):
    reference = FUNCTIONS[name][0]
    check_integers(name, reference, [0] if name == "sinc" else [1, 0, 1])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name):
    check_derivatives(getattr(ops, name), FUNCTIONS[name][1])


def test_other_names():
    names = "arcsin arccos arctan arctan2".split()
    others = [ops.asin, ops.acos, ops.atan, ops.atan2]
    assert [getattr(ops, n).__wrapped__ for n in names] == [f.__wrapped__ for f in others]
    x = ms.Tensor([0.5])
    assert x.arcsin().item() == x.asin().item()


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_atan2(dtype):
    def run(y, x):
        return ops.atan2(y, x), y.atan2(x), ops.atan2(y, 2), ops.atan2(-1.5, x)

    ends = np.array([0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan])
    y, x = ms.Tensor(ends[:, None], dtype), ms.Tensor(ends, dtype)
    a, b = wide(y), wide(x)
    expected = np.arctan2(a, b), np.arctan2(a, b), np.arctan2(a, 2.0), np.arctan2(-1.5, b)
    for result, wanted in zip(both_forms(run, y, x), expected, strict=True):
        assert result.dtype is dtype
        np.testing.assert_allclose(wide(result), wanted, rtol=TOLERANCES[dtype])
    check_gradients(ops.atan2, [0.5, -2.0], [1.5, 0.25])


def derivative(function, order):
    for _ in range(order):
        function = ms.grad(function)
    return function


@pytest.mark.parametrize("order", range(4))
def test_derivatives_of_sinc_near_zero(order):
    # sinc(x) is the sum of (-1)**k * (pi * x)**(2 * k) / (2 * k + 1)!
    series = np.polynomial.Polynomial([0.0])
    factorial = 1.0
    for k in range(12):
        factorial *= max(1, 2 * k) * (2 * k + 1)
        coefficients = [0.0] * (2 * k) + [(-1) ** k * np.pi ** (2 * k) / factorial]
        series = series + np.polynomial.Polynomial(coefficients)
    found, expected = derivative(ops.sinc, order), series.deriv(order) if order else series
    for at in (0.0, 1e-9, 1e-3, 0.07, 0.0796):
        at = np.float64(at)
        assert found(ms.Tensor(at)).item() == pytest.approx(expected(at), rel=1e-9, abs=1e-12), at


def test_sinc_at_whole_numbers_and_beyond():
    def run(x):
        return ops.sinc(x)

    result = both_forms(run, ms.Tensor(np.array([1.0, -3.0, np.inf, np.nan])))
    np.testing.assert_allclose(result.asnumpy()[:2], [0.0, 0.0], atol=1e-15)
    assert np.isnan(result.asnumpy()[2:]).all()
