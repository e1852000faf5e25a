"""Which elements do index tensors name, and how are those replaced or added to?

Indices are checked at run time: a negative one counts from the end, once; one out of range is an
error (E0501). All operations are pure; `in_place` forms serve backends that own the operand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ir import dims
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type, i64
from s2sad.prims.arrange import expand_dims, static_size
from s2sad.prims.cast import cast
from s2sad.prims.comparison import equal
from s2sad.prims.constant import const
from s2sad.prims.define import composite, primitive
from s2sad.prims.kernels.scatter import add_rows, checked, set_rows
from s2sad.prims.rules import (
    axis_of,
    canonical_axis,
    is_integer,
    is_number,
    one_dtype,
    require_kind,
    tensor,
)
from s2sad.prims.scan import cummax, cummin
from s2sad.prims.select import where
from s2sad.prims.shape import (
    Shape,
    broadcast_to,
    full_like,
    iota,
    require_shape,
    reshape,
    shape_of,
    zeros_like,
)

#: What is said where there are more updates, or fewer.
ONE_UPDATE = "there is one update for each index"

_MOVES = {Trait.MOVES, Trait.FALLIBLE}


def require_indices(type: Type) -> TensorType:  # noqa: A002
    return require_kind(type, is_integer, "integer indices")


def _beside(shape: Shape, indices: Shape, axis: int) -> Shape:
    """`shape` with the axes of `indices` in place of `axis`."""
    return (*shape[:axis], *indices, *shape[axis + 1 :])


# Whole slices along one axis


def _gather_type(x: Type, indices: Type, *, axis: int) -> TensorType:
    found = tensor(x)
    return TensorType(found.dtype, _beside(found.shape, require_indices(indices).shape, axis))


@primitive(type=_gather_type, traits=_MOVES, linear=(0,), canonical=canonical_axis, same=())
def gather(x, indices, *, axis=0):
    """The slices of `x` along `axis` at `indices`.

    Parameters
    ----------
    x : Tensor of any dtype
    indices : Tensor of integers, any shape
        A negative index counts from the end.
    axis : int

    Returns
    -------
    Tensor, shape ``x.shape[:axis] + indices.shape + x.shape[axis + 1:]``

    Raises
    ------
    S2sadError
        E0301 if `indices` are no integers, E0403 if `axis` is out of range; at run time E0501 if
        an index is.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.gather(np.array([10, 20, 30]), np.array([2, 0, -1]))
    array([30, 10, 30])
    """
    return np.take(x, checked(indices, x.shape[axis], axis), axis)


@gather.adjoint
def gather_adjoint(x, indices, out, dout, *, axis):
    return index_add(zeros_like(x), indices, dout, axis=axis), None


def _index_type(x: Type, indices: Type, updates: Type, *, axis: int) -> TensorType:
    found, places, rows = tensor(x), require_indices(indices), tensor(updates)
    one_dtype(found, rows)
    wanted = _beside(found.shape, places.shape, axis)
    require_shape(rows.shape, wanted, "the updates", ONE_UPDATE)
    return found


def _index_add_type(x: Type, indices: Type, updates: Type, *, axis: int) -> TensorType:
    require_kind(x, is_number, "numbers")
    return _index_type(x, indices, updates, axis=axis)


def _rows(updates: np.ndarray, indices: np.ndarray, axis: int) -> np.ndarray:
    """`updates` with the axes of `indices` first, as one."""
    count = indices.ndim
    moved = np.moveaxis(updates, range(axis, axis + count), range(count))
    return moved.reshape(indices.size, *moved.shape[count:])


def _along(
    write: Any, x: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: int
) -> np.ndarray:
    """Copy of `x`, in C order as all writes leave it, with its slices along `axis` written to."""
    places = checked(indices, x.shape[axis], axis)
    out = np.moveaxis(x, axis, 0).copy(order="C")
    write(out, places.reshape(-1), _rows(updates, indices, axis))
    return np.ascontiguousarray(np.moveaxis(out, 0, axis))


def _write_along(
    write: Any, x: np.ndarray, indices: np.ndarray, updates: np.ndarray, axis: int
) -> None:
    places = checked(indices, x.shape[axis], axis)
    write(np.moveaxis(x, axis, 0), places.reshape(-1), _rows(updates, indices, axis))


@primitive(
    type=_index_add_type, traits={Trait.FALLIBLE, Trait.REASSOCIATES}, linear=((0, 2),),
    canonical=canonical_axis, same=(0, 2),
)  # fmt: skip
def index_add(x, indices, updates, *, axis=0):
    """`x` with `updates` added to its slices along `axis` at `indices`.

    Updates of the same slice add up. Integers wrap. Narrow floats are added up in float32 and
    rounded once.

    Parameters
    ----------
    x : Tensor of numbers
    indices : Tensor of integers, any shape
        A negative index counts from the end.
    updates : Tensor of the dtype of `x`
        Its shape is ``x.shape[:axis] + indices.shape + x.shape[axis + 1:]``.
    axis : int

    Raises
    ------
    S2sadError
        E0301 if a dtype does not fit, E0401 if the shape of `updates` does not, E0403 if `axis`
        is out of range; at run time E0501 if an index is.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.index_add(np.zeros(3), np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]))
    array([1., 0., 5.])
    """
    return _along(add_rows, x, indices, updates, axis)


@index_add.overwrite
def index_add_overwrite(x, indices, updates, *, axis):
    _write_along(add_rows, x, indices, updates, axis)


@index_add.adjoint
def index_add_adjoint(x, indices, updates, out, dout, *, axis):
    return dout, None, gather(dout, indices, axis=axis)


@primitive(
    type=_index_type, traits=_MOVES, linear=((0, 2),), canonical=canonical_axis, same=(0, 2)
)  # fmt: skip
def index_update(x, indices, updates, *, axis=0):
    """`x` with `updates` in place of its slices along `axis` at `indices`.

    Of several updates of the same slice the last one counts, and alone gets a gradient.

    Parameters
    ----------
    x : Tensor of any dtype
    indices : Tensor of integers, any shape
        A negative index counts from the end.
    updates : Tensor of the dtype of `x`
        Its shape is ``x.shape[:axis] + indices.shape + x.shape[axis + 1:]``.
    axis : int

    Raises
    ------
    S2sadError
        E0301 if a dtype does not fit, E0401 if the shape of `updates` does not, E0403 if `axis`
        is out of range; at run time E0501 if an index is.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.index_update(np.zeros(3), np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]))
    array([1., 0., 3.])
    """
    return _along(set_rows, x, indices, updates, axis)


@index_update.overwrite
def index_update_overwrite(x, indices, updates, *, axis):
    _write_along(set_rows, x, indices, updates, axis)


@index_update.adjoint
def index_update_adjoint(x, indices, updates, out, dout, *, axis):
    dupdates = gather(dout, indices, axis=axis)  # first, so that the write may be in place
    dx = index_update(dout, indices, zeros_like(updates), axis=axis)
    if indices.ndim > 0:
        lasting = is_last_index(indices, size=x.shape[axis])
        ones = (1,) * (x.ndim - axis - 1)
        dupdates = where(reshape(lasting, shape=(*indices.shape, *ones)), dupdates, 0)
    return dx, None, dupdates


@composite()
def is_last_index(indices, *, size):
    """Whether no later index, in row-major order, names the same place of an axis of `size`.

    Parameters
    ----------
    indices : Tensor of integers
    size : int

    Raises
    ------
    S2sadError
        E0301 if `indices` are no integers; at run time E0501 if an index is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.is_last_index(np.array([0, 2, -1]), size=3)
    array([ True, False,  True])
    """
    order = row_major_order(indices.shape)
    table = broadcast_to(const(0, i64), shape=(size,))
    return equal(gather(index_update(table, indices, order), indices), order)


def row_major_order(shape: Shape) -> Any:
    """The place of each element in row-major order."""
    return reshape(iota(dtype=i64, shape=(dims.size(shape),)), shape=shape)


# One element of each line


def _elements_type(x: Type, indices: Type, *, axis: int) -> TensorType:
    found, places = tensor(x), require_indices(indices)
    if places.ndim != found.ndim:
        raise fail(
            "E0401", f"the indices need as many axes as {found}, got {places}",
            help="ops.expand_dims(indices, axis) gives them one more",
        )  # fmt: skip
    for i, (size, count) in enumerate(zip(found.shape, places.shape, strict=True)):
        fits = i == axis or dims.less_equal(count, size)
        if not fits:
            code = "E0402" if fits is None else "E0401"
            raise fail(
                code, f"axis {i} of the indices, {places}, must not be longer than in {found}"
            )
    return TensorType(found.dtype, places.shape)


def _element_places(x: np.ndarray, indices: np.ndarray, axis: int) -> np.ndarray:
    """Flat place in `x` that each index names."""
    places = checked(indices, x.shape[axis], axis)
    flat = np.zeros(indices.shape, np.int64)
    for i, size in enumerate(x.shape):
        line = np.arange(indices.shape[i]).reshape((-1,) + (1,) * (x.ndim - i - 1))
        flat = flat * size + (places if i == axis else line)
    return flat


@primitive(type=_elements_type, traits=_MOVES, linear=(0,), canonical=canonical_axis, same=())
def gather_elements(x, indices, *, axis):
    """For each index the element of `x` that has it along `axis`, and the index's own place else.

    Parameters
    ----------
    x : Tensor of any dtype
    indices : Tensor of integers
        As many axes as `x`, and along all but `axis` no longer. A negative index counts from the
        end.
    axis : int

    Returns
    -------
    Tensor, shape of `indices`

    Raises
    ------
    S2sadError
        E0301 if `indices` are no integers, E0401 if their shape does not fit, E0403 if `axis` is
        out of range; at run time E0501 if an index is.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.gather_elements(np.array([[1, 2], [3, 4]]), np.array([[1, 0]]), axis=0)
    array([[3, 2]])
    """
    return np.take(x.reshape(-1), _element_places(x, indices, axis))


@gather_elements.adjoint
def gather_elements_adjoint(x, indices, out, dout, *, axis):
    return scatter_elements(zeros_like(x), indices, dout, axis=axis, reduce="add"), None


def _canonical_reduce(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    if attrs["reduce"] not in ("none", "add"):
        raise fail("E0404", f'reduce is "none" or "add", got {attrs["reduce"]!r}')
    return canonical_axis(types, attrs) if "axis" in attrs else attrs


def _scatter_elements_type(
    x: Type, indices: Type, updates: Type, *, axis: int, reduce: str
) -> TensorType:
    allowed = is_number if reduce == "add" else lambda dtype: True
    found = require_kind(x, allowed, "numbers")
    part = _elements_type(x, indices, axis=axis)
    one_dtype(found, updates)
    require_shape(tensor(updates).shape, part.shape, "the updates", ONE_UPDATE)
    return found


@primitive(
    type=_scatter_elements_type, traits={Trait.FALLIBLE, Trait.REASSOCIATES}, linear=((0, 2),),
    canonical=_canonical_reduce, same=(0, 2),
)  # fmt: skip
def scatter_elements(x, indices, updates, *, axis, reduce="none"):
    """`x` with `updates` in, or added to, the elements that `gather_elements` would read.

    Parameters
    ----------
    x : Tensor of any dtype; of numbers for "add"
    indices : Tensor of integers
        As many axes as `x`, and along all but `axis` no longer. A negative index counts from the
        end.
    updates : Tensor of the dtype of `x` and the shape of `indices`
    axis : int
    reduce : "none" or "add"
        Of several updates of one element the last one counts, and alone gets a gradient; with
        "add" they add up, narrow floats in float32.

    Raises
    ------
    S2sadError
        E0301 if a dtype does not fit, E0401 if a shape does not, E0403 if `axis` is out of range,
        E0404 if `reduce` is another; at run time E0501 if an index is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.scatter_elements(np.zeros((2, 2)), np.array([[1, 0]]), np.array([[5.0, 6.0]]), axis=0)
    array([[0., 6.],
           [5., 0.]])
    """
    out = np.array(x, order="C")
    scatter_elements_overwrite(out, indices, updates, axis=axis, reduce=reduce)
    return out


@scatter_elements.overwrite
def scatter_elements_overwrite(x, indices, updates, *, axis, reduce):
    places = _element_places(x, indices, axis).reshape(-1)
    write = add_rows if reduce == "add" else set_rows
    write(x.reshape(-1), places, updates.reshape(-1))


@scatter_elements.adjoint
def scatter_elements_adjoint(x, indices, updates, out, dout, *, axis, reduce):
    dx = dout
    dupdates = gather_elements(dout, indices, axis=axis)
    if reduce == "none":
        dx = scatter_elements(dout, indices, zeros_like(updates), axis=axis)
        dupdates = where(is_last_element(x, indices, axis=axis), dupdates, 0)
    return dx, None, dupdates


@composite(canonical=canonical_axis, same=())
def is_last_element(x, indices, *, axis):
    """Whether no later index names the same element of `x`, as for `scatter_elements`.

    Parameters
    ----------
    x : Tensor of any dtype
        Its elements are not read.
    indices : Tensor of integers
    axis : int

    Raises
    ------
    S2sadError
        As `scatter_elements`.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.is_last_element(np.zeros(3), np.array([2, 0, 2]), axis=0)
    array([False,  True,  True])
    """
    order = iota(dtype=i64, shape=indices.shape, axis=axis)
    table = full_like(x, value=0, dtype=i64)
    written = scatter_elements(table, indices, order, axis=axis)
    return equal(gather_elements(written, indices, axis=axis), order)


# Elements, or slices, named by several indices each


def _gather_nd_type(x: Type, indices: Type) -> TensorType:
    found, places = tensor(x), require_indices(indices)
    if not places.shape:
        raise fail("E0401", "the indices need an axis at least: that of the axes they count along")
    depth = static_size(places.shape[-1], "the number of indices for each element")
    if depth > found.ndim:
        raise fail("E0401", f"{depth} indices an element are too many for {found}")
    return TensorType(found.dtype, (*places.shape[:-1], *found.shape[depth:]))


def _nd_places(x: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`x` with the axes that are indexed as one, and the flat row that each index names."""
    depth = indices.shape[-1]
    flat = np.zeros(indices.shape[:-1], np.int64)
    for axis, size in enumerate(x.shape[:depth]):
        flat = flat * size + checked(indices[..., axis], size, axis)
    rows = int(np.prod(x.shape[:depth], dtype=np.int64))
    return x.reshape(rows, *x.shape[depth:]), flat


