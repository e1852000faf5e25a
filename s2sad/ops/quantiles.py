"""Which values have a given part of the others below them, and which are the extremes?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import as_dtype, constant, is_tensor, require_floats, require_tensor
from s2sad.ops.reduce import amax, amin
from s2sad.ops.settings import flag, number
from s2sad.ops.shapes import ravel
from s2sad.prims.rules import axis_of
from s2sad.prims.sort import sort


def quantile(input: Any, q: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The values that have the part `q` of the elements below them, told from two neighbours.

    Parameters
    ----------
    input : Tensor of floats
    q : float or Tensor of floats with at most one axis
        From 0 to 1.
    axis : int, optional
        Of all elements when None.
    keepdims : bool
        Whether the axis stays, with size 1.

    Returns
    -------
    Tensor
        Of a `q` with an axis, that axis comes first. NaN where an element is NaN.

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 and E0404 for a `q` that cannot be, E0304 for what is no
        Tensor, E0401 for an empty axis or more axes of `q`, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> quantile(ms.Tensor([1.0, 3.0, 2.0]), ms.Tensor([0.5, 0.75])).asnumpy()
    array([2. , 2.5], dtype=float32)
    """
    x = require_floats(input, "quantile")
    found = _quantile(x, q, axis, keepdims, "quantile")
    unknown = p.is_nan(x)
    at = None if axis is None else axis_of(axis, x.ndim)
    is_unknown = p.reduce_any(unknown, axis=at, keepdims=keepdims)
    return p.where(is_unknown, float("nan"), found)


def nanquantile(input: Any, q: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """`quantile` of the elements that are not NaN; NaN where there is none.

    Arguments and errors are those of `quantile`.

    Examples
    --------
    >>> import s2sad as ms
    >>> nanquantile(ms.Tensor([1.0, float("nan"), 2.0]), 0.5).asnumpy()
    array(1.5, dtype=float32)
    """
    return _quantile(require_floats(input, "nanquantile"), q, axis, keepdims, "nanquantile")


def _quantile(x: Any, q: Any, axis: int | None, keepdims: bool, what: str) -> Any:
    """As `nanquantile`: NaN counts for nothing."""
    whole = axis is None
    shape = tuple(x.shape)
    line, at = (ravel(x), 0) if whole else (x, axis_of(axis, x.ndim))
    if line.shape[at] == 0:
        raise fail("E0401", f"{what} needs elements, got the shape {shape}")
    part = _part(q, x.dtype, what)
    ordered, _ = sort(line, axis=at)
    count = as_dtype(p.logical_not(p.is_nan(line)), dtypes.int64)
    last = p.sub(p.reduce_sum(count, axis=at, keepdims=True), 1)
    part = p.reshape(part, shape=(*part.shape, *(1,) * line.ndim))
    place = p.mul(part, as_dtype(p.maximum(last, 0), x.dtype))
    below = p.floor(place)
    low, high = as_dtype(below, dtypes.int64), as_dtype(p.ceil(place), dtypes.int64)
    one, other = _at(ordered, low, at), _at(ordered, high, at)
    found = p.add(one, p.mul(p.sub(other, one), p.sub(place, below)))
    found = p.where(p.less(last, 0), float("nan"), p.where(p.equal(one, other), one, found))
    front = part.ndim - line.ndim
    if whole:
        return p.reshape(
            found, shape=(*found.shape[:front], *((1,) * len(shape) if keepdims else ()))
        )  # fmt: skip
    return found if flag("keepdims", keepdims) else p.squeeze(found, axis=front + at)


def _part(q: Any, dtype: Any, what: str) -> Any:
    if is_tensor(q):
        if q.ndim > 1:
            raise fail("E0401", f"the q of {what} has one axis at most, got {tuple(q.shape)}")
        return as_dtype(require_floats(q, what), dtype)
    if not 0 <= number("q", q) <= 1:
        raise fail("E0404", f"the q of {what} is from 0 to 1, got {q}")
    return constant(float(q), dtype)


def _at(ordered: Any, places: Any, axis: int) -> Any:
    """The elements of `ordered` at `places`, which may have an axis more in front."""
    front = places.ndim - ordered.ndim
    if not front:
        return p.gather_elements(ordered, places, axis=axis)
    count = places.shape[0]
    spread = p.broadcast_to(ordered, shape=(count, *ordered.shape))
    return p.gather_elements(spread, places, axis=axis + 1)


def nanmedian(input: Any, axis: int = -1, keepdims: bool = False) -> tuple[Any, Any]:
    """The middle of the elements that are not NaN, the lower one of two, and where it is.

    Parameters
    ----------
    input : Tensor of floats
    axis : int
    keepdims : bool
        Whether the axis stays, with size 1.

    Returns
    -------
    tuple of two Tensors
        Values and indices along `axis`; NaN where there is nothing else.

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0304 for what is no Tensor, E0401 for an empty axis, E0403 for an
        axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> [x.item() for x in nanmedian(ms.Tensor([5.0, float("nan"), 2.0, 4.0]))]
    [4.0, 3]
    """
    x = require_floats(input, "nanmedian")
    at = axis_of(axis, x.ndim)
    if x.shape[at] == 0:
        raise fail("E0401", f"nanmedian needs elements, got the shape {tuple(x.shape)}")
    ordered, order = sort(x, axis=at)
    count = as_dtype(p.logical_not(p.is_nan(x)), dtypes.int64)
    last = p.sub(p.reduce_sum(count, axis=at, keepdims=True), 1)
    middle = p.floor_div(p.maximum(last, 0), 2)
    found = [p.gather_elements(each, middle, axis=at) for each in (ordered, order)]
    if not flag("keepdims", keepdims):
        found = [p.squeeze(each, axis=at) for each in found]
    return found[0], found[1]


def aminmax(input: Any, *, axis: int = 0, keepdims: bool = False) -> tuple[Any, Any]:
    """The least and the greatest elements along `axis`.

    Parameters
    ----------
    input : Tensor
    axis : int
    keepdims : bool
        Whether the axis stays, with size 1.

    Raises
    ------
    S2sadError
        Those of `amin`.

    Examples
    --------
    >>> import s2sad as ms
    >>> [x.item() for x in aminmax(ms.Tensor([3, 1, 2]))]
    [1, 3]
    """
    x = require_tensor(input, "aminmax")
    axis = axis if x.ndim else None  # type: ignore[assignment]
    return amin(x, axis, keepdims), amax(x, axis, keepdims)
