"""A function of one tensor of floats against float64: values, dtypes, shapes, gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, refused

#: How far a result may be from the exact one, relative to it.
TOLERANCES = {ms.float64: 1e-13, ms.float32: 1e-6, ms.float16: 1e-3, ms.bfloat16: 8e-3}


def check_function(name: str, reference: Callable[..., Any], values: Any, special: Any) -> None:
    """``ops.name`` and the method of that name are `reference`, at `values` and at `special`.

    `special` are numbers at which signs, infinities and NaN must be right as well.
    """
    function = getattr(ops, name)
    method: Any = ops.METHODS.get(name, function)

    def run(x: Any) -> Any:
        return function(x), method(x)

    for dtype, tolerance in TOLERANCES.items():
        x = ms.Tensor(np.asarray(values), dtype)
        for result in both_forms(run, x):
            assert (result.dtype, result.shape) == (dtype, x.shape)
            expected = in_float64(reference, x)
            np.testing.assert_allclose(wide(result), expected, rtol=tolerance, atol=1e-30)
    for result in both_forms(run, ms.Tensor(np.asarray(special, np.float64))):
        expected = in_float64(reference, ms.Tensor(np.asarray(special, np.float64)))
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-13)
        is_number = ~np.isnan(expected)
        signs = np.signbit(result.asnumpy()[is_number]), np.signbit(expected[is_number])
        np.testing.assert_array_equal(*signs)


def check_integers(name: str, reference: Callable[..., Any], values: Any) -> None:
    """Integers and bools are taken as float32; no elements and 0-d tensors keep their shape."""
    function = getattr(ops, name)

    def run(x: Any) -> Any:
        return function(x)

    for dtype in (ms.int8, ms.int64, ms.uint8, ms.bool_):
        x = ms.Tensor(np.abs(values) if dtype is ms.uint8 else values, ms.int64).astype(dtype)
        result = both_forms(run, x)
        assert result.dtype is ms.float32
        np.testing.assert_allclose(
            result.asnumpy(), in_float64(reference, x), rtol=1e-6, atol=1e-30
        )
    for shape in ((), (0,), (2, 0, 3)):
        assert both_forms(run, ms.Tensor(np.full(shape, values[0]), ms.float32)).shape == shape

    def of_a_number(x: Any) -> Any:
        return function(0.5) + x

    refused("E0304", of_a_number, ms.Tensor(1.0))


def check_derivatives(function: Callable[..., Any], values: Any, **tolerances: float) -> None:
    """First and second derivative of an elementwise function against differences."""

    def slope(x: Any) -> Any:
        return ms.grad(function)(x)

    check_gradients(function, values, **tolerances)
    gradient = ms.grad(slope)(ms.Tensor(np.asarray(values, np.float64)))
    step = 1e-6
    sides = [slope(ms.Tensor(np.asarray(values) + s)).asnumpy() for s in (step, -step)]
    expected = (sides[0] - sides[1]) / (2 * step)
    np.testing.assert_allclose(gradient.asnumpy(), expected, rtol=1e-5, atol=1e-7)


def in_float64(reference: Callable[..., Any], *tensors: Any) -> np.ndarray:
    """`reference` on the elements of `tensors` in float64."""
    with np.errstate(all="ignore"):
        return np.asarray(reference(*(wide(x) if isinstance(x, ms.Tensor) else x for x in tensors)))


def wide(tensor: Any) -> np.ndarray:
    """Elements of a tensor as float64."""
    return ops.cast(tensor, ms.float64).asnumpy()
