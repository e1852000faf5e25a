"""What are the operations of `s2sad.prims.index` in C?

Each says which places its indices name, and then takes, sets or adds rows there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from s2sad.backends.c.shape import around, grain, numbers, sizes
from s2sad.backends.c.template import Body, Site, Template
from s2sad.ir.primitive import Primitive
from s2sad.prims.index import (
    gather,
    gather_elements,
    gather_nd,
    index_add,
    index_update,
    scatter_elements,
    scatter_nd,
)

HEADERS = ("index.h",)


def _named(site: Site, count: int, axes: Sequence[int], axis: int = -1) -> str:
    """Which places the indices, the second operand, name: a row of `axes` taken as one.

    With an `axis`, each names an element of `axes`, which it has along that axis.
    """
    indices = site.types[1]
    shape = numbers(sizes(indices)) if axis >= 0 else "NULL"
    fields = f"x1, S2_INDEX_{indices.dtype.short.upper()}, {axis}, {len(axes)}, {count}"
    return f"const s2_named named = {{{fields}, {numbers(axes)}, {shape}}};"


def _take(site: Site, named: str, outer: int, count: int, size: int, inner: int) -> Body:
    """`outer` times `count` rows of `inner` elements, of the named ones among `size`."""
    if not outer * count * inner:  # an index out of range is one even where nothing is taken
        return Body(f"{named}\nreturn s2_check(&named);", HEADERS)
    row = inner * site.types[0].dtype.itemsize
    call = f"s2_take(x0, &named, y0, {size}, {row}, begin, end)"
    return Body(f"{named}\nreturn {call};", HEADERS, outer * count, grain(inner))


def _write(site: Site, named: str, outer: int, size: int, inner: int, *, adds: bool) -> Body:
    """Rows of `inner` elements into, or added to, the named ones among `outer` times `size`."""
    dtype = site.types[0].dtype
    function, row = ("set", inner * dtype.itemsize) if not adds else (f"add_{dtype.short}", inner)
    call = f"s2_{function}(x0, &named, x2, y0, {outer}, {size}, {row})"
    return Body(f"{named}\nreturn {call};", HEADERS, in_place=(0,))


def _gather(site: Site) -> Body:
    shape, axis = sizes(site.types[0]), site.attrs["axis"]
    count, (outer, inner) = math.prod(sizes(site.types[1])), around(shape, axis)
    named = _named(site, count, [shape[axis]])
    return _take(site, named, outer, count, shape[axis], inner)


def _index_add(site: Site) -> Body:
    return _along(site, adds=True)


def _index_update(site: Site) -> Body:
    return _along(site, adds=False)


def _along(site: Site, *, adds: bool) -> Body:
    shape, axis = sizes(site.types[0]), site.attrs["axis"]
    outer, inner = around(shape, axis)
    named = _named(site, math.prod(sizes(site.types[1])), [shape[axis]])
    return _write(site, named, outer, shape[axis], inner, adds=adds)


def _gather_elements(site: Site) -> Body:
    shape, count = sizes(site.types[0]), math.prod(sizes(site.types[1]))
    named = _named(site, count, shape, site.attrs["axis"])
    return _take(site, named, 1, count, math.prod(shape), 1)


def _scatter_elements(site: Site) -> Body:
    shape, count = sizes(site.types[0]), math.prod(sizes(site.types[1]))
    named = _named(site, count, shape, site.attrs["axis"])
    return _write(site, named, 1, math.prod(shape), 1, adds=site.attrs["reduce"] == "add")


def _nd(site: Site) -> tuple[str, int, int, int]:
    """Which places are named, how many there are, of how many rows, and the size of a row."""
    shape, places = sizes(site.types[0]), sizes(site.types[1])
    count, depth = math.prod(places[:-1]), places[-1]
    named = _named(site, count, shape[:depth])
    return named, count, math.prod(shape[:depth]), math.prod(shape[depth:])


def _gather_nd(site: Site) -> Body:
    named, count, size, inner = _nd(site)
    return _take(site, named, 1, count, size, inner)


def _scatter_nd(site: Site) -> Body:
    named, _, size, inner = _nd(site)
    return _write(site, named, 1, size, inner, adds=site.attrs["reduce"] == "add")


TEMPLATES: dict[Primitive, Template] = {
    gather: _gather,
    gather_elements: _gather_elements,
    gather_nd: _gather_nd,
    index_add: _index_add,
    index_update: _index_update,
    scatter_elements: _scatter_elements,
    scatter_nd: _scatter_nd,
}