@primitive(type=_gather_nd_type, traits=_MOVES, linear=(0,), same=())
def gather_nd(x, indices):
    """The elements, or slices, of `x` at the indices along the last axis of `indices`.

    Parameters
    ----------
    x : Tensor of any dtype
    indices : Tensor of integers, shape (..., k)
        One index for each of the first k axes of `x`. A negative one counts from the end.

    Returns
    -------
    Tensor, shape ``indices.shape[:-1] + x.shape[k:]``

    Raises
    ------
    S2sadError
        E0301 if `indices` are no integers, E0401 if k is larger than the number of axes; at run
        time E0501 if an index is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.gather_nd(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [1, 1]]))
    array([2, 4])
    """
    rows, places = _nd_places(x, indices)
    return np.take(rows, places, 0)


@gather_nd.adjoint
def gather_nd_adjoint(x, indices, out, dout):
    return scatter_nd(zeros_like(x), indices, dout, reduce="add"), None


def _scatter_nd_type(x: Type, indices: Type, updates: Type, *, reduce: str) -> TensorType:
    allowed = is_number if reduce == "add" else lambda dtype: True
    found = require_kind(x, allowed, "numbers")
    part = _gather_nd_type(x, indices)
    one_dtype(found, updates)
    require_shape(tensor(updates).shape, part.shape, "the updates", ONE_UPDATE)
    return found


