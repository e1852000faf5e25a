"""What does the sign of a number tell, of zeros too?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ops.promotion import (
    as_dtype,
    as_tensor,
    dtype_met,
    promote,
    promote_floats,
    require_tensor,
)

_BITS = {16: dtypes.int16, 32: dtypes.int32, 64: dtypes.int64}


def signbit(input: Any) -> Any:
    """Whether elements are negative, or -0.0, or NaN with a sign.

    Parameters
    ----------
    input : Tensor

    Returns
    -------
    Tensor of bool

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> signbit(ms.Tensor([0.0, -0.0, -1.0])).asnumpy()
    array([False,  True,  True])
    """
    x = require_tensor(input, "signbit")
    if x.dtype is dtypes.bool_:
        return p.zeros_like(x)
    return p.less(p.bitcast(x, dtype=_BITS[x.dtype.bits]) if x.dtype.is_float else x, 0)


def copysign(x: Any, other: Any) -> Any:
    """The size of `x` with the sign of `other`; shapes broadcast.

    Parameters
    ----------
    x, other : Tensor or number
        One at least a Tensor. Integers and bools are taken as float32.

    Raises
    ------
    S2sadError
        E0304 for what is neither Tensor nor number, E0401 when shapes do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> copysign(ms.Tensor([1.0, -2.0]), ms.Tensor([-0.0, 3.0])).asnumpy()
    array([-1.,  2.], dtype=float32)
    """
    size, sign = promote_floats(x, other)
    turns = p.logical_xor(signbit(size), signbit(sign))
    return p.where(turns, p.neg(size), size)


def heaviside(input: Any, values: Any) -> Any:
    """0 for negative elements, 1 for positive ones, `values` for zeros, NaN for NaN.

    Parameters
    ----------
    input, values : Tensor or number
        One at least a Tensor; they broadcast.

    Raises
    ------
    S2sadError
        E0304 for what is neither Tensor nor number, E0401 when shapes do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> heaviside(ms.Tensor([-1.5, 0.0, 2.0]), 0.5).asnumpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    given = promote(input, values)
    dtype = dtype_met(*given)
    x, at_zero = (as_tensor(each, dtype) for each in given)
    if dtype is dtypes.bool_:
        return p.logical_or(x, at_zero)
    step = as_dtype(p.greater(x, 0), dtype)
    step = p.where(p.equal(x, 0), at_zero, step)
    return p.where(p.is_nan(x), x, step) if dtype.is_float else step


def isneginf(input: Any) -> Any:
    """Whether elements are -infinity.

    E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> isneginf(ms.Tensor([1.0, float("-inf")])).asnumpy()
    array([False,  True])
    """
    return _is(input, -math.inf, "isneginf")


def isposinf(input: Any) -> Any:
    """Whether elements are +infinity.

    E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> isposinf(ms.Tensor([1.0, float("inf")])).asnumpy()
    array([False,  True])
    """
    return _is(input, math.inf, "isposinf")


def _is(input: Any, number: float, what: str) -> Any:
    x = require_tensor(input, what)
    if x.dtype.is_float:
        return p.equal(x, number)
    return p.full_like(x, value=False, dtype=dtypes.bool_)
