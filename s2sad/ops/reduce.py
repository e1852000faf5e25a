"""Reductions over axes."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ops.promotion import as_dtype, dtype_of, require_tensor


def sum(
    input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:  # fmt: skip
    """Sum over the axes `dim` (all when None), of elements cast to `dtype`.

    Parameters
    ----------
    input : Tensor
    dim : int, or tuple or list of int, optional
    keepdim : bool
        Whether the axes stay, with size 1.
    dtype : DType, optional
        That of the result; int64 for integers and bools by default.

    Raises
    ------
    S2sadError
        E0403 for an axis that does not exist, or is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
    array([3., 7.], dtype=float32)
    """
    x = require_tensor(input, "sum")
    default = x.dtype if x.dtype.is_float else dtypes.int64
    x = as_dtype(x, default if dtype is None else dtype_of(dtype))
    return p.reduce_sum(x, axis=_axes(dim), keepdims=keepdim)


def mean(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Mean over the axes `axis` (all when None); of integers, truncated to their dtype.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int, or tuple or list of int, optional
    keep_dims : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0301 for bools, E0403 for an axis that does not exist, or is named twice.

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
        return p.mean(x, axis=_axes(axis), keepdims=keep_dims)
    wide = p.mean(as_dtype(x, dtypes.float64), axis=_axes(axis), keepdims=keep_dims)
    return as_dtype(wide, x.dtype)


def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Index (int64) of the first largest element along `dim`; of the flat tensor when None.

    Parameters
    ----------
    input : Tensor of numbers
    dim : int, optional
    keepdim : bool
        Whether `dim` stays, with size 1; without `dim` it has no meaning.

    Raises
    ------
    S2sadError
        E0301 for bools, E0401 along an empty axis, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> argmax(ms.Tensor([[1.0, 2.0], [4.0, 3.0]]), 1).asnumpy()
    array([1, 0])
    """
    x = require_tensor(input, "argmax")
    if dim is None:
        return p.argmax(p.reshape(x, shape=(_size(x),)), axis=0, keepdims=False)
    return p.argmax(x, axis=dim, keepdims=keepdim)


def _size(x: Any) -> Any:
    size: Any = 1
    for n in x.shape:
        size = size * n
    return size


def _axes(axes: Any) -> Any:
    if axes is None or axes in ((), []):
        return None
    return tuple(axes) if isinstance(axes, (tuple, list)) else axes
