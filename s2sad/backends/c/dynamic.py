"""What are the operations of `s2sad.prims.dynamic` in C?

Where a window starts is known at run time, how it lies in the tensor when the kernel is written.
"""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.c.shape import Axis, added, copied, numbers, sizes, strides
from s2sad.backends.c.template import Body, Site, Template
from s2sad.ir.primitive import Primitive
from s2sad.prims.dynamic import dynamic_slice, update, update_add

HEADERS = ("index.h",)


def _first(site: Site, window: Sequence[int], starts: int) -> str:
    """Statements that find the first element of the window; the first start is operand `starts`."""
    shape = sizes(site.types[0])
    at = [f"x{starts + axis}[0]" for axis in range(len(shape))]
    return (
        f"const int64_t starts[] = {{{', '.join(at) or '0'}}};\n"
        f"const int64_t first = s2_window({len(shape)}, starts, {numbers(shape)}, "
        f"{numbers(window)});\nif (first < 0)\n    return 1;\n"
    )


def _dynamic_slice(site: Site) -> Body:
    window, source = sizes(site.results[0]), strides(sizes(site.types[0]))
    axes = [Axis(*axis) for axis in zip(window, source, strides(window), strict=True)]
    call = copied("x0 + first", "y0", site.types[0].dtype.itemsize, axes)
    return Body(f"{_first(site, window, 1)}{call}\nreturn 0;", HEADERS)


def _update(site: Site) -> Body:
    call = copied("x1", "y0 + first", site.types[0].dtype.itemsize, _axes(site))
    return _written(site, call)


def _update_add(site: Site) -> Body:
    call = added("x1", "y0 + first", site.types[0].dtype.short, _axes(site))
    return _written(site, call)


def _axes(site: Site) -> list[Axis]:
    """From the value, the second operand, to the window."""
    window, target = sizes(site.types[1]), strides(sizes(site.types[0]))
    return [Axis(*axis) for axis in zip(window, strides(window), target, strict=True)]


def _written(site: Site, call: str) -> Body:
    kind = site.types[0]
    size = strides((1, *sizes(kind)))[0] * kind.dtype.itemsize
    whole = f"s2_copy_bytes(x0, y0, {size});"
    first = _first(site, sizes(site.types[1]), 2)
    return Body(f"{first}{whole}\n{call}\nreturn 0;", HEADERS, in_place=(0,))


TEMPLATES: dict[Primitive, Template] = {
    dynamic_slice: _dynamic_slice,
    update: _update,
    update_add: _update_add,
}
