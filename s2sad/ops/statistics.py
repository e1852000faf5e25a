"""How are elements distributed: where is their middle, how far do they spread?

Integers and bools are taken as float32; not so integers by `mean`, and neither by `median`.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.promotion import as_dtype, as_float, dtype_of, floats_of, require_tensor
from s2sad.ops.reduce import given_axes
from s2sad.ops.shapes import ravel
from s2sad.prims.rules import axis_of


def mean(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Mean over the axes `axis` (all when None); of integers, truncated to their dtype.

    Parameters
    ----------
    x : Tensor
        Bools are 0 and 1 in float32.
    axis : int, or tuple or list of int, optional
    keep_dims : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0403 for an axis that does not exist, or is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()
    array(2.5, dtype=float32)
    >>> mean(ms.Tensor([-1, -2])).asnumpy()
    array(-1)
    """
    x = require_tensor(x, "mean")
    if not x.dtype.is_integer:
        return p.mean(as_float(x), axis=given_axes(axis), keepdims=keep_dims)
    wide = p.mean(as_dtype(x, dtypes.float64), axis=given_axes(axis), keepdims=keep_dims)
    return as_dtype(wide, x.dtype)


def nanmean(input: Any, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
    """Mean over the axes `axis` of the elements that are not NaN; NaN where there are none.

    Integers and bools give float32. Arguments and errors are those of `sum`.

    Examples
    --------
    >>> import s2sad as ms
    >>> nanmean(ms.Tensor([1.0, float("nan"), 2.0])).asnumpy()
    array(1.5, dtype=float32)
    """
    x = floats_of(input, "nanmean")
    x = x if dtype is None else as_dtype(x, dtype_of(dtype))
    wide = as_dtype(x, x.dtype.compute)
    missing = p.is_nan(wide)
    present = as_dtype(p.logical_not(missing), wide.dtype)
    axes = given_axes(axis)
    total = p.reduce_sum(p.where(missing, 0, wide), axis=axes, keepdims=keepdims)
    return as_dtype(p.div(total, p.reduce_sum(present, axis=axes, keepdims=keepdims)), x.dtype)


def var(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Mean square distance from the mean over the axes `axis` (all when None).

    Parameters
    ----------
    input : Tensor
    axis : int, or tuple or list of int, optional
    ddof : int or bool
        The sum of n squares is divided by n - `ddof`, and never by less than 0, which
        makes it infinite, or NaN where all are equal.
    keepdims : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0303 when `ddof` is no int, E0403 for an axis that does not exist, or is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> var(ms.Tensor([1.0, 3.0])).asnumpy(), var(ms.Tensor([1.0, 3.0]), ddof=1).asnumpy()
    (array(1., dtype=float32), array(2., dtype=float32))
    """
    x = floats_of(input, "var")
    return p.variance(x, axis=given_axes(axis), keepdims=keepdims, ddof=_degrees(ddof))


def std(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Square root of `var`; its gradient is 0 where it is 0.

    Parameters and errors are those of `var`.

    Examples
    --------
    >>> import s2sad as ms
    >>> std(ms.Tensor([1.0, 3.0])).asnumpy()
    array(1., dtype=float32)
    """
    x = floats_of(input, "std")
    return p.standard_deviation(x, axis=given_axes(axis), keepdims=keepdims, ddof=_degrees(ddof))


def _degrees(ddof: Any) -> int:
    if not isinstance(ddof, int):
        raise fail("E0303", f"ddof is an int, got {ddof!r}")
    return int(ddof)


def var_mean(
    input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False
) -> tuple[Any, Any]:
    """`var` and the mean.

    Arguments and errors are those of `var`.

    Examples
    --------
    >>> import s2sad as ms
    >>> variance, mean = var_mean(ms.Tensor([1.0, 3.0]))
    >>> variance.asnumpy(), mean.asnumpy()
    (array(1., dtype=float32), array(2., dtype=float32))
    """
    x = floats_of(input, "var_mean")
    return var(x, axis, ddof, keepdims), mean(x, axis, keepdims)


def std_mean(
    input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False
) -> tuple[Any, Any]:
    """`std` and the mean.

    Arguments and errors are those of `var`.

    Examples
    --------
    >>> import s2sad as ms
    >>> deviation, mean = std_mean(ms.Tensor([1.0, 5.0]))
    >>> deviation.asnumpy(), mean.asnumpy()
    (array(2., dtype=float32), array(3., dtype=float32))
    """
    x = floats_of(input, "std_mean")
    return std(x, axis, ddof, keepdims), mean(x, axis, keepdims)


def median(input: Any, axis: int | None = -1, keepdims: bool = False) -> tuple[Any, Any]:
    """Middle element in order along `axis`, the lower one of two, and its index (int64).

    NaN is the median of what holds a NaN. The gradient goes to the element that was taken.

    Parameters
    ----------
    input : Tensor of numbers
    axis : int, optional
        None for the flat tensor; `keepdims` has no meaning then.
    keepdims : bool
        Whether the axis stays, with size 1.

    Raises
    ------
    S2sadError
        E0301 for bools, E0401 along an empty axis, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> value, index = median(ms.Tensor([3.0, 1.0, 4.0, 2.0]))
    >>> value.asnumpy(), index.asnumpy()
    (array(2., dtype=float32), array(3))
    """
    x = require_tensor(input, "median")
    if axis is None or (not x.ndim and axis in (0, -1)):
        x, axis, keepdims = ravel(x), 0, False
    axis = axis_of(axis, x.ndim)
    index = _place_of_median(x, axis)
    value = p.gather_elements(x, index, axis=axis)
    if keepdims:
        return value, index
    return p.squeeze(value, axis=axis), p.squeeze(index, axis=axis)


def _place_of_median(x: Any, axis: int) -> Any:
    size = x.shape[axis]
    if dims.same(size, 0):
        raise fail("E0401", f"axis {axis} is empty: it has no median")
    middle = (size - 1) // 2
    here = tuple(int(i == axis) for i in range(x.ndim))
    start = tuple(middle * at for at in here)
    stop = tuple(middle + 1 if at else size for at, size in zip(here, x.shape, strict=True))
    index = p.slice(p.argsort(x, axis=axis), start=start, stop=stop)
    if not x.dtype.is_float:
        return index
    is_lost = p.reduce_any(p.is_nan(x), axis=axis, keepdims=True)
    return p.where(is_lost, p.argmax(x, axis=axis, keepdims=True), index)


def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """Logarithm of the sum of exponentials over the axes `dim`, without overflow.

    Parameters
    ----------
    input : Tensor
    dim : int, or tuple or list of int
    keepdim : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0401 over an empty axis, E0403 for an axis that does not exist, or is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> logsumexp(ms.Tensor([1000.0, 1000.0]), 0).asnumpy()
    array(1000.6932, dtype=float32)
    """
    x = floats_of(input, "logsumexp")
    return p.log_sum_exp(x, axis=given_axes(dim), keepdims=keepdim)
