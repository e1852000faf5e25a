"""Which units of the runtime reduce tensors along axes?"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from s2sad.backends.c.shape import sizes
from s2sad.backends.c.template import Body, Site, Template
from s2sad.ir.primitive import Primitive
from s2sad.prims import reduce as p


def turns(shape: Sequence[int], axis: Collection[int]) -> list[int]:
    """Kept and reduced sizes in turns, kept ones first and last, of neighbours merged.

    Examples
    --------
    >>> turns((2, 3, 4, 5), axis=(2, 3)), turns((2, 3, 4, 5), axis=(0, 2))
    ([6, 20, 1], [1, 2, 3, 4, 5])
    """
    found = [1]
    for i, size in enumerate(shape):
        last_is_reduced = len(found) % 2 == 0
        if (i in axis) is last_is_reduced:
            found[-1] *= size
        elif size != 1:
            found.append(size)
    if len(found) == 1:
        return [1, 1, *found]
    return found if len(found) % 2 else [*found, 1]


def _reduction(site: Site) -> Body:
    (x,) = site.types
    turned = turns(sizes(x), site.attrs["axis"])
    numbers = ", ".join(map(str, turned))
    name = f"s2_{site.operation.prim.name}_{x.dtype.short.rstrip('_')}"
    return Body(
        f"const int64_t sizes[] = {{{numbers}}};\n"
        f"return {name}(x0, y0, {len(turned) // 2}, sizes);",
        headers=("reduce.h",),
    )


def _place(site: Site) -> Body:
    (x,) = site.types
    axis = site.attrs["axis"]
    outer, inner = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    name = f"s2_{site.operation.prim.name}_{x.dtype.short}"
    return Body(f"return {name}(x0, y0, {outer}, {x.shape[axis]}, {inner});", ("reduce.h",))


TEMPLATES: dict[Primitive, Template] = {
    p.argmax: _place,
    p.argmin: _place,
    p.reduce_all: _reduction,
    p.reduce_any: _reduction,
    p.reduce_max: _reduction,
    p.reduce_min: _reduction,
    p.reduce_prod: _reduction,
    p.reduce_sum: _reduction,
}
