"""What is left when axes are taken away: sums, products, extremes and their places?

Sums of float32 are accurate whatever the order of axes: each axis is summed in blocks, so errors
grow with the logarithm of its length. `statistics` builds on these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ir import dims
from s2sad.ir.graph import Value
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type, bool_
from s2sad.prims.arithmetic import div
from s2sad.prims.cast import cast
from s2sad.prims.comparison import equal
from s2sad.prims.define import composite, primitive
from s2sad.prims.rules import (
    canonical_axes,
    canonical_axis,
    is_bool,
    is_float,
    is_number,
    require_kind,
)
from s2sad.prims.select import where
from s2sad.prims.shape import (
    Shape,
    broadcast_to,
    full_like,
    pad,
    reshape,
    shape_of,
    slice,
)

Axes = tuple[int, ...]


def kept_shape(shape: Shape, axis: Axes) -> Shape:
    """`shape` with size 1 for the axes that are reduced."""
    return tuple(1 if i in axis else size for i, size in enumerate(shape))


def reduced_shape(shape: Shape, axis: Axes, keepdims: bool) -> Shape:
    """Shape of a reduction over `axis`."""
    if keepdims:
        return kept_shape(shape, axis)
    return tuple(size for i, size in enumerate(shape) if i not in axis)


def _reduction(
    allowed: Callable[[DType], bool], expected: str, *, of_empty: bool = True
) -> Callable[..., TensorType]:
    """Type rule of a reduction that keeps the dtype; `of_empty`: whether no elements will do."""

    def rule(x: Type, *, axis: Axes, keepdims: bool) -> TensorType:
        found = require_kind(x, allowed, expected)
        if not of_empty:
            _require_elements(found, axis)
        return TensorType(found.dtype, reduced_shape(found.shape, axis, keepdims))

    return rule


def _require_elements(x: TensorType, axis: Axes) -> None:
    for i in axis:
        if dims.same(x.shape[i], 0):
            raise fail("E0401", f"axis {i} of {x} is empty: it has no largest or smallest element")


@primitive(
    type=_reduction(is_number, "numbers"), linear=(0,), canonical=canonical_axes,
    traits={Trait.REASSOCIATES},
)  # fmt: skip
def reduce_sum(x, *, axis=None, keepdims=False):
    """Sum over `axis`, from 0.0: so it is 0 where the axis is empty, and never -0.0.

    Integers keep their dtype and wrap. Narrow floats are summed in float32 and rounded once.
    Along an axis of adjacent elements NumPy sums pairwise; along others it would add one by one,
    so there the sum is made of sums of blocks.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int, tuple of int or None
        None for all axes.
    keepdims : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0403 if an axis is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.reduce_sum(np.array([[1, 2], [3, 4]]), axis=0)
    array([4, 6])
    """
    if x.dtype.kind != "f" or not axis:
        return np.sum(x, axis=axis, dtype=x.dtype, keepdims=keepdims)
    return _float_sum(x, axis).reshape(reduced_shape(x.shape, axis, keepdims))


_BLOCK = 64


def _float_sum(x: np.ndarray, axis: Axes) -> np.ndarray:
    """Sum over `axis`, one axis after the other, from the last."""
    if x.flags.c_contiguous:
        x, axis = _merge_neighbours(x, axis)
    for i in reversed(axis):
        x = _sum_axis(x, i)
    return x


def _merge_neighbours(x: np.ndarray, axis: Axes) -> tuple[np.ndarray, Axes]:
    """`x` with adjacent axes of `axis` as one, which NumPy sums fastest."""
    shape: list[int] = []
    merged: list[int] = []
    for i, size in enumerate(x.shape):
        if i in axis and i - 1 in axis:
            shape[-1] *= size
        else:
            merged += [len(shape)] * (i in axis)
            shape.append(size)
    return x.reshape(shape), tuple(merged)


def _sum_axis(x: np.ndarray, axis: int) -> np.ndarray:
    while x.shape[axis] > 2 * _BLOCK and not _is_innermost(x, axis):
        whole = x.shape[axis] // _BLOCK * _BLOCK
        head, tail = np.split(x, [whole], axis)
        shape = (*x.shape[:axis], whole // _BLOCK, _BLOCK, *x.shape[axis + 1 :])
        parts = [head.reshape(shape).sum(axis + 1)]
        parts += [tail.sum(axis, keepdims=True)] * bool(tail.shape[axis])
        x = np.concatenate(parts, axis)
    return np.sum(x, axis)


def _is_innermost(x: np.ndarray, axis: int) -> bool:
    """Whether no axis has elements closer together: there NumPy sums pairwise."""
    strides = [abs(s) for s, size in zip(x.strides, x.shape, strict=True) if size > 1]
    return abs(x.strides[axis]) <= min(strides, default=0)


@reduce_sum.adjoint
def reduce_sum_adjoint(x, out, dout, *, axis):
    return (broadcast_to(reshape(dout, shape=kept_shape(x.shape, axis)), shape=x.shape),)


@primitive(
    type=_reduction(is_number, "numbers"), canonical=canonical_axes, traits={Trait.REASSOCIATES}
)
def reduce_prod(x, *, axis=None, keepdims=False):
    """Product over `axis`; 1 where that is empty.

    Integers keep their dtype and wrap. Narrow floats are multiplied in float32 and rounded once.
    The gradient is right where elements are zero: it multiplies all others and never divides.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int, tuple of int or None
        None for all axes.
    keepdims : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0403 if an axis is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.reduce_prod(np.array([[1, 2], [3, 4]]), axis=0)
    array([3, 8])
    """
    return np.prod(x, axis=axis, dtype=x.dtype, keepdims=keepdims)


_extreme_of_numbers = _reduction(is_number, "numbers", of_empty=False)


@primitive(type=_extreme_of_numbers, canonical=canonical_axes)
def reduce_max(x, *, axis: Any = None, keepdims=False):
    """Largest element over `axis`; NaN where one is NaN, and 0.0 is larger than -0.0.

    Equal largest elements share the gradient equally. Where one is NaN none gets any.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int, tuple of int or None
        None for all axes.
    keepdims : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0401 if a reduced axis is empty, E0403 if one is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.reduce_max(np.array([[1.0, 5.0], [np.nan, 4.0]]), axis=0)
    array([nan,  5.])
    """
    out = np.max(x, axis=axis, keepdims=keepdims)
    return _settle_zeros(x, out, axis, keepdims, wanted=0.0)


@reduce_max.adjoint
def reduce_max_adjoint(x, out, dout, *, axis):
    kept = kept_shape(x.shape, axis)
    tied = equal(x, reshape(out, shape=kept))
    return (where(tied, tie_share(tied, reshape(dout, shape=kept), axis=axis), 0),)


@reduce_max.tangent
def reduce_max_tangent(x, out, tangents, *, axis, keepdims):
    tied = equal(x, reshape(out, shape=kept_shape(x.shape, axis)))
    shares = where(tied, tie_share(tied, tangents[0], axis=axis), 0)
    return reduce_sum(shares, axis=axis, keepdims=keepdims)


@primitive(type=_extreme_of_numbers, canonical=canonical_axes)
def reduce_min(x, *, axis: Any = None, keepdims=False):
    """Smallest element over `axis`; NaN where one is NaN, and -0.0 is smaller than 0.0.

    Equal smallest elements share the gradient equally. Where one is NaN none gets any.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int, tuple of int or None
        None for all axes.
    keepdims : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0401 if a reduced axis is empty, E0403 if one is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.reduce_min(np.array([[1.0, 5.0], [np.nan, 4.0]]), axis=0)
    array([nan,  4.])
    """
    out = np.min(x, axis=axis, keepdims=keepdims)
    return _settle_zeros(x, out, axis, keepdims, wanted=-0.0)


@reduce_min.adjoint
def reduce_min_adjoint(x, out, dout, *, axis):
    kept = kept_shape(x.shape, axis)
    tied = equal(x, reshape(out, shape=kept))
    return (where(tied, tie_share(tied, reshape(dout, shape=kept), axis=axis), 0),)


@reduce_min.tangent
def reduce_min_tangent(x, out, tangents, *, axis, keepdims):
    tied = equal(x, reshape(out, shape=kept_shape(x.shape, axis)))
    shares = where(tied, tie_share(tied, tangents[0], axis=axis), 0)
    return reduce_sum(shares, axis=axis, keepdims=keepdims)


def _settle_zeros(
    x: np.ndarray, out: Any, axis: Axes, keepdims: bool, *, wanted: float
) -> np.ndarray:
    """`out`, an extreme of `x`; a zero is `wanted` where `x` has such a one: NumPy takes any."""
    out = np.asarray(out)
    if x.dtype.kind != "f" or np.all(out):
        return out
    is_wanted = (x == 0) & (np.signbit(x) == np.signbit(wanted))
    has_wanted = np.any(is_wanted, axis=axis, keepdims=keepdims)
    zero = np.where(has_wanted, out.dtype.type(wanted), out.dtype.type(-wanted))
    return np.where(out == 0, zero, out)


@composite(canonical=canonical_axes)
def tie_share(tied, x, *, axis):
    """`x` divided by the number of elements over `axis` that are tied.

    Parameters
    ----------
    tied : Tensor of bool
        Which elements share.
    x : Tensor of floats that broadcasts with `tied`
        What they share. Narrow floats are divided in float32, as counts may be large.
    axis : tuple of int

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.tie_share(np.array([True, True, False]), np.array([3.0]), axis=(0,))
    array([1.5])
    """
    wide = widened(x)
    count = reduce_sum(cast(tied, dtype=wide.dtype), axis=axis, keepdims=True)
    return rounded(div(wide, count), x)


def widened(x: Value) -> Value:
    """`x`, which must be of floats (E0301), in the dtype that arithmetic uses."""
    require_kind(x.type, is_float, "floats")
    return cast(x, dtype=x.dtype.compute) if x.dtype.is_narrow else x


def rounded(x: Value, like: Value) -> Value:
    """`x` in the dtype of `like`."""
    return x if x.dtype is like.dtype else cast(x, dtype=like.dtype)


_truth = _reduction(is_bool, "a tensor of bools")


@primitive(type=_truth, nondiff="the result is not a float", canonical=canonical_axes)
def reduce_any(x, *, axis=None, keepdims=False):
    """Whether one element over `axis` holds; false where that is empty.

    Parameters
    ----------
    x : Tensor of bool
    axis : int, tuple of int or None
        None for all axes.
    keepdims : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0301 if `x` is not bool, E0403 if an axis is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.reduce_any(np.array([[True, False], [False, False]]), axis=0)
    array([ True, False])
    """
    return np.any(x, axis=axis, keepdims=keepdims)


@primitive(type=_truth, nondiff="the result is not a float", canonical=canonical_axes)
def reduce_all(x, *, axis=None, keepdims=False):
    """Whether all elements over `axis` hold; true where that is empty.

    Parameters
    ----------
    x : Tensor of bool
    axis : int, tuple of int or None
        None for all axes.
    keepdims : bool
        Whether the axes stay, with size 1.

    Raises
    ------
    S2sadError
        E0301 if `x` is not bool, E0403 if an axis is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.reduce_all(np.array([[True, False], [True, True]]), axis=0)
    array([ True, False])
    """
    return np.all(x, axis=axis, keepdims=keepdims)


def _place_type(x: Type, *, axis: int, keepdims: bool) -> TensorType:
    found = require_kind(x, is_number, "numbers")
    _require_elements(found, (axis,))
    return TensorType(dtypes.int64, reduced_shape(found.shape, (axis,), keepdims))


@primitive(type=_place_type, nondiff="the result is not a float", canonical=canonical_axis)
def argmax(x, *, axis, keepdims=False):
    """Index of the largest element along `axis`, of the first one where several are equal.

    NaN counts as the largest.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int
    keepdims : bool
        Whether the axis stays, with size 1.

    Returns
    -------
    Tensor, i64

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0401 if the axis is empty, E0403 if it is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.argmax(np.array([[1.0, 3.0, 3.0], [2.0, np.nan, 5.0]]), axis=1)
    array([1, 1])
    """
    return np.argmax(x, axis=axis, keepdims=keepdims).astype(np.int64)


@primitive(type=_place_type, nondiff="the result is not a float", canonical=canonical_axis)
def argmin(x, *, axis, keepdims=False):
    """Index of the smallest element along `axis`, of the first one where several are equal.

    NaN counts as the smallest.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int
    keepdims : bool
        Whether the axis stays, with size 1.

    Returns
    -------
    Tensor, i64

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0401 if the axis is empty, E0403 if it is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.argmin(np.array([[1.0, 0.0, 0.0], [2.0, np.nan, 5.0]]), axis=1)
    array([1, 1])
    """
    return np.argmin(x, axis=axis, keepdims=keepdims).astype(np.int64)


@composite(canonical=lambda types, attrs: {"shape": shape_of(attrs["shape"])})
def sum_to(x, *, shape):
    """`x` summed over the axes along which `shape` was broadcast to that of `x`.

    Parameters
    ----------
    x : Tensor of numbers
    shape : tuple of int
        A shape that broadcasts to that of `x`; the same shape gives `x` itself.

    Raises
    ------
    S2sadError
        E0401 if `shape` does not broadcast to that of `x`, E0301 if `x` is bool.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.sum_to(np.ones((2, 3)), shape=(3,))
    array([2., 2., 2.])
    """
    axis = broadcast_axes(shape, x.shape)
    if axis:
        x = reduce_sum(x, axis=axis)
    return reshape(x, shape=shape) if len(shape) != x.ndim else x


def broadcast_axes(shape: Shape, wide: Shape) -> Axes:
    """Axes of `wide` along which `shape` is repeated to make it (E0401 if it does not)."""
    extra = len(wide) - len(shape)
    if extra < 0:
        raise fail("E0401", f"{shape} has more axes than {wide}, to which it should broadcast")
    axes = list(range(extra))
    for i, size in enumerate(shape, extra):
        if dims.same(size, 1) and not dims.same(wide[i], 1):
            axes.append(i)
        else:
            dims.require_same(size, wide[i], f"the sizes of axis {i} of {shape} and {wide}")
    return tuple(axes)


def inner_stops(shape: Shape, low: Shape, interior: Shape) -> Shape:
    """Where the elements of a tensor of `shape` end after `pad`."""
    axes = zip(shape, low, interior, strict=True)
    return tuple(
        start + size if dims.same(gap, 0) or dims.same(size, 0)
        else start + (size - 1) * (gap + 1) + 1
        for size, start, gap in axes
    )  # fmt: skip


# The gradient of `pad` needs a sum, so it stands here.
@pad.adjoint
def pad_adjoint(x, value, out, dout, *, low, high, interior):
    stop = inner_stops(x.shape, low, interior)
    dx = slice(dout, start=low, stop=stop, step=tuple(gap + 1 for gap in interior))
    ours = full_like(x, value=True, dtype=bool_)
    inside = pad(ours, False, low=low, high=high, interior=interior)
    return dx, reduce_sum(where(inside, 0, dout))
