"""Rounding against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, refused

VALUES = [0.5, 1.5, -0.5, -0.25, 2.5, -1.75, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e30]
FLOATS = [ms.float16, ms.bfloat16, ms.float32, ms.float64]
FUNCTIONS = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_floats(name, dtype):
    function = getattr(ops, name)
    method = ops.METHODS[name]

    def run(x):
        return function(x), method(x)

    x = ms.Tensor(VALUES, dtype)
    expected = FUNCTIONS[name](ops.cast(x, ms.float64).asnumpy())
    for result in both_forms(run, x):
        found = ops.cast(result, ms.float64).asnumpy()
        assert result.dtype is dtype
        np.testing.assert_array_equal(found, expected)
        is_number = ~np.isnan(expected)
        assert (np.signbit(found) == np.signbit(expected))[is_number].all()


@pytest.mark.parametrize("name", [*FUNCTIONS, "fix"])
@pytest.mark.parametrize("dtype", [ms.int8, ms.int64, ms.uint8, ms.bool_], ids=str)
def test_whole_numbers_stay(name, dtype):
    function = getattr(ops, name)

    def run(x):
        return function(x)

    result = both_forms(run, ms.Tensor([1, 0], dtype))
    assert result.dtype is dtype and result.tolist() == [1, 0]


def test_frac():
    def run(x):
        return ops.frac(x), x.frac(), ops.frac(ops.cast(x, ms.int32))

    one, other, whole = both_forms(run, ms.Tensor([1.25, -1.25, 3.0]))
    assert one.tolist() == other.tolist() == [0.25, -0.25, 0.0]
    assert whole.dtype is ms.int32 and whole.tolist() == [0, 0, 0]
    assert ms.grad(ops.frac)(ms.Tensor([0.5, -1.5])).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("decimals", [0, 1, 2, 3, -1, -2, 40, 400, -400])
@pytest.mark.parametrize("dtype", [ms.float32, ms.float64], ids=str)
def test_decimals(decimals, dtype):
    def run(x):
        return ops.round(x, decimals=decimals), x.round(decimals), x.round(decimals=decimals)

    values = [0.125, -14.5, 155.0, 25.0, np.inf, np.nan, 1e30, -0.0]
    x = ms.Tensor(values, dtype)
    exact = x.asnumpy().astype(np.float64)
    expected = np.array(
        [float(round(v, decimals)) if np.isfinite(v) else v for v in exact.tolist()]
    )
    for result in both_forms(run, x):
        assert result.dtype is dtype
        tolerance = 1e-6 if dtype is ms.float32 else 1e-15
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=tolerance)


def test_pythons_round():
    x = ms.Tensor([0.5, 1.26])
    assert round(x).tolist() == [0.0, 1.0]
    np.testing.assert_allclose(round(x, 1).asnumpy(), [0.5, 1.3], rtol=1e-6)


def test_round_needs_an_int():
    def of_a_float(x):
        return ops.round(x, decimals=1.0)

    def tens(x):
        return ops.round(ops.cast(x, ms.int32), decimals=-1)

    refused("E0303", of_a_float, ms.Tensor([1.0]))
    refused("E0301", tens, ms.Tensor([1.0]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_zero(name):
    function = getattr(ops, name)

    def run(x):
        return function(x) * x

    x = ms.Tensor([1.25, -2.5, 3.0])
    np.testing.assert_array_equal(ms.grad(run)(x).asnumpy(), getattr(ops, name)(x).asnumpy())

    def to_tenths(x):
        return ops.round(x, decimals=1)

    assert ms.grad(to_tenths)(ms.Tensor([1.25, np.inf])).tolist() == [0.0, 0.0]