@primitive(
    type=_scatter_nd_type, traits={Trait.FALLIBLE, Trait.REASSOCIATES}, linear=((0, 2),),
    canonical=_canonical_reduce, same=(0, 2),
)  # fmt: skip
def scatter_nd(x, indices, updates, *, reduce="none"):
    """`x` with `updates` in, or added to, the elements or slices that `gather_nd` would read.

    Parameters
    ----------
    x : Tensor of any dtype; of numbers for "add"
    indices : Tensor of integers, shape (..., k)
        One index for each of the first k axes of `x`. A negative one counts from the end.
    updates : Tensor of the dtype of `x`
        Its shape is ``indices.shape[:-1] + x.shape[k:]``.
    reduce : "none" or "add"
        Of several updates of one place the last one counts, and alone gets a gradient; with
        "add" they add up, narrow floats in float32.

    Raises
    ------
    S2sadError
        E0301 if a dtype does not fit, E0401 if a shape does not, E0404 if `reduce` is another; at
        run time E0501 if an index is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.scatter_nd(np.zeros((2, 2)), np.array([[1, 0]]), np.array([5.0]))
    array([[0., 0.],
           [5., 0.]])
    """
    out = np.array(x, order="C")
    scatter_nd_overwrite(out, indices, updates, reduce=reduce)
    return out


