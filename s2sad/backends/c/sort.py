"""Which units of the runtime put elements in order?"""

from __future__ import annotations

import math

from s2sad.backends.c.template import Body, Site, Template
from s2sad.ir.primitive import Primitive
from s2sad.prims.sort import searchsorted, sort, top_k

HEADERS = ("sort.h",)


def _sorted(site: Site, k: int, descending: bool) -> Body:
    (x,) = site.types
    axis = site.attrs["axis"]
    outer, inner = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    sizes = f"{outer}, {x.shape[axis]}, {inner}, {k}, {int(descending)}"
    return Body(f"return s2_sort_{x.dtype.short}(x0, y0, y1, {sizes});", HEADERS)


def _sort(site: Site) -> Body:
    size = site.types[0].shape[site.attrs["axis"]]
    return _sorted(site, size, site.attrs["descending"])


def _top_k(site: Site) -> Body:
    return _sorted(site, site.attrs["k"], site.attrs["largest"])


def _searchsorted(site: Site) -> Body:
    ordered, values = site.types
    lines = math.prod(ordered.shape[:-1])
    each = values.shape[-1] if ordered.ndim > 1 else math.prod(values.shape)
    sizes = f"{lines}, {ordered.shape[-1]}, {each}, {int(site.attrs['right'])}"
    return Body(f"return s2_searchsorted_{ordered.dtype.short}(x0, x1, y0, {sizes});", HEADERS)


TEMPLATES: dict[Primitive, Template] = {
    searchsorted: _searchsorted,
    sort: _sort,
    top_k: _top_k,
}
