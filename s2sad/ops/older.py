"""Which operations go by the names of MindSpore's primitives?

A sum or product here keeps the dtype of what is summed, so integers wrap, where `sum` and `prod`
compute in int64. Axes are all where none is given.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.ops.arithmetic import pow as pows
from s2sad.ops.promotion import require_tensor
from s2sad.ops.reduce import all as all_of
from s2sad.ops.reduce import amax, amin, given_axes
from s2sad.ops.reduce import any as any_of
from s2sad.ops.settings import flag
from s2sad.ops.statistics import mean

__all__ = [
    "pows", "reduce_all", "reduce_any", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod",
    "reduce_sum",
]  # fmt: skip


def reduce_sum(x: Any, axis: Any = (), keep_dims: bool = False, skip_mode: bool = False) -> Any:
    """Sum over the axes `axis`, in the dtype of `x`.

    Parameters
    ----------
    x : Tensor of numbers
    axis : int, or tuple or list of int
        All when empty.
    keep_dims : bool
        Whether the axes stay, with size 1.
    skip_mode : bool
        Whether no axes means none, and `x` is given back.

    Raises
    ------
    S2sadError
        E0301 for bools, E0303 for a setting that is no bool, E0403 for an axis that does not exist,
        or is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> reduce_sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
    array([3., 7.], dtype=float32)
    >>> reduce_sum(ms.Tensor([100, 100], ms.int8)).asnumpy()
    array(-56, dtype=int8)
    """
    x, axes = require_tensor(x, "reduce_sum"), given_axes(axis)
    if flag("skip_mode", skip_mode) and axes is None:
        return x
    return p.reduce_sum(x, axis=axes, keepdims=keep_dims)


def reduce_prod(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Product over the axes `axis`, in the dtype of `x`; see `reduce_sum`.

    Examples
    --------
    >>> import s2sad as ms
    >>> reduce_prod(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
    array([ 2., 12.], dtype=float32)
    """
    x = require_tensor(x, "reduce_prod")
    return p.reduce_prod(x, axis=given_axes(axis), keepdims=keep_dims)


def reduce_mean(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Mean over the axes `axis`: `mean`.

    Examples
    --------
    >>> import s2sad as ms
    >>> reduce_mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1, keep_dims=True).asnumpy()
    array([[1.5],
           [3.5]], dtype=float32)
    """
    return mean(x, axis, keep_dims)


def reduce_max(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Largest element over the axes `axis`: `amax`.

    Examples
    --------
    >>> import s2sad as ms
    >>> reduce_max(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0).asnumpy()
    array([3., 4.], dtype=float32)
    """
    return amax(x, axis, keep_dims)


def reduce_min(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Smallest element over the axes `axis`: `amin`.

    Examples
    --------
    >>> import s2sad as ms
    >>> reduce_min(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return amin(x, axis, keep_dims)


def reduce_all(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Whether all elements over the axes `axis` hold: `all`.

    Examples
    --------
    >>> import s2sad as ms
    >>> reduce_all(ms.Tensor([[True, False], [True, True]]), 1).asnumpy()
    array([False,  True])
    """
    return all_of(x, axis, keep_dims)


def reduce_any(x: Any, axis: Any = (), keep_dims: bool = False) -> Any:
    """Whether one element over the axes `axis` holds: `any`.

    Examples
    --------
    >>> import s2sad as ms
    >>> reduce_any(ms.Tensor([[True, False], [False, False]]), 1).asnumpy()
    array([ True, False])
    """
    return any_of(x, axis, keep_dims)