@scatter_nd.overwrite
def scatter_nd_overwrite(x, indices, updates, *, reduce):
    rows, places = _nd_places(x, indices)
    write = add_rows if reduce == "add" else set_rows
    write(rows, places.reshape(-1), updates.reshape(places.size, *rows.shape[1:]))


@scatter_nd.adjoint
def scatter_nd_adjoint(x, indices, updates, out, dout, *, reduce):
    dx = dout
    dupdates = gather_nd(dout, indices)
    if reduce == "none":
        dx = scatter_nd(dout, indices, zeros_like(updates))
        if indices.ndim > 1:
            lasting = is_last_nd(indices, shape=x.shape[: indices.shape[-1]])
            ones = (1,) * (updates.ndim - lasting.ndim)
            dupdates = where(reshape(lasting, shape=(*lasting.shape, *ones)), dupdates, 0)
    return dx, None, dupdates


@composite()
def is_last_nd(indices, *, shape):
    """Whether no later row of `indices` names the same element, as for `scatter_nd`.

    Parameters
    ----------
    indices : Tensor of integers, shape (..., k)
    shape : tuple of k ints
        Sizes of the axes that are indexed.

    Raises
    ------
    S2sadError
        As `gather_nd`.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.is_last_nd(np.array([[0], [1], [0]]), shape=(2,))
    array([False,  True,  True])
    """
    order = row_major_order(indices.shape[:-1])
    table = broadcast_to(const(0, i64), shape=shape)
    return equal(gather_nd(scatter_nd(table, indices, order), indices), order)


