"""What has been gathered so far, at each place along an axis?

Running sums, products and extremes, and the recurrence that the gradient of products needs. A
scan goes from the first element to the last, or with `reverse` from the last to the first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.ir import dims
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type
from s2sad.prims.arithmetic import mul
from s2sad.prims.define import composite, primitive
from s2sad.prims.reduce import kept_shape, reduce_prod, reduce_sum, rounded, widened
from s2sad.prims.rules import (
    canonical_axes,
    canonical_axis,
    is_float,
    is_number,
    one_dtype,
    require_kind,
    tensor,
)
from s2sad.prims.shape import inverse, pad, require_shape, reshape, slice, transpose


def _scan_type(x: Type, **attrs: Any) -> TensorType:
    return require_kind(x, is_number, "numbers")


def _scan(
    run: Callable[[np.ndarray], np.ndarray], x: np.ndarray, axis: int, reverse: bool
) -> np.ndarray:
    """`run` on `x`, turned round before and after where the scan is reversed."""
    return np.flip(run(np.flip(x, axis)), axis) if reverse else run(x)


def _running(
    ufunc: np.ufunc, x: np.ndarray, axis: int, reverse: bool, exclusive: bool
) -> np.ndarray:
    """What `ufunc` accumulates, with its identity in front and without the last if `exclusive`."""

    def run(x: np.ndarray) -> np.ndarray:
        if exclusive and x.shape[axis]:
            head, last = np.split(x, [-1], axis)
            x = np.concatenate([np.full_like(last, ufunc.identity), head], axis)
        return ufunc.accumulate(x, axis=axis, dtype=x.dtype)

    return _scan(run, x, axis, reverse)


@primitive(type=_scan_type, linear=(0,), canonical=canonical_axis, traits={Trait.REASSOCIATES})
def cumsum(x, *, axis, reverse=False, exclusive=False):
    """Sum of the elements up to each place along `axis`.

    Integers wrap. Narrow floats are summed in float32, and each partial sum is rounded. Elements
    are added one by one: errors grow with the length of the axis, unlike those of `reduce_sum`.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int
    reverse : bool
        Whether to go from the last element to the first.
    exclusive : bool
        Whether to leave out the element at the place itself; the first sum is 0 then.

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0403 if `axis` is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.cumsum(np.array([1, 2, 3]), axis=0), p.cumsum(np.array([1, 2, 3]), axis=0, exclusive=True)
    (array([1, 3, 6]), array([0, 1, 3]))
    """
    return _running(np.add, x, axis, reverse, exclusive)


@cumsum.adjoint
def cumsum_adjoint(x, out, dout, *, axis, reverse, exclusive):
    return (cumsum(dout, axis=axis, reverse=not reverse, exclusive=exclusive),)


@primitive(type=_scan_type, canonical=canonical_axis, traits={Trait.REASSOCIATES})
def cumprod(x, *, axis, reverse=False, exclusive=False):
    """Product of the elements up to each place along `axis`.

    Integers wrap. Narrow floats are multiplied in float32, and each partial product is rounded.
    The gradient is right where elements are zero: it never divides.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int
    reverse : bool
        Whether to go from the last element to the first.
    exclusive : bool
        Whether to leave out the element at the place itself; the first product is 1 then.

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0403 if `axis` is out of range.

    Notes
    -----
    With ``out[k] = x[0] * ... * x[k]``, the derivative by x[i] is ``x[0] * ... * x[i-1]`` times
    ``s[i] = dout[i] + x[i+1] * s[i+1]``, a `linear_recurrence` from the last to the first.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.cumprod(np.array([1, 2, 3]), axis=0, reverse=True)
    array([6, 6, 3])
    """
    return _running(np.multiply, x, axis, reverse, exclusive)


@cumprod.adjoint
def cumprod_adjoint(x, out, dout, *, axis, reverse, exclusive):
    back = not reverse
    if exclusive:
        before = out
        dout = shifted(dout, axis=axis, reverse=back)
    else:
        before = cumprod(x, axis=axis, reverse=reverse, exclusive=True)
    later = linear_recurrence(shifted(x, axis=axis, reverse=back), dout, axis=axis, reverse=back)
    return (before * later,)


@cumprod.tangent
def cumprod_tangent(x, out, tangents, *, axis, reverse, exclusive):
    if exclusive:
        before = out
    else:
        before = cumprod(x, axis=axis, reverse=reverse, exclusive=True)
    dot = linear_recurrence(x, before * tangents[0], axis=axis, reverse=reverse)
    if exclusive:
        dot = shifted(dot, axis=axis, reverse=reverse)
    return dot


@composite(canonical=canonical_axis)
def shifted(x, *, axis, reverse=False):
    """At each place the element before it along `axis`, and 0 at the first.

    Parameters
    ----------
    x : Tensor of any dtype
    axis : int
    reverse : bool
        Whether to take the element behind it, and 0 at the last.

    Raises
    ------
    S2sadError
        E0403 if `axis` is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.shifted(np.array([1, 2, 3]), axis=0), p.shifted(np.array([1, 2, 3]), axis=0, reverse=True)
    (array([0, 1, 2]), array([2, 3, 0]))
    """
    size = x.shape[axis]
    if dims.same(size, 0):
        return x
    whole, here = (0,) * x.ndim, tuple(int(i == axis) for i in range(x.ndim))
    if reverse:
        return pad(slice(x, start=here, stop=x.shape), 0, low=whole, high=here)
    stop = (*x.shape[:axis], size - 1, *x.shape[axis + 1 :])
    return pad(slice(x, start=whole, stop=stop), 0, low=here, high=whole)


def _recurrence_type(factor: Type, addend: Type, *, axis: int, reverse: bool) -> TensorType:
    dtype = one_dtype(require_kind(factor, is_float, "floats"), addend)
    shape = require_shape(
        tensor(factor).shape, tensor(addend).shape, "the factors of a linear recurrence"
    )
    return TensorType(dtype, shape)


@primitive(type=_recurrence_type, linear=(1,), canonical=canonical_axis)
def linear_recurrence(factor, addend, *, axis, reverse=False):
    """The states ``s[k] = factor[k] * s[k-1] + addend[k]`` along `axis`, from ``s[-1] = 0``.

    The first factor is not read. Narrow floats are computed in float32, and each state is rounded.

    Parameters
    ----------
    factor, addend : Tensors of floats, one dtype and shape
    axis : int
    reverse : bool
        Whether to go from the last place to the first.

    Raises
    ------
    S2sadError
        E0301 if the dtypes differ or are no floats, E0401 if the shapes differ, E0403 if `axis`
        is out of range.

    Notes
    -----
    The cotangents of the states follow the same recurrence the other way, with
    ``t[k] = dout[k] + factor[k+1] * t[k+1]``; that of `addend` is t, that of `factor` ``t[k] *
    s[k-1]``. So all its derivatives are scans.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.linear_recurrence(np.array([0.5, 0.5, 0.5]), np.array([4.0, 0.0, 1.0]), axis=0)
    array([4., 2., 2.])
    """

    def run(pair: np.ndarray) -> np.ndarray:
        factors, states = pair[0], pair[1].copy()
        for k in range(1, len(states)):
            states[k] += factors[k] * states[k - 1]
        return states

    pair = np.stack([np.moveaxis(factor, axis, 0), np.moveaxis(addend, axis, 0)])
    states = np.flip(run(np.flip(pair, 1)), 0) if reverse else run(pair)
    return np.moveaxis(states, 0, axis)


@linear_recurrence.adjoint
def linear_recurrence_adjoint(factor, addend, out, dout, *, axis, reverse):
    back = not reverse
    later = shifted(factor, axis=axis, reverse=back)
    daddend = linear_recurrence(later, dout, axis=axis, reverse=back)
    return daddend * shifted(out, axis=axis, reverse=reverse), daddend


@linear_recurrence.tangent
def linear_recurrence_tangent(factor, addend, out, tangents, *, axis, reverse):
    moved, dot = tangents
    if moved is not None:
        by_factor = moved * shifted(out, axis=axis, reverse=reverse)
        dot = by_factor if dot is None else dot + by_factor
    return linear_recurrence(factor, dot, axis=axis, reverse=reverse)


def _extreme_type(x: Type, *, axis: int, reverse: bool) -> tuple[TensorType, TensorType]:
    found = require_kind(x, is_number, "numbers")
    return found, TensorType(dtypes.int64, found.shape)


def _extreme_so_far(
    ufunc: np.ufunc, x: np.ndarray, axis: int, reverse: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The extreme so far and its index: of equal ones the latest, and NaN beats all."""
    size = x.shape[axis]
    places = np.arange(size).reshape((-1,) + (1,) * (x.ndim - axis - 1))

    def run(x: np.ndarray) -> np.ndarray:
        is_extreme = (x == ufunc.accumulate(x, axis=axis)) | (x != x)
        return np.maximum.accumulate(np.where(is_extreme, places, 0), axis=axis)

    indices = _scan(run, x, axis, reverse)
    if reverse:
        indices = size - 1 - indices
    return np.take_along_axis(x, indices, axis), indices.astype(np.int64)


