"""Shapes and dtypes of tensors."""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ops.promotion import as_dtype


def cast(input: Any, dtype: DType) -> Any:  # noqa: A002
    """`input` in another dtype; the gradient is cast back.

    Examples
    --------
    >>> import s2sad as ms
    >>> cast(ms.Tensor([1.7, -1.7]), ms.int32).asnumpy()
    array([ 1, -1], dtype=int32)
    """
    return as_dtype(input, dtype)


def reshape(input: Any, *shape: Any) -> Any:  # noqa: A002
    """The elements of `input`, in order, in another shape; one size may be -1.

    Raises
    ------
    S2sadError
        E0401 when the number of elements differs.

    Examples
    --------
    >>> import s2sad as ms
    >>> reshape(ms.Tensor([1, 2, 3, 4]), (2, -1)).asnumpy()
    array([[1, 2],
           [3, 4]])
    """
    wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return p.reshape(input, shape=_without_unknown(tuple(wanted), tuple(input.shape)))


def _without_unknown(wanted: tuple[Any, ...], shape: tuple[Any, ...]) -> tuple[Any, ...]:
    if -1 not in wanted:
        return wanted
    known = math.prod(n for n in wanted if n != -1)
    total = math.prod(shape)
    if wanted.count(-1) > 1 or known == 0 or total % known:
        raise fail("E0401", f"cannot reshape {shape} to {wanted}")
    return tuple(total // known if n == -1 else n for n in wanted)


def flatten(input: Any, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Any:  # noqa: A002
    """`input` with the axes `start_dim` to `end_dim` made one.

    Examples
    --------
    >>> import s2sad as ms
    >>> flatten(ms.Tensor([[[1, 2], [3, 4]]])).asnumpy()
    array([[1, 2, 3, 4]])
    """
    if order != "C":
        raise fail("E0404", f"flatten supports order 'C', got {order!r}")
    shape, ndim = tuple(input.shape), input.ndim
    if not ndim:
        return p.reshape(input, shape=(1,))
    first, last = _axis(start_dim, ndim), _axis(end_dim, ndim)
    if first > last:
        raise fail("E0404", f"start_dim {start_dim} lies after end_dim {end_dim}")
    middle = math.prod(shape[first : last + 1])
    return p.reshape(input, shape=(*shape[:first], middle, *shape[last + 1 :]))


def _axis(axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise fail("E0403", f"axis {axis} is out of range for a tensor with {ndim} axes")
    return axis % ndim


def transpose(input: Any, *axes: Any) -> Any:  # noqa: A002
    """`input` with its axes in another order; reversed when no order is given.

    Examples
    --------
    >>> import s2sad as ms
    >>> transpose(ms.Tensor([[1, 2], [3, 4]]), (1, 0)).asnumpy()
    array([[1, 3],
           [2, 4]])
    """
    order = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
    wanted = tuple(order) or tuple(range(input.ndim))[::-1]
    return p.transpose(input, perm=tuple(_axis(a, input.ndim) for a in wanted))
