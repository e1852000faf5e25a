"""What are exponentials and logarithms, and the hyperbolic functions made of them?

Integers and bools are taken as float32.
"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.ops.promotion import (
    as_dtype,
    as_tensor,
    floats_of,
    promote_floats,
    require_broadcast,
)


def exp(input: Any) -> Any:
    """Euler's number to the power `input`, of integers in float32.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> exp(ms.Tensor([0, 1])).asnumpy()
    array([1.      , 2.718282], dtype=float32)
    """
    return p.exp(floats_of(input, "exp"))


def exp2(input: Any) -> Any:
    """Two to the power `input`.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> exp2(ms.Tensor([3.0, -1.0])).asnumpy()
    array([8. , 0.5], dtype=float32)
    """
    return p.exp2(floats_of(input, "exp2"))


def expm1(input: Any) -> Any:
    """``exp(input) - 1``, without the cancellation near 0.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> expm1(ms.Tensor([0.0, 1e-8])).asnumpy()
    array([0.e+00, 1.e-08], dtype=float32)
    """
    return p.expm1(floats_of(input, "expm1"))


def log(input: Any) -> Any:
    """Natural logarithm, of integers in float32; -inf at 0, NaN below.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> log(ms.Tensor([1.0, 0.0])).asnumpy()
    array([  0., -inf], dtype=float32)
    """
    return p.log(floats_of(input, "log"))


def log1p(input: Any) -> Any:
    """``log(1 + input)``, without the rounding near 0; -inf at -1, NaN below.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> log1p(ms.Tensor([0.0, 1e-8])).asnumpy()
    array([0.e+00, 1.e-08], dtype=float32)
    """
    return p.log1p(floats_of(input, "log1p"))


def log2(input: Any) -> Any:
    """Logarithm to base 2; -inf at 0, NaN below.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> log2(ms.Tensor([8.0, 0.5])).asnumpy()
    array([ 3., -1.], dtype=float32)
    """
    return p.log2(floats_of(input, "log2"))


def log10(input: Any) -> Any:
    """Logarithm to base 10; -inf at 0, NaN below.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> log10(ms.Tensor([1000.0, 1.0])).asnumpy()
    array([3.0000002, 0.       ], dtype=float32)
    """
    return p.log10(floats_of(input, "log10"))


def sinh(input: Any) -> Any:
    """Hyperbolic sine.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> sinh(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 1.1752012], dtype=float32)
    """
    return p.sinh(floats_of(input, "sinh"))


def cosh(input: Any) -> Any:
    """Hyperbolic cosine.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> cosh(ms.Tensor([0.0, 1.0])).asnumpy()
    array([1.       , 1.5430807], dtype=float32)
    """
    return p.cosh(floats_of(input, "cosh"))


def asinh(input: Any) -> Any:
    """Inverse of `sinh`.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> asinh(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 0.8813736], dtype=float32)
    """
    return p.asinh(floats_of(input, "asinh"))


def acosh(input: Any) -> Any:
    """Inverse of `cosh` above 0; NaN below 1. The gradient at 1 is infinite.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> acosh(ms.Tensor([1.0, 2.0])).asnumpy()
    array([0.      , 1.316958], dtype=float32)
    """
    return p.acosh(floats_of(input, "acosh"))


def atanh(input: Any) -> Any:
    """Inverse of `tanh`; infinite at -1 and 1, NaN outside.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> atanh(ms.Tensor([0.0, 1.0])).asnumpy()
    array([ 0., inf], dtype=float32)
    """
    return p.atanh(floats_of(input, "atanh"))


arcsinh, arccosh, arctanh = asinh, acosh, atanh


def logaddexp(input: Any, other: Any) -> Any:
    """``log(exp(input) + exp(other))``, without overflow.

    Operands and errors are those of `add`; integers and bools give float32.

    Examples
    --------
    >>> import s2sad as ms
    >>> logaddexp(ms.Tensor([1000.0, -1000.0]), ms.Tensor([1000.0, 0.0])).asnumpy()
    array([1000.6932,    0.    ], dtype=float32)
    """
    return _log_of_sum(input, other, 1.0)


def logaddexp2(input: Any, other: Any) -> Any:
    """``log2(2**input + 2**other)``, without overflow.

    Operands and errors are those of `add`; integers and bools give float32.

    Examples
    --------
    >>> import s2sad as ms
    >>> logaddexp2(ms.Tensor([1000.0]), ms.Tensor([1000.0])).asnumpy()
    array([1001.], dtype=float32)
    """
    return _log_of_sum(input, other, math.log(2.0))


def _log_of_sum(input: Any, other: Any, log_of_base: float) -> Any:
    one, other = promote_floats(input, other)
    x, y = (as_dtype(side, side.dtype.compute) for side in (one, other))
    # Which of two is called the larger one does not matter where they are equal, so every
    # derivative is right there, as it would not be through `maximum` and `abs`.
    is_x = p.greater_equal(x, y)
    large, small = p.where(is_x, x, y), p.where(is_x, y, x)
    endless = p.logical_and(p.equal(x, y), p.is_inf(x))
    below = p.where(endless, 0, p.sub(small, large))
    rest = p.softplus(p.mul(below, log_of_base))
    return as_dtype(p.add(large, p.div(rest, log_of_base)), one.dtype)


def xlogy(input: Any, other: Any) -> Any:
    """``input * log(other)``; 0 where `input` is 0 and `other` is not NaN.

    Operands and errors are those of `add`; integers and bools give float32.

    Examples
    --------
    >>> import s2sad as ms
    >>> xlogy(ms.Tensor([0.0, 2.0]), ms.Tensor([0.0, 1.0])).asnumpy()
    array([0., 0.], dtype=float32)
    """
    one, other = promote_floats(input, other)
    require_broadcast(one, other)
    x, y = (as_dtype(side, side.dtype.compute) for side in (one, other))
    none = p.equal(x, 0)
    pole = p.logical_and(none, p.logical_or(p.less_equal(y, 0), p.is_inf(y)))
    # Where the logarithm is finite it stays: it is the gradient by `input`.
    product = p.mul(x, p.log(p.where(pole, 1, y)))
    zero = p.where(none, 0, as_tensor(-0.0, x.dtype))  # where `input` is 0, no product is -0.0
    return as_dtype(p.add(product, zero), one.dtype)
