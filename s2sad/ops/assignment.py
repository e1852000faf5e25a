"""What does ``x[...] = value`` make of `x`?

Another tensor, for values do not change: the elements that the index names are replaced. Which
those are is read off a tensor that holds its own places, so that every index means here what it
means when it is read.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import as_dtype, constant, is_tensor, require_tensor
from s2sad.ops.subscript import from_front, getitem


def assigned(input: Any, index: Any, value: Any) -> Any:
    """`input` with ``input[index]`` replaced by `value`.

    Parameters
    ----------
    input : Tensor
    index : as for `getitem`
        Of an element that is named twice, the last value counts. A mask may be data, where `value`
        is one for all that it selects.
    value : Tensor, number, or list of numbers
        Cast to the dtype of `input` and broadcast to the shape of ``input[index]``.

    Raises
    ------
    S2sadError
        E0401 when `value` does not broadcast, and those of `getitem`.

    Examples
    --------
    >>> import s2sad as ms
    >>> assigned(ms.Tensor([[1, 2], [3, 4]]), (slice(None), 0), ms.Tensor([5, 6])).asnumpy()
    array([[5, 2],
           [6, 4]])
    """
    x = require_tensor(input, "an item assignment")
    new = as_dtype(value, x.dtype) if is_tensor(value) else _constant(value, x.dtype)
    if _is_mask(x, index) and _is_one_row(new, x.ndim - index.ndim):
        return _where_mask(x, index, new)
    if _is_row(index) and x.ndim:
        return p.index_update(x, _as_index(index, x), _fitted(new, tuple(x.shape[1:])), axis=0)
    places = getitem(_places(x), index)
    flat = p.reshape(x, shape=(-1,))
    updated = p.index_update(flat, places, _fitted(new, tuple(places.shape)), axis=0)
    return p.reshape(updated, shape=tuple(x.shape))


def _constant(value: Any, dtype: dtypes.DType) -> Any:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise fail("E0304", f"an element of a Tensor is a number, got {value!r}")
    return constant(array, dtype)


def _is_mask(x: Any, index: Any) -> bool:
    return is_tensor(index) and index.dtype is dtypes.bool_ and 0 < index.ndim <= x.ndim


def _is_one_row(value: Any, ndim: int) -> bool:
    """Whether `value` is the same for all that a mask selects, which has `ndim` axes each."""
    return value.ndim <= ndim


def _where_mask(x: Any, mask: Any, value: Any) -> Any:
    if tuple(mask.shape) != tuple(x.shape[: mask.ndim]):
        what = f"a bool index of shape {tuple(mask.shape)}"
        raise fail("E0503", f"{what} does not fit a Tensor of shape {tuple(x.shape)}")
    shape = (*mask.shape, *(1,) * (x.ndim - mask.ndim))
    value = _fitted(value, tuple(x.shape[mask.ndim :]))
    return p.where(p.reshape(mask, shape=shape), value, x)


def _is_row(index: Any) -> bool:
    if isinstance(index, bool):
        return False
    return isinstance(index, int) or (
        is_tensor(index) and index.dtype.is_integer and not index.ndim
    )


def _as_index(index: Any, x: Any) -> Any:
    return index if is_tensor(index) else constant(from_front(index, x.shape[0], 0), dtypes.int64)


def _places(x: Any) -> Any:
    """The place of each element of `x` in the flat order."""
    shape = tuple(x.shape)
    return constant(np.arange(math.prod(shape)).reshape(shape), dtypes.int64)


def _fitted(value: Any, shape: tuple[Any, ...]) -> Any:
    """`value` broadcast to `shape`; leading axes of size 1 too many are left out, as by NumPy."""
    extra = value.ndim - len(shape)
    if extra > 0 and all(size == 1 for size in value.shape[:extra]):
        value = p.reshape(value, shape=tuple(value.shape[extra:]))
    return value if tuple(value.shape) == shape else p.broadcast_to(value, shape=shape)