# Indices themselves


def _canonical_one_hot(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(attrs["dtype"], DType):
        raise fail("E0303", f"expected a dtype such as f32, got {attrs['dtype']!r}")
    depth = attrs["depth"]
    if isinstance(depth, int) and depth < 0:
        raise fail("E0404", f"the depth is the number of classes, got {depth}")
    shape_of((depth,), "depth")
    return {**attrs, "axis": axis_of(attrs["axis"], tensor(types[0]).ndim + 1)}


@composite(canonical=_canonical_one_hot)
def one_hot(indices, *, depth, dtype=dtypes.float32, axis=-1):
    """One at each index along a new axis, zero elsewhere; zeros for an index out of range.

    Parameters
    ----------
    indices : Tensor of integers
        Negative ones are out of range.
    depth : int
        Size of the new axis.
    dtype : DType
        Of the result; bool is possible.
    axis : int
        Place of the new axis in the result.

    Raises
    ------
    S2sadError
        E0301 if `indices` are no integers, E0403 if `axis` is out of range, E0404 if `depth` is
        negative.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.one_hot(np.array([1, 2, -1]), depth=2)
    array([[0., 1.],
           [0., 0.],
           [0., 0.]], dtype=float32)
    """
    require_indices(indices.type)
    wide = expand_dims(cast(indices, dtype=i64), axis=axis)
    places = tuple(depth if i == axis else 1 for i in range(wide.ndim))
    return cast(equal(wide, iota(dtype=i64, shape=places, axis=axis)), dtype=dtype)


# The derivatives of running extremes gather and scatter, so they stand here.


@cummax.adjoint
def cummax_adjoint(x, out, dout, *, axis):
    return (scatter_elements(zeros_like(x), out[1], dout[0], axis=axis, reduce="add"),)


@cummax.tangent
def cummax_tangent(x, out, tangents, *, axis):
    return gather_elements(tangents[0], out[1], axis=axis), None


@cummin.adjoint
def cummin_adjoint(x, out, dout, *, axis):
    return (scatter_elements(zeros_like(x), out[1], dout[0], axis=axis, reduce="add"),)


@cummin.tangent
def cummin_tangent(x, out, tangents, *, axis):
    return gather_elements(tangents[0], out[1], axis=axis), None
