"""Which of two elements is the larger or smaller one, and what is one held between bounds?

A number that an integer dtype cannot hold counts as the last one that it can. Bools are ordered:
False comes before True.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType, bool_
from s2sad.ops.promotion import constant, dtype_met, is_tensor, promote, require_tensor


def maximum(input: Any, other: Any) -> Any:
    """Larger of two elements; NaN where one is NaN. Equal ones share the gradient.

    Operands and errors are those of `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> maximum(ms.Tensor([1.0, 5.0, float("nan")]), 3).asnumpy()
    array([ 3.,  5., nan], dtype=float32)
    """
    x, y = _met(input, other)
    return p.logical_or(x, y) if dtype_met(x, y) is bool_ else p.maximum(x, y)


def minimum(input: Any, other: Any) -> Any:
    """Smaller of two elements; NaN where one is NaN. Equal ones share the gradient.

    Operands and errors are those of `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> minimum(ms.Tensor([1.0, 5.0, float("nan")]), 3).asnumpy()
    array([ 1.,  3., nan], dtype=float32)
    """
    x, y = _met(input, other)
    return p.logical_and(x, y) if dtype_met(x, y) is bool_ else p.minimum(x, y)


def fmax(input: Any, other: Any) -> Any:
    """Larger of two elements; where one is NaN the other.

    Operands and errors are those of `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> fmax(ms.Tensor([1.0, 5.0, float("nan")]), 3).asnumpy()
    array([3., 5., 3.], dtype=float32)
    """
    return _unless_nan(maximum, *_met(input, other))


def fmin(input: Any, other: Any) -> Any:
    """Smaller of two elements; where one is NaN the other.

    Operands and errors are those of `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> fmin(ms.Tensor([1.0, 5.0, float("nan")]), 3).asnumpy()
    array([1., 3., 3.], dtype=float32)
    """
    return _unless_nan(minimum, *_met(input, other))


def _unless_nan(choose: Any, x: Any, y: Any) -> Any:
    if not dtype_met(x, y).is_float:
        return choose(x, y)
    return p.where(p.is_nan(x), y, p.where(p.is_nan(y), x, choose(x, y)))


def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    """`input`, but at least `min`, and then at most `max`; gradient 1 at a bound.

    Parameters
    ----------
    input : Tensor, or list or tuple of Tensor
        Of a list or tuple each Tensor is clamped.
    min, max : Tensor or number, optional
        One of them at least. Where `min` is above `max`, the result is `max`.

    Raises
    ------
    S2sadError
        E0302 without a bound.

    Examples
    --------
    >>> import s2sad as ms
    >>> clamp(ms.Tensor([-2.0, 0.5, 3.0]), -1, 1).asnumpy()
    array([-1. ,  0.5,  1. ], dtype=float32)
    >>> clamp(ms.Tensor([-2, 5]), min=0).asnumpy()
    array([0, 5])
    """
    if min is None and max is None:
        raise fail("E0302", "clamp needs a bound: min, max, or both")
    if isinstance(input, (list, tuple)):
        several = [_held_between(x, min, max) for x in input]
        return several if isinstance(input, list) else tuple(several)
    return _held_between(input, min, max)


clip = clamp


def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """`x`, but at least `clip_value_min`, and then at most `clip_value_max`, as `clamp` does it.

    Arguments and errors are those of `clamp`.

    Examples
    --------
    >>> import s2sad as ms
    >>> clip_by_value(ms.Tensor([-2.0, 0.5, 3.0]), -1, 1).asnumpy()
    array([-1. ,  0.5,  1. ], dtype=float32)
    """
    return clamp(x, clip_value_min, clip_value_max)


def _held_between(tensor: Any, low: Any, high: Any) -> Any:
    bounds = [bound for bound in (low, high) if bound is not None]
    x, *given = _met(require_tensor(tensor, "clamp"), *bounds)
    if not x.dtype.is_float:
        x = x if low is None else maximum(x, given[0])
        return x if high is None else minimum(x, given[-1])
    # At a bound `clip` has the gradient 1, where `maximum` and `minimum` share it.
    infinity = float("inf")
    return p.clip(
        x, -infinity if low is None else given[0], infinity if high is None else given[-1]
    )


def _met(*operands: Any) -> tuple[Any, ...]:
    """`operands` as tensors of the dtype in which they meet."""
    given = promote(*operands)
    dtype = dtype_met(*given)
    return tuple(x if is_tensor(x) else constant(_nearest(x, dtype), dtype) for x in given)


def _nearest(number: Any, dtype: DType) -> Any:
    """The number of `dtype` that is nearest to `number`."""
    if not dtype.is_integer:
        return number
    bounds = np.iinfo(dtype.storage)
    return min(max(int(number), bounds.min), bounds.max)