@primitive(type=_extreme_type, canonical=canonical_axis)
def cummax(x, *, axis, reverse=False):
    """Largest element up to each place along `axis`, and its index.

    NaN beats all from where it stands. Of equal elements the latest one is named, and gets the
    whole gradient.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int
    reverse : bool
        Whether to go from the last element to the first; the latest is the foremost then.

    Returns
    -------
    values : Tensor of the type of `x`
    indices : Tensor, i64

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0403 if `axis` is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.cummax(np.array([1, 3, 2, 3]), axis=0)
    (array([1, 3, 3, 3]), array([0, 1, 1, 3]))
    """
    return _extreme_so_far(np.maximum, x, axis, reverse)


@primitive(type=_extreme_type, canonical=canonical_axis)
def cummin(x, *, axis, reverse=False):
    """Smallest element up to each place along `axis`, and its index.

    NaN beats all from where it stands. Of equal elements the latest one is named, and gets the
    whole gradient.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int
    reverse : bool
        Whether to go from the last element to the first; the latest is the foremost then.

    Returns
    -------
    values : Tensor of the type of `x`
    indices : Tensor, i64

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0403 if `axis` is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.cummin(np.array([3, 1, 2, 1]), axis=0)
    (array([3, 1, 1, 1]), array([0, 1, 1, 3]))
    """
    return _extreme_so_far(np.minimum, x, axis, reverse)


