"""Which parts of a tensor lie in a window, and what stands around them?"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import constant, is_tensor, require_tensor
from s2sad.ops.selection import filling
from s2sad.ops.settings import integer
from s2sad.ops.shapes import as_shape
from s2sad.ops.subscript import getitem
from s2sad.prims.arrange import slice_axis, static_size
from s2sad.prims.rules import axis_of
from s2sad.prims.shape import shape_of

# Parts


def narrow(input: Any, axis: int, start: Any, length: int) -> Any:
    """The `length` elements of `input` along `axis` from `start` on.

    Parameters
    ----------
    input : Tensor
    axis : int
    start : int, or Tensor of integers with no axes
        A negative one counts from the end. A Tensor may be data: the gradient of a window read in
        a loop costs a window, not the whole.
    length : int

    Raises
    ------
    S2sadError
        E0303 for what is no int, E0403 for an axis that does not exist, E0404 for a negative
        length, E0501 when the window does not lie inside, of a Tensor at run time.

    Examples
    --------
    >>> import s2sad as ms
    >>> narrow(ms.Tensor([1, 2, 3, 4]), 0, 1, 2).asnumpy()
    array([2, 3])
    """
    x = require_tensor(input, "narrow")
    axis = axis_of(axis, x.ndim)
    shape_of((length,), "length")
    if is_tensor(start):
        starts = [start if i == axis else 0 for i in range(x.ndim)]
        sizes = (*x.shape[:axis], length, *x.shape[axis + 1 :])
        return p.dynamic_slice(x, *starts, sizes=sizes)
    integer("start", start)
    size = static_size(x.shape[axis], f"the size of axis {axis}, to cut a window,")
    first = start + size if start < 0 else start
    if not 0 <= first <= size - length:
        found = f"a window of size {length} from index {start}"
        raise fail("E0501", f"{found} is out of range for axis {axis} of size {size}")
    return slice_axis(x, axis, first, first + length)


def slice(input_x: Any, begin: Any, size: Any) -> Any:
    """The part of `input_x` that starts at the indices `begin` and has the shape `size`.

    Parameters
    ----------
    input_x : Tensor
    begin, size : tuple or list of int, one an axis
        A size of -1 reaches to the end.

    Raises
    ------
    S2sadError
        E0303 for what is no int, or another number of axes; E0404 for a negative size, E0501 when
        the part does not lie inside.

    Examples
    --------
    >>> import s2sad as ms
    >>> slice(ms.Tensor([[1, 2], [3, 4]]), (0, 1), (2, -1)).asnumpy()
    array([[2],
           [4]])
    """
    x = require_tensor(input_x, "slice")
    starts, sizes = as_shape(begin, "beginning"), as_shape(size, "size")
    if not len(starts) == len(sizes) == x.ndim:
        raise fail("E0303", f"slice takes {x.ndim} indices and sizes, got {begin!r} and {size!r}")
    for axis, (start, count) in enumerate(zip(starts, sizes, strict=True)):
        rest = static_size(x.shape[axis], f"the size of axis {axis}") - start
        x = narrow(x, axis, start, rest if count == -1 else count)
    return x


def strided_slice(
    input_x: Any,
    begin: Any,
    end: Any,
    strides: Any,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """``input_x[begin[0]:end[0]:strides[0], ...]``.

    Parameters
    ----------
    input_x : Tensor
    begin, end, strides : tuple or list of int
        As many of each, at most one an axis; axes that are left over are whole.
    begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask : int
        Where bit i is set the i-th slice begins at the front, ends at the end, is ``...``, is a
        new axis, or is the one index ``begin[i]``.

    Raises
    ------
    S2sadError
        E0303 for what is no int, or numbers of indices that differ; E0404 for a stride of 0, E0501
        for an index out of range, E0503 for more indices than axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1, 2, 3], [4, 5, 6]])
    >>> strided_slice(x, (0, 2), (2, 0), (1, -1)).asnumpy()
    array([[3, 2],
           [6, 5]])
    """
    bounds = [as_shape(given, "slice") for given in (begin, end, strides)]
    if len({len(given) for given in bounds}) > 1:
        raise fail("E0303", f"{begin!r}, {end!r} and {strides!r} are not of one length")

    def item(place: int, first: Any, last: Any, step: Any) -> Any:
        if ellipsis_mask >> place & 1:
            return ...
        if new_axis_mask >> place & 1:
            return None
        if shrink_axis_mask >> place & 1:
            return first
        front, back = begin_mask >> place & 1, end_mask >> place & 1
        return builtins.slice(None if front else first, None if back else last, step)

    items = [item(i, *axis) for i, axis in enumerate(zip(*bounds, strict=True))]
    return getitem(require_tensor(input_x, "strided_slice"), tuple(items))


# What stands around

#: Modes that repeat elements, as NumPy names them, and how far they reach along an axis of size n.
REPEATING = {"reflect": ("reflect", -1), "replicate": ("edge", None), "circular": ("wrap", 0)}


def pad(input_x: Any, padding: Any, mode: str = "constant", value: Any = None) -> Any:
    """`input_x` with elements put before and behind it along its last axes.

    Parameters
    ----------
    input_x : Tensor
    padding : tuple or list of int
        How many before and behind, of the last axis first: ``(left, right, top, bottom, ...)``.
        Negative ones take elements away ("constant" only).
    mode : {"constant", "reflect", "replicate", "circular"}
        `value`; a mirror image without the edge itself; copies of the edge; the other end.
    value : number, or Tensor with no axes, optional
        0 by default; for "constant" only.

    Raises
    ------
    S2sadError
        E0302 for a `value` without use, E0303 for what is no int, or an odd number of them, E0404
        for another mode, or more elements than it can give.

    Examples
    --------
    >>> import s2sad as ms
    >>> pad(ms.Tensor([1, 2, 3]), (1, 2)).asnumpy()
    array([0, 1, 2, 3, 0, 0])
    >>> pad(ms.Tensor([1, 2, 3]), (2, 1), mode="reflect").asnumpy()
    array([3, 2, 1, 2, 3, 2])
    """
    x = require_tensor(input_x, "pad")
    pairs = _pairs(padding, x.ndim)
    if mode == "constant":
        return _pad_constant(x, pairs, 0 if value is None else value)
    if mode not in REPEATING:
        modes = ", ".join(["constant", *REPEATING])
        raise fail("E0404", f"the mode of pad is one of {modes}; got {mode!r}")
    if value is not None:
        raise fail("E0302", f"pad takes a value with mode 'constant', not with {mode!r}")
    for axis, pair in enumerate(pairs):
        if pair != (0, 0):
            x = p.gather(x, _repeated(x.shape[axis], pair, mode), axis=axis)
    return x


def _pairs(padding: Any, ndim: int) -> list[tuple[int, int]]:
    """How many before and behind, for each axis, the first one first."""
    given = as_shape(padding, "padding")
    if any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) for n in given):
        raise fail("E0303", f"the padding is made of ints, got {padding!r}")
    if len(given) % 2 or len(given) > 2 * ndim:
        raise fail(
            "E0303", f"the padding is two ints an axis, of {ndim} axes; got {padding!r}",
            help="write (before, behind) of the last axis, then of the one before it",
        )  # fmt: skip
    last_first = list(zip(given[::2], given[1::2], strict=True))
    return [(0, 0)] * (ndim - len(last_first)) + last_first[::-1]


def _pad_constant(x: Any, pairs: list[tuple[int, int]], value: Any) -> Any:
    for axis, (low, high) in enumerate(pairs):
        if low < 0 or high < 0:
            size = static_size(x.shape[axis], f"the size of axis {axis}, to cut it,")
            x = narrow(x, axis, max(-low, 0), size + min(low, 0) + min(high, 0))
    low, high = (tuple(max(pair[i], 0) for pair in pairs) for i in (0, 1))
    return p.pad(x, filling(value, x, "pad"), low=low, high=high) if any(low + high) else x


def _repeated(size: Any, pair: tuple[int, int], mode: str) -> Any:
    """The index of the element that stands at each place of a padded axis."""
    name, reach = REPEATING[mode]
    size = static_size(size, "the size of a padded axis")
    if min(pair) < 0 or size == 0 or reach is not None and max(pair) > size + reach:
        raise fail("E0404", f"mode {mode!r} cannot put {pair} elements around {size}")
    return constant(np.pad(np.arange(size), pair, mode=name), dtypes.int64)
