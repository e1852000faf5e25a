"""Which results have a shape that depends on data?

They are computed operation by operation only. In compiled code every shape is known while
compiling, so there they are an error that says what to do instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.ir import builder
from s2sad.ops.promotion import require_integers, require_tensor, require_tensors
from s2sad.prims.rules import axis_of

SELECT = "keep the shape, and select: ops.where(mask, x, 0), ops.masked_fill"


def known_now(tensor: Any, what: str, instead: str = "do this outside of compiled code") -> Any:
    """The elements of `tensor` as an array; its memory is not shared where it is bfloat16.

    Raises
    ------
    S2sadError
        E0305 in compiled code, where they are not known yet.
    """
    if builder.is_building((tensor,)):
        raise fail(
            "E0305", f"{what} must be known while compiling, and depends on tensor data",
            help=instead,
        )  # fmt: skip
    return dtypes.widen(tensor.array)


def _wrapped(array: np.ndarray, dtype: dtypes.DType = dtypes.int64) -> Tensor:
    return Tensor.wrap(np.asarray(dtypes.narrow(array, dtype)))


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Indices of the elements that are not 0, in row-major order; not in compiled code.

    Parameters
    ----------
    input : Tensor
    as_tuple : bool
        Whether to give a Tensor for each axis, instead of one of shape (n, axes).

    Returns
    -------
    Tensor, int64, or tuple of Tensor

    Raises
    ------
    S2sadError
        E0305 in compiled code, for the shape depends on data.

    Examples
    --------
    >>> import s2sad as ms
    >>> nonzero(ms.Tensor([[0, 3], [5, 0]])).asnumpy()
    array([[0, 1],
           [1, 0]])
    """
    x = require_tensor(input, "nonzero")
    array = known_now(x, "the number of indices that nonzero gives", SELECT)
    if as_tuple:
        return tuple(_wrapped(places) for places in np.nonzero(np.atleast_1d(array)))
    return _wrapped(np.argwhere(array))


def argwhere(input: Any) -> Any:
    """Indices of the elements that are not 0, shape (n, axes): `nonzero`.

    Of a Tensor of any shape and dtype (E0304). E0305 in compiled code, as `nonzero`.

    Examples
    --------
    >>> import s2sad as ms
    >>> argwhere(ms.Tensor([0.0, 3.0, 5.0])).asnumpy()
    array([[1],
           [2]])
    """
    return nonzero(input)


