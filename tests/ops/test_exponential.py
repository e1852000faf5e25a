"""Exponentials, logarithms and hyperbolic functions against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import s2sad as ms
from s2sad import ops
from support.elementwise import TOLERANCES, check_derivatives, check_function, check_integers, wide
from support.forms import both_forms, check_gradients

MIDDLE = np.array([[-2.5, -1.0, -0.125], [0.25, 1.5, 3.0]])
POSITIVE = np.abs(MIDDLE)
ABOVE_1, INSIDE = POSITIVE + 1.125, MIDDLE / 4
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, np.inf, -np.inf, np.nan, 1e-300, 1e-9, 800.0]

FUNCTIONS = {
    "exp": (np.exp, MIDDLE), "exp2": (np.exp2, MIDDLE), "expm1": (np.expm1, MIDDLE),
    "log": (np.log, POSITIVE), "log1p": (np.log1p, POSITIVE), "log2": (np.log2, POSITIVE),
    "log10": (np.log10, POSITIVE), "sinh": (np.sinh, MIDDLE), "cosh": (np.cosh, MIDDLE),
    "asinh": (np.arcsinh, MIDDLE), "acosh": (np.arccosh, ABOVE_1), "atanh": (np.arctanh, INSIDE),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name):
    reference, values = FUNCTIONS[name]
    check_function(name, reference, values, SPECIAL)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_integers(name):
    check_integers(name, FUNCTIONS[name][0], [1, 0, 2])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name):
    check_derivatives(getattr(ops, name), FUNCTIONS[name][1])


def test_other_names():
    for name, x in (
        ("sinh", ms.Tensor([2.0])),
        ("cosh", ms.Tensor([2.0])),
        ("tanh", ms.Tensor([0.5])),
    ):
        expected = getattr(np, f"arc{name}")(x.asnumpy())
        other, own = (getattr(ops, f"{start}{name}")(x).asnumpy() for start in ("arc", "a"))
        np.testing.assert_array_equal(other, own)
        np.testing.assert_allclose(other, expected, rtol=1e-6)
        np.testing.assert_array_equal(getattr(x, f"arc{name}")().asnumpy(), own)


# ---- of two tensors -------------------------------------------------------------------------

ENDS = np.array([0.0, -0.0, 1.5, -3.0, 1000.0, -1000.0, np.inf, -np.inf, np.nan])
PAIRS = {
    "logaddexp": (np.logaddexp, ENDS),
    "logaddexp2": (np.logaddexp2, ENDS),
    "xlogy": (scipy.special.xlogy, ENDS),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_pairs(name, dtype):
    method = ops.METHODS[name]
    function, (reference, ends) = getattr(ops, name), PAIRS[name]

    def run(x, y):
        return function(x, y), method(x, y), function(x, 2), function(0.5, y)

    x, y = ms.Tensor(ends[:, None], dtype), ms.Tensor(ends, dtype)
    with np.errstate(all="ignore"):
        a, b = wide(x), wide(y)
        expected = reference(a, b), reference(a, b), reference(a, 2.0), reference(0.5, b)
    for result, wanted in zip(both_forms(run, x, y), expected, strict=True):
        assert (result.dtype, result.shape) == (dtype, wanted.shape)
        np.testing.assert_allclose(wide(result), wanted, rtol=TOLERANCES[dtype], atol=1e-30)


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_of_integers(name):
    function = getattr(ops, name)

    def run(x, y):
        return function(x, y)

    result = both_forms(run, ms.Tensor([1, 2]), ms.Tensor([3, 4], ms.int8))
    assert result.dtype is ms.float32
    np.testing.assert_allclose(result.asnumpy(), PAIRS[name][0]([1.0, 2.0], [3.0, 4.0]), rtol=1e-6)


@pytest.mark.parametrize("name", PAIRS)
def test_gradients_of_pairs(name):
    check_gradients(getattr(ops, name), [0.5, 2.0, -1.5], [1.25, 0.75, 3.0])


def test_logaddexp_keeps_small_terms():
    def run(x, y):
        return ops.logaddexp(x, y)

    result = both_forms(run, ms.Tensor(np.float64(0.0)), ms.Tensor(np.float64(-50.0)))
    np.testing.assert_allclose(result.item(), np.exp(-50.0), rtol=1e-13)


def second(function, *numbers):
    """Second derivatives of `function` by its first argument."""
    return ms.grad(ms.grad(function))(*(ms.Tensor(np.float64(x)) for x in numbers)).item()


def test_derivatives_of_logaddexp_at_a_tie():
    zero = ms.Tensor([0.0, np.inf, -np.inf])
    by_x, by_y = ms.grad(ops.logaddexp, (0, 1))(zero, zero)
    assert (by_x.tolist()[0], by_y.tolist()[0]) == (0.5, 0.5)
    assert np.isfinite(by_x.asnumpy()).all() and np.isfinite(by_y.asnumpy()).all()
    assert (by_x.asnumpy() + by_y.asnumpy()).tolist() == [1.0] * 3
    assert second(ops.logaddexp, 1.0, 1.0) == pytest.approx(0.25, rel=1e-12)
    assert second(ops.logaddexp2, 1.0, 1.0) == pytest.approx(0.25 * np.log(2.0), rel=1e-12)


def test_signs_of_zero_of_xlogy():
    x, y = [-1.0, 1.0, -0.0, 0.0], [1.0, 1.0, 0.5, 0.5]
    found = both_forms(ops.xlogy, ms.Tensor(x), ms.Tensor(y)).asnumpy()
    assert np.signbit(found).tolist() == np.signbit(scipy.special.xlogy(x, y)).tolist()


def test_gradient_of_xlogy_at_zero():
    by_x, by_y = ms.grad(ops.xlogy, (0, 1))(ms.Tensor([0.0, 0.0]), ms.Tensor([2.0, 0.0]))
    np.testing.assert_allclose(by_x.asnumpy(), [np.log(2.0), 0.0], rtol=1e-6)
    assert by_y.tolist() == [0.0, 0.0]
