"""In which order are elements? NaN is above all numbers; equal elements keep their order."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import as_dtype, as_operand, as_tensor, is_tensor, promote, require_tensor
from s2sad.prims.sort import sort as in_order


def sort(input_x: Any, axis: int = -1, descending: bool = False) -> tuple[Any, Any]:
    """`input_x` in order along `axis`, and the index that each element had.

    The gradient of an element goes to where it came from.

    Parameters
    ----------
    input_x : Tensor of numbers
    axis : int
    descending : bool

    Returns
    -------
    values : Tensor of the dtype and shape of `input_x`
    indices : Tensor, int32

    Raises
    ------
    S2sadError
        E0301 for bools, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> values, indices = sort(ms.Tensor([3.0, 1.0, 2.0]))
    >>> values.tolist(), indices.tolist()
    ([1.0, 2.0, 3.0], [1, 2, 0])
    """
    x = _vector(require_tensor(input_x, "sort"))
    return _shaped(in_order(x, axis=axis, descending=descending), input_x)


def _vector(x: Any) -> Any:
    """`x`, a scalar as a vector of one."""
    return x if x.ndim else p.reshape(x, shape=(1,))


def _shaped(found: tuple[Any, Any], x: Any) -> tuple[Any, Any]:
    """Values and indices, those in int32; without axes where `x` has none."""
    values, indices = found[0], as_dtype(found[1], dtypes.int32)
    if x.ndim:
        return values, indices
    return p.reshape(values, shape=()), p.reshape(indices, shape=())


def argsort(input: Any, axis: int = -1, descending: bool = False) -> Any:
    """Indices (int32) that put `input` in order along `axis`, as those of `sort`.

    Arguments and errors are those of `sort`.

    Examples
    --------
    >>> import s2sad as ms
    >>> argsort(ms.Tensor([3.0, 1.0, 2.0])).asnumpy()
    array([1, 2, 0], dtype=int32)
    """
    return sort(input, axis, descending)[1]


def topk(
    input: Any, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True
) -> tuple[Any, Any]:
    """The `k` largest elements along `dim`, in descending order, and the index that each had.

    Parameters
    ----------
    input : Tensor of numbers
    k : int
    dim : int, optional
        The last axis by default.
    largest : bool
        Whether to take the largest; else the smallest, in ascending order.
    sorted : bool
        Taken, and without effect: the elements are always in order.

    Returns
    -------
    values : Tensor of the dtype of `input`, of size `k` along `dim`
    indices : Tensor, int32

    Raises
    ------
    S2sadError
        E0301 for bools, E0303 when `k` is no int, E0403 for an axis that does not exist, E0404 for
        fewer than `k` elements.

    Examples
    --------
    >>> import s2sad as ms
    >>> values, indices = topk(ms.Tensor([3.0, 1.0, 2.0]), 2)
    >>> values.tolist(), indices.tolist()
    ([3.0, 2.0], [0, 2])
    """
    x = _vector(require_tensor(input, "topk"))
    if is_tensor(k):
        raise fail("E0303", "the k of topk is an int, not a Tensor", help="call int() first")
    found = p.top_k(x, k=k, axis=-1 if dim is None else dim, largest=largest)
    return _shaped(found, input if k == 1 else x)


def top_k(input_x: Any, k: int, sorted: bool = True) -> tuple[Any, Any]:
    """The `k` largest elements along the last axis, and their indices: `topk`.

    Arguments and errors are those of `topk`.

    Examples
    --------
    >>> import s2sad as ms
    >>> values, indices = top_k(ms.Tensor([3.0, 1.0, 2.0]), 1)
    >>> values.tolist(), indices.tolist()
    ([3.0], [0])
    """
    return topk(input_x, k, sorted=sorted)


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """Where each value belongs among ordered elements: how many of them are smaller.

    Parameters
    ----------
    sorted_sequence : Tensor of numbers, shape (..., n)
        In ascending order along the last axis, which is not checked.
    values : Tensor, shape (..., m), any shape where the sequence has one axis; or number
    out_int32 : bool
        Whether the result is int32, not int64.
    right : bool
        Whether equal elements count as well.
    side : {"left", "right"}, optional
        The same in words.
    sorter : Tensor of integers, optional
        Indices that put the sequence in order, where it is not.

    Returns
    -------
    Tensor, int64 or int32, shape of `values`

    Raises
    ------
    S2sadError
        E0301 for bools, E0302 for `side` against `right`, E0401 when the axes before the last
        differ, E0404 for another `side`.

    Examples
    --------
    >>> import s2sad as ms
    >>> searchsorted(ms.Tensor([1, 3, 3, 5]), ms.Tensor([3, 6])).asnumpy()
    array([1, 4])
    """
    line = require_tensor(sorted_sequence, "searchsorted")
    if side not in (None, "left", "right"):
        raise fail("E0404", f"side is 'left' or 'right', got {side!r}")
    if side == "left" and right:
        raise fail("E0302", "searchsorted takes side='left' or right=True, not both")
    if sorter is not None:
        line = p.gather_elements(line, require_tensor(sorter, "searchsorted"), axis=-1)
    line, wanted = promote(line, as_operand(values, (line,)))
    wanted = as_tensor(wanted, line.dtype)
    found = p.searchsorted(line, wanted, right=right or side == "right")
    return as_dtype(found, dtypes.int32) if out_int32 else found