# The gradient of a product needs running products, so it stands here.


@composite(canonical=canonical_axes)
def product_of_others(x, *, axis: Any = None):
    """For each element the product of all other elements over `axis`.

    Narrow floats are multiplied in float32 and rounded at the end.

    Parameters
    ----------
    x : Tensor of floats
    axis : int, tuple of int or None
        None for all axes.

    Raises
    ------
    S2sadError
        E0301 if `x` is not of floats, E0403 if an axis is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.product_of_others(np.array([2.0, 0.0, 3.0]))
    array([0., 6., 0.])
    """
    rest = tuple(i for i in range(x.ndim) if i not in axis)
    perm = (*rest, *axis)
    shape = tuple(x.shape[i] for i in perm)
    joined = dims.size(shape[len(rest) :])
    rows = reshape(transpose(x, perm=perm), shape=(*shape[: len(rest)], joined))
    wide = widened(rows)
    before = cumprod(wide, axis=-1, exclusive=True)
    others = mul(before, cumprod(wide, axis=-1, exclusive=True, reverse=True))
    return transpose(reshape(rounded(others, x), shape=shape), perm=inverse(perm))


@reduce_prod.adjoint
def reduce_prod_adjoint(x, out, dout, *, axis):
    spread = reshape(dout, shape=kept_shape(x.shape, axis))
    return (product_of_others(x, axis=axis) * spread,)


@reduce_prod.tangent
def reduce_prod_tangent(x, out, tangents, *, axis, keepdims):
    others = product_of_others(x, axis=axis)
    return reduce_sum(others * tangents[0], axis=axis, keepdims=keepdims)
