"""What does ``x[...] = value`` make of `x`?

Another tensor, for values do not change: the elements that the index names are replaced. Which
those are is read off a tensor that holds its own places, so that every index means here what it
means when it is read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError, amend, fail
from s2sad.ir import builder, dims
from s2sad.ops.masking import candidates, require_row
from s2sad.ops.promotion import (
    as_dtype,
    constant,
    is_tensor,
    require_tensor,
    require_tensors,
    type_of,
)
from s2sad.ops.settings import flag
from s2sad.ops.subscript import as_place, from_front, getitem, places


def assigned(input: Any, index: Any, value: Any) -> Any:
    """`input` with ``input[index]`` replaced by `value`.

    Parameters
    ----------
    input : Tensor
    index : as for `getitem`
        Of an element that is named twice, the last value counts. In compiled code a mask that is
        data stands among ints and slices, and `value` is the same for all that it selects.
    value : Tensor, number, or list of numbers
        Cast to the dtype of `input` and broadcast to the shape of ``input[index]``.

    Raises
    ------
    S2sadError
        E0305 in compiled code for a `value` that differs among what a mask selects, E0401 when
        `value` does not broadcast, and those of `getitem`.

    Examples
    --------
    >>> import s2sad as ms
    >>> assigned(ms.Tensor([[1, 2], [3, 4]]), (slice(None), 0), ms.Tensor([5, 6])).asnumpy()
    array([[5, 2],
           [6, 4]])
    """
    x = require_tensor(input, "an item assignment")
    new = as_dtype(value, x.dtype) if is_tensor(value) else _constant(value, x.dtype)
    from_mask = candidates(x, index)
    if from_mask is not None and (from_mask.takes(new) or builder.is_building((x, new))):
        row = _fitted(require_row(from_mask, new), from_mask.row)
        return from_mask.put(from_mask.aligned(row))
    if _is_row(index) and x.ndim:
        return p.index_update(x, _as_index(index, x), _fitted(new, tuple(x.shape[1:])), axis=0)
    return _at_places(x, index, new, p.index_update)


def index_put(input: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """`input` with ``input[indices]`` replaced by `values`, or with `values` added to it.

    Parameters
    ----------
    input : Tensor
    indices : tuple or list of Tensors, of integers or bools
        One for each of the first axes.
    values : Tensor
        Cast to the dtype of `input` and broadcast to the shape of ``input[indices]``.
    accumulate : bool
        Whether `values` are added; those of one place add up.

    Raises
    ------
    S2sadError
        E0303 for indices that are no tuple or list, E0304 for `values` that are no Tensor, E0401
        when they do not broadcast, and those of `getitem`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, where = ms.Tensor([1.0, 2.0]), (ms.Tensor([1, 1]),)
    >>> index_put(x, where, ms.Tensor([5.0, 7.0]), accumulate=True).asnumpy()
    array([ 1., 14.], dtype=float32)
    """
    x, new = require_tensors("index_put", input, values)
    if not isinstance(indices, (tuple, list)):
        raise fail("E0303", f"the indices of index_put are a tuple of Tensors, got {indices!r}")
    if not flag("accumulate", accumulate):
        return assigned(x, tuple(indices), new)
    return _at_places(x, tuple(indices), as_dtype(new, x.dtype), p.index_add)


def _at_places(x: Any, index: Any, new: Any, write: Any) -> Any:
    """`x` with `new` written, as `write` does, to the elements that `index` names."""
    chosen = getitem(places(x), index)
    flat = p.reshape(x, shape=(-1,))
    updated = write(flat, chosen, _fitted(new, tuple(chosen.shape)), axis=0)
    return p.reshape(updated, shape=tuple(x.shape))


def _constant(value: Any, dtype: dtypes.DType) -> Any:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise fail("E0304", f"an element of a Tensor is a number, got {value!r}")
    return constant(array, dtype)


def _is_row(index: Any) -> bool:
    if isinstance(index, bool):
        return False
    return isinstance(index, (int, dims.Symbolic)) or (
        is_tensor(index) and index.dtype.is_integer and not index.ndim
    )


def _as_index(index: Any, x: Any) -> Any:
    return as_place(index if is_tensor(index) else from_front(index, x.shape[0], 0))


def _fitted(value: Any, shape: tuple[Any, ...]) -> Any:
    """`value` broadcast to `shape`; leading axes of size 1 too many are left out, as by NumPy."""
    extra = value.ndim - len(shape)
    if extra > 0 and all(size == 1 for size in value.shape[:extra]):
        value = p.reshape(value, shape=tuple(value.shape[extra:]))
    if dims.alike(value.shape, shape):
        return value
    try:
        return p.broadcast_to(value, shape=shape)
    except S2sadError as error:
        given = type_of(value)
        amend(error, message=f"{given} does not fit where it is written, of shape {shape}")
        raise
