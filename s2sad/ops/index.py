"""Which elements and slices are read at indices that are data?

An index is checked when the program runs: a negative one counts from the end, one out of range is
an error (E0501). The gradient of what is read twice is added up.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.promotion import as_dtype, require_tensor, require_tensors
from s2sad.ops.settings import integer
from s2sad.ops.shapes import ravel, reshape
from s2sad.prims.rules import axis_of


def gather(input_params: Any, input_indices: Any, axis: int, batch_dims: int = 0) -> Any:
    """The slices of `input_params` along `axis` at `input_indices`.

    Parameters
    ----------
    input_params : Tensor
    input_indices : Tensor of integers, any shape
    axis : int
    batch_dims : int
        As many foremost axes of both are gone through together, not combined.

    Returns
    -------
    Tensor
        Shape ``input_params.shape[:axis] + input_indices.shape[batch_dims:] +
        input_params.shape[axis + 1:]``.

    Raises
    ------
    S2sadError
        E0301 when the indices are no integers, E0303 for what is no int, E0401 when the axes gone
        through together differ, E0403 for an axis that does not exist, E0404 for `batch_dims` that
        reach beyond `axis`; at run time E0501 for an index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> gather(ms.Tensor([10, 20, 30]), ms.Tensor([2, 0, -1]), 0).asnumpy()
    array([30, 10, 30])
    >>> gather(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([0, 1]), 1, batch_dims=1).asnumpy()
    array([1, 4])
    """
    x, indices = require_tensors("gather", input_params, input_indices)
    integer("batch_dims", batch_dims)
    axis = axis_of(axis, x.ndim)
    count = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    if not 0 <= count <= min(axis, indices.ndim):
        raise fail("E0404", f"batch_dims {batch_dims} reaches beyond axis {axis} or the indices")
    return _gather_in_batches(x, indices, axis, count) if count else p.gather(x, indices, axis=axis)


def _gather_in_batches(x: Any, indices: Any, axis: int, count: int) -> Any:
    """`gather` where the foremost `count` axes of both are gone through together."""
    batch, rest = tuple(indices.shape[:count]), tuple(indices.shape[count:])
    if batch != tuple(x.shape[:count]):
        raise fail("E0401", f"the first {count} axes are {batch} and {tuple(x.shape[:count])}")
    order = (*range(count), axis, *(i for i in range(count, x.ndim) if i != axis))
    ones = (1,) * len(rest)
    places = [
        p.reshape(p.iota(dtype=dtypes.int64, shape=(n,)), shape=(*_only(n, i, count), *ones))
        for i, n in enumerate(batch)
    ]
    found = p.gather_nd(p.transpose(x, perm=order), index_rows([*places, indices]))
    # What lay between the batch and `axis` stands behind the indices now.
    between = axis - count
    moved = range(count + len(rest), count + len(rest) + between)
    after = range(moved.stop, found.ndim)
    return p.transpose(found, perm=(*range(count), *moved, *range(count, moved.start), *after))


def _only(size: Any, place: int, ndim: int) -> tuple[Any, ...]:
    """Shape of `ndim` axes, of which one at `place` has `size` and the others 1."""
    return tuple(size if i == place else 1 for i in range(ndim))


def index_rows(indices: list[Any]) -> Any:
    """Index tensors, broadcast, side by side along a new last axis, as `gather_nd` reads them."""
    shape = dims.broadcast(*[tuple(x.shape) for x in indices])
    wide = [p.broadcast_to(as_dtype(x, dtypes.int64), shape=shape) for x in indices]
    return p.stack(*wide, axis=-1)


def gather_elements(input: Any, dim: int, index: Any) -> Any:
    """For each index the element that has it along `dim`, and the index's own place else.

    Parameters
    ----------
    input : Tensor
    dim : int
    index : Tensor of integers
        As many axes as `input`, and along all but `dim` no longer.

    Returns
    -------
    Tensor, shape of `index`

    Raises
    ------
    S2sadError
        E0301 when `index` holds no integers, E0401 when its shape does not fit, E0403 for an axis
        that does not exist; at run time E0501 for an index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> gather_elements(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([[0, 0], [1, 0]])).asnumpy()
    array([[1, 1],
           [4, 3]])
    """
    return p.gather_elements(*require_tensors("gather_elements", input, index), axis=dim)


def gather_d(x: Any, dim: int, index: Any) -> Any:
    """For each index the element of `x` that has it along `dim`: `gather_elements`.

    Arguments and errors are those of `gather_elements`.

    Examples
    --------
    >>> import s2sad as ms
    >>> gather_d(ms.Tensor([[1, 2], [3, 4]]), 0, ms.Tensor([[1, 0]])).asnumpy()
    array([[3, 2]])
    """
    return gather_elements(x, dim, index)


def gather_nd(input_x: Any, indices: Any) -> Any:
    """The elements, or slices, of `input_x` at the indices along the last axis of `indices`.

    Parameters
    ----------
    input_x : Tensor
    indices : Tensor of integers, shape (..., k)
        One for each of the first k axes of `input_x`.

    Returns
    -------
    Tensor, shape ``indices.shape[:-1] + input_x.shape[k:]``

    Raises
    ------
    S2sadError
        E0301 when `indices` are no integers, E0401 when k is too large; at run time E0501 for an
        index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> gather_nd(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[0, 1], [1, 1]])).asnumpy()
    array([2, 4])
    """
    return p.gather_nd(*require_tensors("gather_nd", input_x, indices))


def index_select(input: Any, axis: int, index: Any) -> Any:
    """The slices of `input` along `axis` at `index`, which has one axis.

    Parameters
    ----------
    input : Tensor, shape (..., n, ...)
    axis : int
        The axis of length n.
    index : Tensor of integers, shape (k,) or ()

    Returns
    -------
    Tensor, shape (..., k, ...)

    Raises
    ------
    S2sadError
        E0301 when `index` holds no integers, E0304 for what is no Tensor, E0401 when `index` has
        more axes, E0403 for an axis that does not exist; at run time E0501 for an index out of
        range.

    Examples
    --------
    >>> import s2sad as ms
    >>> index_select(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([1, 1])).asnumpy()
    array([[2, 2],
           [4, 4]])
    """
    x, places = require_tensors("index_select", input, index)
    if places.ndim > 1:
        raise fail("E0401", f"the index of index_select has one axis, got {tuple(places.shape)}")
    return p.gather(x, reshape(places, -1), axis=axis)


def take(input: Any, index: Any) -> Any:
    """The elements of `input`, counted along one axis, at `index`, any shape.

    Parameters
    ----------
    input : Tensor
    index : Tensor of integers

    Returns
    -------
    Tensor, shape of `index`

    Raises
    ------
    S2sadError
        E0301 when `index` holds no integers, E0304 for what is no Tensor; at run time E0501 for an
        index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> take(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([3, 0])).asnumpy()
    array([4, 1])
    """
    return p.gather(ravel(input), require_tensor(index, "take"), axis=0)


def brought_in(what: str, places: Any, count: Any, mode: str) -> Any:
    """`places`, integers, as `mode` has them where there are `count` elements.

    Parameters
    ----------
    what : str
        Who asks, for messages.
    places : Tensor
    count : int
    mode : {"clip", "wrap", "raise"}
        The nearest place that exists, the place modulo `count`, or as it stands.

    Raises
    ------
    S2sadError
        E0404 for another `mode`.
    """
    if mode not in ("clip", "raise", "wrap"):
        raise fail("E0404", f"the mode of {what} is 'clip', 'raise' or 'wrap', got {mode!r}")
    if mode == "raise":
        return places
    places = as_dtype(places, dtypes.int64)
    return p.clip(places, 0, count - 1) if mode == "clip" else p.mod(places, count)
