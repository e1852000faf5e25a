"""What are the operations of `s2sad.prims.shape` in C, where no loop nest takes them in?

All but the counting ones are copies between strides, which one unit of the runtime makes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from s2sad.backends.c.template import Body, Site, Template
from s2sad.core import dtypes
from s2sad.ir.primitive import Primitive
from s2sad.ir.types import TensorType
from s2sad.prims.shape import (
    axis_size,
    broadcast_to,
    concat,
    exact_storage,
    flip,
    iota,
    pad,
    slice,
    split,
    transpose,
)

#: Elements that are worth a thread of their own.
WORTH_A_THREAD = 32768


class Axis(NamedTuple):
    """An axis of a copy.

    Attributes
    ----------
    size : int
    source, target : int
        How many bytes, or elements, lie from one to the next.
    """

    size: int
    source: int
    target: int


def sizes(type: TensorType) -> tuple[int, ...]:  # noqa: A002
    """The shape of `type`, of which this backend knows all sizes.

    Examples
    --------
    >>> from s2sad.ir.types import f32
    >>> sizes(f32[2, 3])
    (2, 3)
    """
    shape: Any = type.shape
    return shape


def strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Elements from one to the next along each axis.

    Examples
    --------
    >>> strides((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def around(shape: Sequence[int], axis: int) -> tuple[int, int]:
    """Numbers of elements of the axes before `axis`, and of those behind.

    Examples
    --------
    >>> around((2, 3, 4, 5), 1)
    (2, 20)
    """
    return math.prod(shape[:axis]), math.prod(shape[axis + 1 :])


def numbers(values: Iterable[int]) -> str:
    """An array of `values` in C, where it is one element at least.

    Examples
    --------
    >>> numbers((2, 3))
    '(const int64_t[]){2, 3}'
    """
    return f"(const int64_t[]){{{', '.join(map(str, values)) or '0'}}}"


def grain(width: int) -> int:
    """How many rows of `width` elements are worth a thread of their own."""
    return max(1, WORTH_A_THREAD // max(width, 1))


def pointer(name: str, offset: int) -> str:
    """A pointer `offset` bytes behind `name`."""
    return f"(const char *){name} + {offset}" if offset else name


def _merged(axes: Iterable[Axis]) -> list[Axis]:
    """The same copy in fewer axes."""
    found: list[Axis] = []
    for axis in axes:
        last = found[-1] if found else None
        if axis.size == 1:
            continue
        joins = last is not None and (last.source, last.target) == (
            axis.size * axis.source, axis.size * axis.target,
        )  # fmt: skip
        if last is not None and joins:
            found[-1] = Axis(last.size * axis.size, axis.source, axis.target)
        else:
            found.append(axis)
    return found


def copied(source: str, target: str, itemsize: int, axes: Iterable[Axis]) -> str:
    """The call that copies elements along `axes`, whose strides are in elements.

    Examples
    --------
    >>> copied("x0", "y0", 4, [Axis(2, 1, 3), Axis(3, 2, 1)])
    's2_copy(x0, y0, 4, 2, (const s2_axis[]){{2, 4, 12}, {3, 8, 4}});'
    >>> copied("x0", "y0", 4, [Axis(5, 0, 2), Axis(2, 1, 1)])
    's2_copy(x0, y0, 8, 1, (const s2_axis[]){{5, 0, 8}});'
    """
    scaled = [Axis(size, a * itemsize, b * itemsize) for size, a, b in axes]
    found, item = _merged(scaled), itemsize
    if found and found[-1][1:] == (item, item) and found[-1].size * item in (2, 4, 8, 16):
        item *= found.pop().size
    found = _merged(_turned(found, item))
    return f"s2_copy({source}, {target}, {item}, {_listed(found)});"


def added(source: str, target: str, short: str, axes: Iterable[Axis]) -> str:
    """The call that adds elements of the dtype `short` along `axes`.

    Examples
    --------
    >>> added("x0", "y0", "f32", [Axis(2, 3, 5), Axis(3, 1, 1)])
    's2_add_axes_f32(x0, y0, 2, (const s2_axis[]){{2, 3, 5}, {3, 1, 1}});'
    """
    return f"s2_add_axes_{short}({source}, {target}, {_listed(_merged(axes))});"


def _listed(axes: Sequence[Sequence[int]], struct: str = "s2_axis") -> str:
    """Number of `axes`, and an array of them in C."""
    found = ", ".join(f"{{{', '.join(map(str, axis))}}}" for axis in axes)
    return f"{len(axes)}, (const {struct}[]){{{found}}}" if axes else "0, NULL"


def _turned(axes: list[Axis], item: int) -> list[Axis]:
    """`axes` with the one whose operand is contiguous next to the one whose result is."""
    near = [axis for axis in axes[:-1] if axis.source == item]
    if not near or axes[-1].source == item:
        return axes
    others = [axis for axis in axes[:-1] if axis is not near[-1]]
    return [*others, near[-1], axes[-1]]


def _copy(site: Site, source: Sequence[int], offset: int = 0) -> Body:
    """The whole result from the elements `source` strides apart, the first at `offset`."""
    (kind,) = site.results
    size, itemsize = sizes(kind), kind.dtype.itemsize
    axes = [Axis(*axis) for axis in zip(size, source, strides(size), strict=True)]
    call = copied(pointer("x0", offset * itemsize), "y0", itemsize, axes)
    return Body(f"{call}\nreturn 0;", ("shape.h",))


def _transpose(site: Site) -> Body:
    source = strides(sizes(site.types[0]))
    return _copy(site, [source[axis] for axis in site.attrs["perm"]])


def _flip(site: Site) -> Body:
    shape = sizes(site.types[0])
    axes, source = site.attrs["axis"], strides(shape)
    offset = sum(source[axis] * (shape[axis] - 1) for axis in axes) if math.prod(shape) else 0
    return _copy(site, [-s if i in axes else s for i, s in enumerate(source)], offset)


def _broadcast_to(site: Site) -> Body:
    shape = sizes(site.types[0])
    extra = len(site.attrs["shape"]) - len(shape)
    source = [0 if size == 1 else s for size, s in zip(shape, strides(shape), strict=True)]
    return _copy(site, [0] * extra + source)


def _slice(site: Site) -> Body:
    source, start = strides(sizes(site.types[0])), site.attrs["start"]
    is_empty = not math.prod(sizes(site.results[0]))
    offset = 0 if is_empty else sum(a * s for a, s in zip(start, source, strict=True))
    return _copy(site, [a * s for a, s in zip(site.attrs["step"], source, strict=True)], offset)


def _concat(site: Site) -> Body:
    shape = sizes(site.results[0])
    parts = [sizes(kind)[site.attrs["axis"]] for kind in site.types]
    return _parts(site, shape, parts, is_split=False)


def _split(site: Site) -> Body:
    return _parts(site, sizes(site.types[0]), site.attrs["sizes"], is_split=True)


def _parts(site: Site, shape: Sequence[int], parts: Sequence[int], *, is_split: bool) -> Body:
    """Copies between a tensor of `shape` and its consecutive `parts` along the axis."""
    axis, itemsize = site.attrs["axis"], site.results[0].dtype.itemsize
    outer, inner = around(shape, axis)
    whole, offset, calls = shape[axis] * inner, 0, []
    for i, size in enumerate(parts):
        part = size * inner
        if is_split:
            names = pointer("x0", offset * itemsize), f"y{i}"
            axes = [Axis(outer, whole, part), Axis(part, 1, 1)]
        else:
            names = f"x{i}", f"(char *)y0 + {offset * itemsize}"
            axes = [Axis(outer, part, whole), Axis(part, 1, 1)]
        if outer * part:
            calls.append(copied(*names, itemsize, axes))
        offset += part
    return Body("\n".join([*calls, "return 0;"]), ("shape.h",))


def _pad(site: Site) -> Body:
    shape, itemsize = sizes(site.types[0]), site.results[0].dtype.itemsize
    amounts = zip(*(site.attrs[name] for name in ("low", "high", "interior")), strict=True)
    axes = [(size, *amount) for size, amount in zip(shape, amounts, strict=True)]
    row = itemsize
    while axes and not any(axes[-1][1:]):
        row *= axes.pop()[0]
    axes = axes or [(1, 0, 0, 0)]
    call = f"s2_pad(x0, x1, y0, {itemsize}, {row}, {_listed(axes, 's2_padding')});"
    return Body(f"return {call}", ("shape.h",))


def _iota(site: Site) -> Body:
    (kind,), shape = site.results, site.attrs["shape"]
    axis = site.attrs["axis"]
    outer, inner = around(shape, axis)
    call = f"s2_iota_{kind.dtype.short}(y0, {shape[axis]}, {inner}, begin, end);"
    return Body(f"{call}\nreturn 0;", ("shape.h",), outer * shape[axis], grain(inner))


def _axis_size(site: Site) -> Body:
    """The number itself: this backend knows all sizes."""
    dtype, shape = site.results[0].dtype, sizes(site.types[0])
    size = np.asarray(math.prod(shape[axis] for axis in site.attrs["axis"]))
    element = dtypes.narrow(size.astype(exact_storage(dtype)), dtype)
    number = int(element.view(f"uint{dtype.bits}"))
    text = f"const uint{dtype.bits}_t size = {number}u;\nmemcpy(y0, &size, {dtype.itemsize});"
    return Body(f"{text}\nreturn 0;")


TEMPLATES: dict[Primitive, Template] = {
    axis_size: _axis_size,
    broadcast_to: _broadcast_to,
    concat: _concat,
    flip: _flip,
    iota: _iota,
    pad: _pad,
    slice: _slice,
    split: _split,
    transpose: _transpose,
}
