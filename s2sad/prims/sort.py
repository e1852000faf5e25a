"""In which order do elements stand, and where would another one belong?

One order serves all: NaN is larger than every number, equal elements keep their order. So a
descending sort begins with NaN, and the first of the largest is what `argmax` names.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.types import TensorType, Type
from s2sad.prims.define import composite, primitive
from s2sad.prims.index import gather_elements, scatter_elements
from s2sad.prims.rules import canonical_axis, is_number, one_dtype, require_kind, tensor
from s2sad.prims.shape import require_shape, shape_of, zeros_like


def _order(x: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """Indices that sort `x` along `axis`; equal elements keep their order either way."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable").astype(np.int64)
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(backwards, axis).astype(np.int64)


def _sort_type(x: Type, *, axis: int, descending: bool) -> tuple[TensorType, TensorType]:
    found = require_kind(x, is_number, "numbers")
    return found, TensorType(dtypes.int64, found.shape)


@primitive(type=_sort_type, canonical=canonical_axis)
def sort(x, *, axis=-1, descending=False):
    """`x` in order along `axis`, and the index that each element had.

    Equal elements keep their order. NaN comes last, or first when `descending`.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int
    descending : bool

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
    >>> p.sort(np.array([3, 1, 3, 2]), descending=True)
    (array([3, 3, 2, 1]), array([0, 2, 3, 1]))
    """
    indices = _order(x, axis, descending)
    return np.take_along_axis(x, indices, axis), indices


@sort.adjoint
def sort_adjoint(x, out, dout, *, axis):
    return (scatter_elements(zeros_like(x), out[1], dout[0], axis=axis, reduce="add"),)


@sort.tangent
def sort_tangent(x, out, tangents, *, axis):
    return gather_elements(tangents[0], out[1], axis=axis), None


@composite(canonical=canonical_axis)
def argsort(x, *, axis=-1, descending=False):
    """Indices that put `x` in order along `axis`, as those of `sort`.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int
    descending : bool

    Returns
    -------
    Tensor, i64, shape of `x`

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0403 if `axis` is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.argsort(np.array([3, 1, 2]))
    array([1, 2, 0])
    """
    _, indices = sort(x, axis=axis, descending=descending)
    return indices


def _canonical_top_k(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    shape_of((attrs["k"],), "number of elements")
    return canonical_axis(types, attrs)


def _top_k_type(x: Type, *, k: int, axis: int, largest: bool) -> tuple[TensorType, TensorType]:
    found = require_kind(x, is_number, "numbers")
    size = found.shape[axis]
    fits = dims.less_equal(k, size)
    if not fits:
        code = "E0402" if fits is None else "E0404"
        raise fail(
            code, f"cannot take {k} elements of axis {axis} of {found}",
            help=f"there are {size} to take",
        )  # fmt: skip
    shape = (*found.shape[:axis], k, *found.shape[axis + 1 :])
    return TensorType(found.dtype, shape), TensorType(dtypes.int64, shape)


@primitive(type=_top_k_type, canonical=_canonical_top_k)
def top_k(x, *, k, axis=-1, largest=True):
    """The first `k` elements of `x` in order along `axis`, and the index that each had.

    Of equal elements the foremost are taken. NaN counts as the largest.

    Parameters
    ----------
    x : Tensor of numbers
    k : int
    axis : int
    largest : bool
        Whether to take the largest, in descending order; else the smallest, in ascending order.

    Returns
    -------
    values : Tensor of the dtype of `x`, of size `k` along `axis`
    indices : Tensor, i64

    Raises
    ------
    S2sadError
        E0301 if `x` is bool, E0403 if `axis` is out of range, E0404 if it has fewer than `k`
        elements.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.top_k(np.array([3, 1, 3, 2]), k=2)
    (array([3, 3]), array([0, 2]))
    """
    indices = np.take(_order(x, axis, largest), np.arange(k), axis)
    return np.take_along_axis(x, indices, axis), indices


@top_k.adjoint
def top_k_adjoint(x, out, dout, *, axis):
    return (scatter_elements(zeros_like(x), out[1], dout[0], axis=axis, reduce="add"),)


@top_k.tangent
def top_k_tangent(x, out, tangents, *, axis):
    return gather_elements(tangents[0], out[1], axis=axis), None


def _searchsorted_type(ordered: Type, values: Type, *, right: bool) -> TensorType:
    one_dtype(require_kind(ordered, is_number, "numbers"), values)
    line, found = tensor(ordered), tensor(values)
    if not line.shape:
        raise fail("E0401", f"the ordered elements need an axis, got {line}")
    if line.ndim > 1:
        if not found.shape:
            raise fail("E0401", f"{line} needs values with as many axes, got {found}")
        what = "the axes before the last of what is ordered and of the values"
        require_shape(found.shape[:-1], line.shape[:-1], what)
    return TensorType(dtypes.int64, found.shape)


@primitive(type=_searchsorted_type, nondiff="the result is not a float")
def searchsorted(ordered, values, *, right=False):
    """Where each value belongs among ordered elements: how many of them are smaller.

    Parameters
    ----------
    ordered : Tensor of numbers, shape (..., n)
        In ascending order along the last axis, NaN last; this is not checked.
    values : Tensor of the same dtype, shape (..., m); any shape where `ordered` has one axis
    right : bool
        Whether to count the equal elements as well.

    Returns
    -------
    Tensor, i64, shape of `values`

    Raises
    ------
    S2sadError
        E0301 if the dtypes differ or are bool, E0401 if the axes before the last do.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.searchsorted(np.array([1, 3, 3, 5]), np.array([3, 6]))
    array([1, 4])
    """
    side = "right" if right else "left"
    if ordered.ndim == 1:
        return np.searchsorted(ordered, values, side).astype(np.int64)
    out = np.empty(values.shape, np.int64)
    for place in np.ndindex(*ordered.shape[:-1]):
        out[place] = np.searchsorted(ordered[place], values[place], side)
    return out
