"""How do elements compare, which are NaN or infinite, and which of two is chosen?

Nothing wraps here: an integer that a dtype cannot hold is above, or below, all that it can.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.dtypes import DType, bool_, uint8
from s2sad.core.tensor import Tensor
from s2sad.ops.promotion import (
    as_dtype,
    as_operand,
    as_tensor,
    constant,
    default_dtype,
    dtype_met,
    holds,
    is_tensor,
    promote,
    require_tensor,
)


def less(input: Any, other: Any) -> Any:
    """Whether ``input < other``, elementwise.

    Arguments and errors are those of `equal`.

    Examples
    --------
    >>> import s2sad as ms
    >>> less(ms.Tensor([1.0, 3.0]), 2).asnumpy()
    array([ True, False])
    """
    return p.less(*_ordered(input, other))


def less_equal(input: Any, other: Any) -> Any:
    """Whether ``input <= other``, elementwise.

    Arguments and errors are those of `equal`.

    Examples
    --------
    >>> import s2sad as ms
    >>> less_equal(ms.Tensor([1.0, 3.0]), 3).asnumpy()
    array([ True,  True])
    """
    return p.less_equal(*_ordered(input, other))


def greater(input: Any, other: Any) -> Any:
    """Whether ``input > other``, elementwise.

    Arguments and errors are those of `equal`.

    Examples
    --------
    >>> import s2sad as ms
    >>> greater(ms.Tensor([1.0, 3.0]), 2).asnumpy()
    array([False,  True])
    """
    return p.greater(*_ordered(input, other))


def greater_equal(input: Any, other: Any) -> Any:
    """Whether ``input >= other``, elementwise.

    Arguments and errors are those of `equal`.

    Examples
    --------
    >>> import s2sad as ms
    >>> greater_equal(ms.Tensor([1.0, 3.0]), 1).asnumpy()
    array([ True,  True])
    """
    return p.greater_equal(*_ordered(input, other))


def _ordered(input: Any, other: Any) -> tuple[Any, ...]:
    """Both in one dtype that has an order; False comes before True."""
    given = _comparable(input, other)
    return tuple(as_dtype(x, uint8) if is_tensor(x) and x.dtype is bool_ else x for x in given)


def _comparable(input: Any, other: Any) -> tuple[Any, ...]:
    x, y = (as_operand(operand, (input, other)) for operand in (input, other))
    return promote(_beside(x, y), _beside(y, x))


def _beside(operand: Any, other: Any) -> Any:
    """`operand`, or the infinity of its sign where it is an integer that `other` cannot hold."""
    if not is_tensor(other) or not other.dtype.is_integer or not isinstance(operand, int):
        return operand
    return operand if holds(other.dtype, operand) else math.copysign(math.inf, operand)


def equal(input: Any, other: Any) -> Any:
    """Whether ``input == other``, elementwise.

    Parameters
    ----------
    input, other : Tensor or number
        At least one is a Tensor; shapes broadcast, dtypes meet.

    Returns
    -------
    Tensor of bools

    Raises
    ------
    S2sadError
        E0304 for what is neither Tensor nor number, or no Tensor at all; E0401 for shapes that do
        not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> equal(ms.Tensor([1, 3]), 3).asnumpy()
    array([False,  True])
    """
    return p.equal(*_comparable(input, other))


def not_equal(input: Any, other: Any) -> Any:
    """Whether ``input != other``, elementwise.

    Arguments and errors are those of `equal`.

    Examples
    --------
    >>> import s2sad as ms
    >>> not_equal(ms.Tensor([1, 3]), 3).asnumpy()
    array([ True, False])
    """
    return p.not_equal(*_comparable(input, other))


eq, ne, lt, le, gt, ge = equal, not_equal, less, less_equal, greater, greater_equal


def isclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether ``|input - other| <= atol + rtol * |other|``, elementwise.

    Infinities are close to themselves only, NaN to NaN if `equal_nan`. Integers are compared in
    float64, narrow floats in float32.

    Parameters
    ----------
    input, other : Tensor or number
        At least one is a Tensor; shapes broadcast.
    rtol, atol : float
    equal_nan : bool

    Returns
    -------
    Tensor of bools

    Raises
    ------
    S2sadError
        Those of `equal`.

    Examples
    --------
    >>> import s2sad as ms
    >>> isclose(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0 + 1e-6, 2.1])).asnumpy()
    array([ True, False])
    """
    given = promote(input, other)
    dtype = dtype_met(*given)
    wide = dtype.compute if dtype.is_float else dtypes.float64
    x, y = (as_tensor(v, wide) for v in given)
    distance = p.less_equal(p.abs(p.sub(x, y)), p.add(p.mul(p.abs(y), rtol), atol))
    close = p.logical_or(p.equal(x, y), p.logical_and(distance, p.is_finite(y)))
    return p.logical_or(close, p.logical_and(p.is_nan(x), p.is_nan(y))) if equal_nan else close


