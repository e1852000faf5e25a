"""Which objects sum, multiply or compare what comes before each place?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ops import scan
from s2sad.ops.axes import flip
from s2sad.ops.creation import full_like
from s2sad.ops.join import concat
from s2sad.ops.primitives.base import primitive
from s2sad.ops.promotion import require_tensor
from s2sad.ops.settings import flag, integer
from s2sad.ops.window import narrow
from s2sad.prims.arrange import static_size
from s2sad.prims.rules import axis_of


def _scanned(
    x: Any, axis: int, run: Callable[[Any], Any], first: int, exclusive: bool, reverse: bool
) -> Any:
    """What `run` gives along `axis`, counted from the end or without each element itself."""
    axis = axis_of(axis, x.ndim)
    found = run(flip(x, (axis,)) if reverse else x)
    if exclusive:
        found = _later(found, axis, first)
    return flip(found, (axis,)) if reverse else found


def _later(x: Any, axis: int, first: int) -> Any:
    """`x` moved by one along `axis`, with `first` before it."""
    size = static_size(x.shape[axis], f"the size of axis {axis}, to leave out its end,")
    if not size:
        return x
    start = full_like(narrow(x, axis, 0, 1), first)
    return concat((start, narrow(x, axis, 0, size - 1)), axis)


@primitive(exclusive=flag, reverse=flag)
def CumSum(input: Any, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Any:
    """Sum up to each place along `axis`, in the dtype of `input`.

    With `exclusive` each place is left out itself; with `reverse` sums run from the end.

    Raises
    ------
    S2sadError
        E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([1.0, 2.0, 4.0])
    >>> CumSum()(x, 0).tolist(), CumSum(exclusive=True, reverse=True)(x, 0).tolist()
    ([1.0, 3.0, 7.0], [6.0, 4.0, 0.0])
    """
    x = require_tensor(input, "CumSum")
    return _scanned(x, axis, lambda y: scan.cumsum(y, axis, x.dtype), 0, exclusive, reverse)


@primitive(exclusive=flag, reverse=flag)
def CumProd(x: Any, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Any:
    """Product up to each place along `axis`, in the dtype of `x`; see `CumSum`.

    Examples
    --------
    >>> import s2sad as ms
    >>> CumProd(exclusive=True)(ms.Tensor([2.0, 3.0, 4.0]), 0).tolist()
    [1.0, 2.0, 6.0]
    """
    x = require_tensor(x, "CumProd")
    return _scanned(x, axis, lambda y: scan.cumprod(y, axis, x.dtype), 1, exclusive, reverse)


@primitive(axis=integer)
def Cummax(input: Any, *, axis: int) -> tuple[Any, Any]:
    """The largest element up to each place along `axis`, and where it is: `ops.cummax`.

    Examples
    --------
    >>> import s2sad as ms
    >>> [found.tolist() for found in Cummax(axis=0)(ms.Tensor([2.0, 1.0, 3.0]))]
    [[2.0, 2.0, 3.0], [0, 0, 2]]
    """
    return scan.cummax(input, axis)


@primitive(axis=integer)
def Cummin(input: Any, *, axis: int) -> tuple[Any, Any]:
    """The smallest element up to each place along `axis`, and where it is: `ops.cummin`.

    Examples
    --------
    >>> import s2sad as ms
    >>> [found.tolist() for found in Cummin(axis=0)(ms.Tensor([2.0, 1.0, 3.0]))]
    [[2.0, 1.0, 1.0], [0, 1, 1]]
    """
    return scan.cummin(input, axis)