def masked_select(input: Any, mask: Any) -> Any:
    """The elements of `input` where `mask` holds, along one axis; not in compiled code.

    Parameters
    ----------
    input : Tensor
    mask : Tensor of bool
        Broadcast with `input`.

    Raises
    ------
    S2sadError
        E0301 when `mask` is no bool, E0305 in compiled code, for the shape depends on data, E0401
        when the shapes do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> masked_select(ms.Tensor([1, 2, 3]), ms.Tensor([True, False, True])).asnumpy()
    array([1, 3])
    """
    x, mask = require_tensors("masked_select", input, mask)
    if mask.dtype is not dtypes.bool_:
        raise fail("E0301", f"a mask is a bool tensor, got {mask.dtype.name}")
    where = known_now(mask, "the number of elements that masked_select gives", SELECT)
    array = known_now(x, "the number of elements that masked_select gives", SELECT)
    try:
        array, where = np.broadcast_arrays(array, where)
    except ValueError:
        shapes = f"{tuple(x.shape)} and {tuple(mask.shape)}"
        raise fail("E0401", f"the shapes {shapes} of masked_select do not broadcast") from None
    return _wrapped(array[where], x.dtype)


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each integer from 0 on stands in `input`, or the sum of its weights.

    Not in compiled code: how long the result is depends on the greatest integer.

    Parameters
    ----------
    input : Tensor of integers with one axis
    weights : Tensor of the shape of `input`, optional
    minlength : int
        The result is as long at least.

    Returns
    -------
    Tensor
        int64, or of the dtype of `weights`.

    Raises
    ------
    S2sadError
        E0301 for what are no integers, E0305 in compiled code, E0401 for another shape, E0404 for
        a negative number.

    Examples
    --------
    >>> import s2sad as ms
    >>> bincount(ms.Tensor([0, 2, 2])).asnumpy()
    array([1, 0, 2])
    """
    x = require_integers(require_tensor(input, "bincount"), "what bincount counts")
    array = known_now(x, "the greatest integer that bincount counts", "index_add into zeros")
    if array.ndim != 1 or (weights is not None and tuple(weights.shape) != array.shape):
        raise fail("E0401", "bincount takes one axis, and weights of the same shape")
    if minlength < 0 or array.min(initial=0) < 0:
        raise fail("E0404", "bincount counts integers from 0 on")
    counts = np.zeros(max(minlength, int(array.max(initial=-1)) + 1), np.int64)
    if weights is None:
        np.add.at(counts, array, 1)
        return _wrapped(counts)
    ones = Tensor.wrap(np.zeros(counts.shape, weights.dtype.storage))
    return p.index_add(ones, x, require_tensor(weights, "bincount"))


def unique(input: Any) -> tuple[Any, Any]:
    """The different elements of `input`, in the order of their first appearance.

    Not in compiled code. Each NaN is different from all others.

    Parameters
    ----------
    input : Tensor

    Returns
    -------
    values : Tensor with one axis
    inverse : Tensor of the shape of `input`
        The place of each element in `values`; int64 for int64, else int32.

    Raises
    ------
    S2sadError
        E0305 in compiled code, for the shape depends on data.

    Examples
    --------
    >>> import s2sad as ms
    >>> values, inverse = unique(ms.Tensor([5, 3, 5]))
    >>> values.tolist(), inverse.tolist()
    ([5, 3], [0, 1, 0])
    """
    x = require_tensor(input, "unique")
    flat = known_now(x, "the number of elements that unique gives").reshape(-1)
    _, first, inverse = np.unique(flat, return_index=True, return_inverse=True, equal_nan=False)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    kind = dtypes.int64 if x.dtype is dtypes.int64 else dtypes.int32
    found = place[inverse.reshape(x.shape)].astype(kind.storage)
    return _wrapped(flat[first[order]], x.dtype), Tensor.wrap(found)


def sorted_unique(
    input: Any,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """``tensor.unique(...)``: the different elements, or slices along `dim`, in order."""
    x = require_tensor(input, "unique")
    array = known_now(x, "the number of elements that unique gives")
    axis = None if dim is None else axis_of(dim, x.ndim)
    values, inverse, counts = np.unique(
        array, return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    inverse = inverse.reshape(x.shape if axis is None else -1)
    return _with_extras(x, values, (inverse, return_inverse), (counts, return_counts))


def unique_consecutive(
    input: Any,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """`input` without elements that are equal to the one before; not in compiled code.

    Parameters
    ----------
    input : Tensor
    return_inverse, return_counts : bool
        Whether to give the place of each element in the result as well, and how many stood there.
    dim : int, optional
        The axis whose slices are compared; by default the elements are, along one axis.

    Returns
    -------
    Tensor, or tuple of Tensor

    Raises
    ------
    S2sadError
        E0305 in compiled code, for the shape depends on data; E0403 for an axis that does not
        exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> values, counts = unique_consecutive(ms.Tensor([1, 1, 2, 1]), return_counts=True)
    >>> values.tolist(), counts.tolist()
    ([1, 2, 1], [2, 1, 1])
    """
    x = require_tensor(input, "unique_consecutive")
    array = known_now(x, "the number of elements that unique_consecutive gives")
    axis = 0 if dim is None else axis_of(dim, x.ndim)
    rows = array.reshape(-1) if dim is None else np.moveaxis(array, axis, 0)
    differs = rows[1:] != rows[:-1]
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = differs.any(axis=tuple(range(1, rows.ndim)))
    starts = np.flatnonzero(is_new)
    inverse = (np.cumsum(is_new) - 1).reshape(x.shape if dim is None else -1)
    counts = np.diff(np.append(starts, len(rows)))
    values = np.moveaxis(rows[starts], 0, axis)
    return _with_extras(x, values, (inverse, return_inverse), (counts, return_counts))


def _with_extras(x: Any, values: np.ndarray, *extras: tuple[np.ndarray, bool]) -> Any:
    """`values`, alone or before those of `extras` that are asked for."""
    found = [_wrapped(extra) for extra, is_wanted in extras if is_wanted]
    result = _wrapped(values, x.dtype)
    return (result, *found) if found else result
