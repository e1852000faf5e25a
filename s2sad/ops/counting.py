"""How many elements lie where: in buckets, in bins, above a class?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.creation import zeros
from s2sad.ops.promotion import (
    as_dtype,
    as_float,
    constant,
    require_floats,
    require_integers,
    require_tensor,
    require_tensors,
    type_of,
)
from s2sad.ops.settings import flag, integer, number
from s2sad.ops.shapes import ravel


def bucketize(input: Any, boundaries: Any, *, right: bool = False) -> Any:
    """In which bucket each element lies: how many boundaries are below it.

    Parameters
    ----------
    input : Tensor of numbers
    boundaries : list or tuple of float
        In ascending order.
    right : bool
        Whether a boundary itself belongs to the bucket above it.

    Returns
    -------
    Tensor, int32

    Raises
    ------
    S2sadError
        E0303 for boundaries that are no numbers or a `right` that is no bool, E0304 for what is no
        Tensor, E0404 where boundaries descend.

    Examples
    --------
    >>> import s2sad as ms
    >>> bucketize(ms.Tensor([0.5, 1.0, 2.5]), [1.0, 2.0]).asnumpy()
    array([0, 0, 2], dtype=int32)
    """
    x = require_tensor(input, "bucketize")
    if not isinstance(boundaries, (tuple, list)):
        raise fail("E0303", f"boundaries are a list of numbers, got {boundaries!r}")
    ends = [float(number("a boundary", end)) for end in boundaries]
    if sorted(ends) != ends:
        raise fail("E0404", f"boundaries ascend, got {boundaries}")
    wide = as_dtype(x, dtypes.float64)
    places = p.searchsorted(constant(ends, dtypes.float64), wide, right=flag("right", right))
    return as_dtype(places, dtypes.int32)


def histc(input: Any, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Any:  # noqa: A002
    """How many elements lie in each of equal parts of the line from `min` to `max`.

    Parameters
    ----------
    input : Tensor of numbers
    bins : int
        At least 1.
    min, max : float
        Where both are equal the least and the greatest element are taken. Elements outside count
        for nothing.

    Returns
    -------
    Tensor, shape (bins,), dtype of `input`

    Raises
    ------
    S2sadError
        E0303 and E0404 for settings that cannot be, E0304 for what is no Tensor, E0401 for an empty
        one where the ends are to be found.

    Examples
    --------
    >>> import s2sad as ms
    >>> histc(ms.Tensor([1.0, 2.0, 1.0]), 4, 0.0, 3.0).asnumpy()
    array([0., 2., 1., 0.], dtype=float32)
    """
    x = require_tensor(input, "histc")
    count = integer("bins", bins, 1)
    low, high = float(number("min", min)), float(number("max", max))
    if low > high:
        raise fail("E0404", f"the ends of histc ascend, got {min} and {max}")
    line = ravel(as_dtype(as_float(x), dtypes.float64))
    first, last = (constant(end, dtypes.float64) for end in (low, high))
    if low == high:
        if line.shape[0] == 0:
            raise fail("E0401", "histc of no elements needs min and max")
        first, last = p.reduce_min(line), p.reduce_max(line)
        is_point = p.equal(first, last)
        first, last = (
            p.where(is_point, p.sub(first, 1.0), first),
            p.where(is_point, p.add(last, 1.0), last),
        )
    inside = p.logical_and(p.greater_equal(line, first), p.less_equal(line, last))
    place = p.floor(p.mul(p.div(p.sub(line, first), p.sub(last, first)), float(count)))
    place = p.clip(as_dtype(p.where(inside, place, 0.0), dtypes.int64), 0, count - 1)
    return p.index_add(zeros((count,), x.dtype), place, as_dtype(inside, x.dtype), axis=0)


def intopk(x1: Any, x2: Any, k: int) -> Any:
    """Whether the class `x2` of each row is among the `k` with the greatest scores.

    Parameters
    ----------
    x1 : Tensor of floats, shape (rows, classes)
    x2 : Tensor of integers, shape (rows,)
    k : int

    Returns
    -------
    Tensor of bool, shape (rows,)
        True of equal scores too; False where the score is not finite.

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 when `k` is no int, E0304 for what is no Tensor, E0401 where
        shapes do not fit; at run time E0501 for a class that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> intopk(ms.Tensor([[1.0, 3.0, 2.0]]), ms.Tensor([2]), 2).asnumpy()
    array([ True])
    """
    scores, wanted = require_tensors("intopk", x1, x2)
    require_floats(scores, "intopk")
    require_integers(wanted, "classes")
    if scores.ndim != 2 or tuple(wanted.shape) != tuple(scores.shape[:1]):
        what = f"{type_of(scores)} and {type_of(wanted)}"
        raise fail("E0401", f"intopk takes (rows, classes) and (rows,), got {what}")
    own = p.gather_elements(scores, p.expand_dims(wanted, axis=1), axis=1)
    above = p.reduce_sum(as_dtype(p.greater(scores, own), dtypes.int64), axis=1)
    known = p.is_finite(p.squeeze(own, axis=1))
    return p.logical_and(known, p.less(above, integer("k", k)))
