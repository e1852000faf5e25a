"""Shapes and dtypes of tensors."""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import as_dtype, dtype_of, is_tensor, require_tensor


def cast(input: Any, dtype: Any) -> Any:
    """`input` in another dtype; the gradient is cast back.

    Parameters
    ----------
    input : Tensor
    dtype : DType, its name, or a dtype of NumPy
        Floats become integers by truncation.

    Raises
    ------
    S2sadError
        E0303 for another `dtype`.

    Examples
    --------
    >>> import s2sad as ms
    >>> cast(ms.Tensor([1.7, -1.7]), ms.int32).asnumpy()
    array([ 1, -1], dtype=int32)
    """
    return as_dtype(require_tensor(input, "cast"), dtype_of(dtype))


def reshape(input: Any, shape: Any) -> Any:
    """The elements of `input`, in order, in another shape; one size may be -1.

    Parameters
    ----------
    input : Tensor
    shape : tuple or list of int, or int

    Raises
    ------
    S2sadError
        E0303 for a size that is no int, E0401 when the number of elements differs, E0404 for a
        negative size, or a -1 that could be any size.

    Examples
    --------
    >>> import s2sad as ms
    >>> reshape(ms.Tensor([1, 2, 3, 4]), (2, -1)).asnumpy()
    array([[1, 2],
           [3, 4]])
    """
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if any(map(is_tensor, sizes)):
        raise fail("E0303", "a shape is made of ints, not of Tensors", help="call int() first")
    return p.reshape(require_tensor(input, "reshape"), shape=sizes)


def flatten(input: Any, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Any:
    """`input` with the axes `start_dim` to `end_dim` made one; at least 1-d.

    Parameters
    ----------
    input : Tensor
    order : {"C", "F"}
        In which the elements are counted: "F" counts the first axis fastest.
    start_dim, end_dim : int

    Raises
    ------
    S2sadError
        E0403 for an axis that does not exist, E0404 for another order, and for a `start_dim` after
        `end_dim`.

    Examples
    --------
    >>> import s2sad as ms
    >>> flatten(ms.Tensor([[[1, 2], [3, 4]]])).asnumpy()
    array([[1, 2, 3, 4]])
    """
    x = require_tensor(input, "flatten")
    if order not in ("C", "F"):
        raise fail("E0404", f"the order of flatten is 'C' or 'F', got {order!r}")
    if order == "F":
        x = p.transpose(x, perm=None)
    shape, ndim = tuple(x.shape), x.ndim
    if ndim <= 1 and (start_dim, end_dim) == (1, -1):
        return p.reshape(x, shape=(-1,) if ndim == 0 else shape)
    first, last = _axis(start_dim, max(ndim, 1)), _axis(end_dim, max(ndim, 1))
    if first > last:
        raise fail("E0404", f"start_dim {start_dim} lies after end_dim {end_dim}")
    middle = math.prod(shape[first : last + 1])
    return p.reshape(x, shape=(*shape[:first], middle, *shape[last + 1 :]))


def _axis(axis: Any, ndim: int) -> int:
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise fail("E0303", f"an axis is an int, got {axis!r}")
    if not -ndim <= axis < ndim:
        raise fail("E0403", f"axis {axis} is out of range for a tensor with {ndim} axes")
    return axis % ndim


def transpose(input: Any, dims: Any) -> Any:
    """`input` with its axes in the order `dims`.

    Parameters
    ----------
    input : Tensor
    dims : tuple or list of int
        Each axis once; negative ones count from the end.

    Raises
    ------
    S2sadError
        E0303 for another number of axes, E0403 for an axis that does not exist, E0404 for one that
        is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> transpose(ms.Tensor([[1, 2], [3, 4]]), (1, 0)).asnumpy()
    array([[1, 3],
           [2, 4]])
    """
    x = require_tensor(input, "transpose")
    return p.transpose(x, perm=tuple(_axis(axis, x.ndim) for axis in dims))


def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """`input` with two axes exchanged.

    Raises
    ------
    S2sadError
        E0303 for what is no int, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> swapaxes(ms.Tensor([[1, 2], [3, 4]]), 0, 1).asnumpy()
    array([[1, 3],
           [2, 4]])
    """
    x = require_tensor(input, "swapaxes")
    one, other = _axis(axis0, x.ndim), _axis(axis1, x.ndim)
    order = list(range(x.ndim))
    order[one], order[other] = other, one
    return p.transpose(x, perm=tuple(order))


def reversed_axes(input: Any) -> Any:
    """``tensor.T``: its axes in reverse order."""
    return p.transpose(input, perm=None)
