"""Reductions over axes."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ops.promotion import as_dtype


def sum(  # noqa: A001
    input: Any, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None  # noqa: A002
) -> Any:
    """Sum over the axes `dim` (all when None); integers and bools sum in int64.

    Examples
    --------
    >>> import s2sad as ms
    >>> sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
    array([3., 7.], dtype=float32)
    """
    if dtype is None and not input.dtype.is_float:
        dtype = dtypes.int64
    return p.reduce_sum(as_dtype(input, dtype or input.dtype), axis=_axes(dim), keepdims=keepdim)


def mean(input: Any, axis: Any = None, keep_dims: bool = False) -> Any:  # noqa: A002
    """Mean over the axes `axis` (all when None).

    Examples
    --------
    >>> import s2sad as ms
    >>> mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()
    array(2.5, dtype=float32)
    """
    return p.mean(input, axis=_axes(axis), keepdims=keep_dims)


def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:  # noqa: A002
    """Index (int64) of the first largest element along `dim`; of the flat tensor when None.

    Examples
    --------
    >>> import s2sad as ms
    >>> argmax(ms.Tensor([[1.0, 2.0], [4.0, 3.0]]), 1).asnumpy()
    array([1, 0])
    """
    if dim is None:
        return p.argmax(p.reshape(input, shape=(_size(input),)), axis=0, keepdims=False)
    return p.argmax(input, axis=dim, keepdims=keepdim)


def _size(input: Any) -> Any:  # noqa: A002
    size: Any = 1
    for n in input.shape:
        size = size * n
    return size


def _axes(axes: Any) -> Any:
    if axes is None or axes == ():
        return None
    return tuple(axes) if isinstance(axes, (tuple, list)) else axes
