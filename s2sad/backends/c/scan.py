"""What are the operations of `s2sad.prims.scan` in C?"""

from __future__ import annotations

from s2sad.backends.c.shape import around, sizes
from s2sad.backends.c.template import Body, Site, Template
from s2sad.ir.primitive import Primitive
from s2sad.prims.scan import cummax, cummin, cumprod, cumsum, linear_recurrence


def _scan(site: Site) -> Body:
    """A call with all operands, all results, the sizes around the axis, and how to go."""
    shape, attrs = sizes(site.types[0]), site.attrs
    outer, inner = around(shape, attrs["axis"])
    names = [f"x{i}" for i in range(len(site.types))] + [f"y{i}" for i in range(len(site.results))]
    ways = [str(attrs[name]).lower() for name in ("reverse", "exclusive") if name in attrs]
    args = [*names, *map(str, (outer, shape[attrs["axis"]], inner)), *ways]
    function = f"s2_{site.operation.prim.name}_{site.types[0].dtype.short}"
    return Body(f"return {function}({', '.join(args)});", ("scan.h",))


TEMPLATES: dict[Primitive, Template] = {
    cummax: _scan,
    cummin: _scan,
    cumprod: _scan,
    cumsum: _scan,
    linear_recurrence: _scan,
}