def allclose(
    input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether all elements are close, as `isclose` says: a bool, in compiled code a Tensor of one.

    Arguments and errors are those of `isclose`.

    Examples
    --------
    >>> import s2sad as ms
    >>> allclose(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 2.0 + 1e-6]))
    True
    """
    found = p.reduce_all(isclose(input, other, rtol, atol, equal_nan))
    return bool(found) if isinstance(found, Tensor) else found


def isnan(input: Any) -> Any:
    """Whether each element is NaN.

    Of any shape and dtype, the result of bools; E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> isnan(ms.Tensor([1.0, float("nan")])).asnumpy()
    array([False,  True])
    """
    x = require_tensor(input, "isnan")
    return p.is_nan(x) if x.dtype.is_float else p.not_equal(x, x)


def isinf(input: Any) -> Any:
    """Whether each element is infinite, of either sign.

    Of any shape and dtype, the result of bools; E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> isinf(ms.Tensor([1.0, -float("inf")])).asnumpy()
    array([False,  True])
    """
    x = require_tensor(input, "isinf")
    return p.is_inf(x) if x.dtype.is_float else p.not_equal(x, x)


def isfinite(input: Any) -> Any:
    """Whether each element is neither NaN nor infinite.

    Of any shape and dtype, the result of bools; E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> isfinite(ms.Tensor([1.0, float("nan"), float("inf")])).asnumpy()
    array([ True, False, False])
    """
    x = require_tensor(input, "isfinite")
    return p.is_finite(x) if x.dtype.is_float else p.equal(x, x)


def nan_to_num(
    input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """`input` with numbers in place of NaN and the infinities, where the gradient is 0.

    Parameters
    ----------
    input : Tensor
        Integers and bools stay as they are.
    nan : float, optional
        0 by default.
    posinf, neginf : float, optional
        The largest and the smallest finite number of the dtype by default.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> nan_to_num(ms.Tensor([1.0, float("nan"), float("inf")]), posinf=9.0).asnumpy()
    array([1., 0., 9.], dtype=float32)
    """
    x = require_tensor(input, "nan_to_num")
    if not x.dtype.is_float:
        return x
    largest = largest_of(x.dtype)
    above, below = largest if posinf is None else posinf, -largest if neginf is None else neginf
    x = p.where(p.is_nan(x), 0 if nan is None else nan, x)
    return p.where(p.equal(x, math.inf), above, p.where(p.equal(x, -math.inf), below, x))


def largest_of(dtype: DType) -> float:
    """The greatest finite number of a dtype of floats."""
    if dtype is dtypes.bfloat16:
        return (2.0 - 2.0**-7) * 2.0**127
    return float(np.finfo(dtype.storage).max)


def where(condition: Any, input: Any, other: Any) -> Any:
    """`input` where `condition` holds, else `other`; all three broadcast.

    The gradient reaches only the side that was selected, so a NaN on the other does not leak.

    Parameters
    ----------
    condition : Tensor of bool
    input, other : Tensor or number
        Two numbers give float32, int64 or bool.

    Raises
    ------
    S2sadError
        E0301 when `condition` is no bool, E0401 when the shapes do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([-1.0, 2.0])
    >>> where(x > 0, x, 0.0).asnumpy()
    array([0., 2.], dtype=float32)
    """
    condition = as_operand(condition, (input, other))
    sides = as_operand(input, (condition,)), as_operand(other, (condition,))
    if any(map(is_tensor, sides)):
        return p.where(condition, *promote(*sides))
    dtype = default_dtype(*sides)
    return p.where(condition, *(constant(x, dtype) for x in sides))
