"""Which rearrangements are made of the primitives of `shape`?

All are composites: types, meaning and gradient follow from what stands in their body.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.dims import Dim
from s2sad.ir.graph import Value
from s2sad.ir.types import i64
from s2sad.prims.arithmetic import add
from s2sad.prims.comparison import greater_equal, less_equal
from s2sad.prims.define import composite
from s2sad.prims.rules import axes_of, axis_of, canonical_axis, tensor
from s2sad.prims.select import where
from s2sad.prims.shape import (
    broadcast_to,
    concat,
    iota,
    per_axis,
    reshape,
    shape_of,
    slice,
    transpose,
)


def static_size(size: Dim, what: str) -> int:
    """`size`, which must be known while compiling (E0402)."""
    if not isinstance(size, int):
        raise fail("E0402", f"{what} must be known while compiling, got {size}")
    return size


def slice_axis(x: Value, axis: int, start: Any, stop: Any, step: int = 1) -> Value:
    """The slice of `x` along one axis, whole along all others."""
    before, after = axis, x.ndim - axis - 1
    return slice(
        x,
        start=(None,) * before + (start,) + (None,) * after,
        stop=(None,) * before + (stop,) + (None,) * after,
        step=(1,) * before + (step,) + (1,) * after,
    )


def _canonical_new_axes(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    axis = attrs["axis"]
    count = len(axis) if isinstance(axis, tuple) else 1
    return {"axis": axes_of(axis, tensor(types[0]).ndim + count)}


@composite(canonical=_canonical_new_axes)
def expand_dims(x, *, axis):
    """`x` with new axes of size 1.

    Parameters
    ----------
    x : Tensor of any dtype
    axis : int or tuple of int
        Places of the new axes in the result.

    Raises
    ------
    S2sadError
        E0403 if an axis is out of range of the result, or named twice.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.expand_dims(np.arange(3), axis=-1).shape
    (3, 1)
    """
    sizes = iter(x.shape)
    shape = tuple(1 if i in axis else next(sizes) for i in range(x.ndim + len(axis)))
    return reshape(x, shape=shape)


def _canonical_squeeze(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    x = tensor(types[0])
    if attrs["axis"] is not None:
        return {"axis": axes_of(attrs["axis"], x.ndim)}
    return {"axis": tuple(i for i, size in enumerate(x.shape) if dims.same(size, 1))}


@composite(canonical=_canonical_squeeze)
def squeeze(x, *, axis: Any = None):
    """`x` without axes of size 1.

    Parameters
    ----------
    x : Tensor of any dtype
    axis : int, tuple of int or None
        Axes of size 1; None for all of them.

    Raises
    ------
    S2sadError
        E0401 if an axis has another size, E0403 if it is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.squeeze(np.zeros((1, 3, 1)), axis=0).shape
    (3, 1)
    """
    for i in axis:
        dims.require_same(
            x.shape[i], 1, f"the size of axis {i}, which is squeezed, and 1",
            "only axes of size 1 can be left out",
        )  # fmt: skip
    return reshape(x, shape=tuple(size for i, size in enumerate(x.shape) if i not in axis))


def _canonical_stack(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    return {"axis": axis_of(attrs["axis"], tensor(types[0]).ndim + 1)}


@composite(canonical=_canonical_stack)
def stack(x, *others, axis=0):
    """The operands side by side along a new axis.

    Parameters
    ----------
    x, *others : Tensors of one type
    axis : int
        Place of the new axis in the result.

    Raises
    ------
    S2sadError
        E0301 if the dtypes differ, E0401 if the shapes do, E0403 if `axis` is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.stack(np.array([1, 2]), np.array([3, 4]), axis=1)
    array([[1, 3],
           [2, 4]])
    """
    return concat(*[expand_dims(part, axis=axis) for part in (x, *others)], axis=axis)


def _canonical_tile(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    repeats = per_axis(attrs["repeats"], tensor(types[0]).ndim, "repeats")
    return {"repeats": shape_of(repeats, "repeats")}


@composite(canonical=_canonical_tile)
def tile(x, *, repeats):
    """`x` laid out again and again along each axis.

    Parameters
    ----------
    x : Tensor of any dtype
    repeats : tuple of int, one an axis

    Raises
    ------
    S2sadError
        E0303 or E0404 if `repeats` is no tuple of sizes, one an axis.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.tile(np.array([1, 2]), repeats=(2,))
    array([1, 2, 1, 2])
    """
    return _spread(x, [(count, size) for count, size in zip(repeats, x.shape, strict=True)], 0)


def _canonical_repeat(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    shape_of((attrs["repeats"],), "repeats")
    return canonical_axis(types, attrs)


@composite(canonical=_canonical_repeat)
def repeat(x, *, repeats, axis):
    """`x` with each element repeated along `axis`.

    Parameters
    ----------
    x : Tensor of any dtype
    repeats : int
    axis : int

    Raises
    ------
    S2sadError
        E0303 or E0404 if `repeats` is no size, E0403 if `axis` is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.repeat(np.array([1, 2]), repeats=2, axis=0)
    array([1, 1, 2, 2])
    """
    pairs = [(size, repeats if i == axis else 1) for i, size in enumerate(x.shape)]
    return _spread(x, pairs, 1)


def _spread(x: Value, pairs: list[tuple[Dim, Dim]], new: int) -> Value:
    """Each axis as a pair of axes, of which the one at place `new` is broadcast; then joined."""
    split = tuple(1 if i == new else pair[i] for pair in pairs for i in (0, 1))
    wide = broadcast_to(
        reshape(x, shape=split), shape=tuple(size for pair in pairs for size in pair)
    )
    return reshape(wide, shape=tuple(outer * inner for outer, inner in pairs))


def _canonical_roll(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    axes = attrs["axis"] if isinstance(attrs["axis"], tuple) else (attrs["axis"],)
    shifts = attrs["shift"] if isinstance(attrs["shift"], tuple) else (attrs["shift"],)
    if any(isinstance(shift, bool) or not isinstance(shift, int) for shift in shifts):
        raise fail("E0303", f"a shift is an int, got {attrs['shift']!r}")
    if len(axes) != len(shifts):
        raise fail("E0303", f"{len(axes)} axes need as many shifts, got {len(shifts)}")
    found = [axis_of(axis, tensor(types[0]).ndim) for axis in axes]
    total = {
        axis: sum(s for s, a in zip(shifts, found, strict=True) if a == axis) for axis in found
    }
    kept = sorted(total.items())
    return {"shift": tuple(s for _, s in kept), "axis": tuple(axis for axis, _ in kept)}


@composite(canonical=_canonical_roll)
def roll(x, *, shift, axis):
    """`x` with its elements moved towards the end of `axis`; what leaves there enters in front.

    Parameters
    ----------
    x : Tensor of any dtype
    shift : int or tuple of int
        By how many places; negative moves to the front.
    axis : int or tuple of int
        As many as there are shifts.

    Raises
    ------
    S2sadError
        E0303 if the shifts are no ints or of another number, E0403 if an axis is out of range,
        E0402 if a symbolic size leaves open where to cut.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.roll(np.arange(4), shift=1, axis=0)
    array([3, 0, 1, 2])
    """
    for amount, i in zip(shift, axis, strict=True):
        size = x.shape[i]
        cut = -amount
        if isinstance(size, int):
            cut = -amount % size if size else 0
        if cut:
            x = concat(slice_axis(x, i, cut, None), slice_axis(x, i, None, cut), axis=i)
    return x


def _canonical_diagonal(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    ndim, offset = tensor(types[0]).ndim, attrs["offset"]
    axis1, axis2 = (axis_of(attrs[name], ndim) for name in ("axis1", "axis2"))
    if axis1 == axis2:
        raise fail("E0403", f"a diagonal needs two axes, got {axis1} twice")
    if isinstance(offset, bool) or not isinstance(offset, int):
        raise fail("E0303", f"the offset of a diagonal is an int, got {offset!r}")
    return {"offset": offset, "axis1": axis1, "axis2": axis2}


@composite(canonical=_canonical_diagonal)
def diagonal(x, *, offset=0, axis1=0, axis2=1):
    """The elements of `x` whose indices along two axes differ by `offset`, as a last axis.

    Parameters
    ----------
    x : Tensor of any dtype
        The sizes of the two axes must be known while compiling.
    offset : int
        Index along `axis2` minus index along `axis1`.
    axis1, axis2 : int

    Raises
    ------
    S2sadError
        E0403 if an axis is out of range, or both are one; E0402 if one of them is symbolic.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.diagonal(np.array([[1, 2], [3, 4]]))
    array([1, 4])
    """
    rows, columns = (static_size(x.shape[i], "an axis of a diagonal") for i in (axis1, axis2))
    rest = tuple(i for i in range(x.ndim) if i not in (axis1, axis2))
    batch = tuple(x.shape[i] for i in rest)
    flat = reshape(transpose(x, perm=(*rest, axis1, axis2)), shape=(*batch, rows * columns))
    count = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    start = offset if offset >= 0 else -offset * columns
    # The next element is a row and a column further on.
    stop = start + (count - 1) * (columns + 1) + 1 if count else start
    return slice_axis(flat, len(rest), start, stop, columns + 1)


@composite()
def tril(x, *, diagonal=0):
    """`x` with zeros above a diagonal of its last two axes.

    Parameters
    ----------
    x : Tensor of any dtype, shape (..., n, m)
    diagonal : int
        The last diagonal that is kept; 1 is the one above the main diagonal.

    Raises
    ------
    S2sadError
        E0401 if `x` has fewer than two axes.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.tril(np.ones((2, 2), np.int64))
    array([[1, 0],
           [1, 1]])
    """
    rows, columns = _places(x)
    return where(greater_equal(add(rows, diagonal), columns), x, 0)


@composite()
def triu(x, *, diagonal=0):
    """`x` with zeros below a diagonal of its last two axes.

    Parameters
    ----------
    x : Tensor of any dtype, shape (..., n, m)
    diagonal : int
        The first diagonal that is kept; 1 is the one above the main diagonal.

    Raises
    ------
    S2sadError
        E0401 if `x` has fewer than two axes.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.triu(np.ones((2, 2), np.int64))
    array([[1, 1],
           [0, 1]])
    """
    rows, columns = _places(x)
    return where(less_equal(add(rows, diagonal), columns), x, 0)


def _places(x: Value) -> tuple[Value, Value]:
    """Row numbers as a column and column numbers as a row, of the last two axes."""
    if x.ndim < 2:
        raise fail("E0401", f"a triangle needs two axes, got {x.type}")
    n, m = x.shape[-2:]
    return iota(dtype=i64, shape=(n, 1), axis=0), iota(dtype=i64, shape=(1, m), axis=1)
