"""Which units of the runtime slide windows over planes?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.backends.c.template import Body, Site, Template
from s2sad.ir.dims import Dim
from s2sad.ir.primitive import Primitive
from s2sad.ir.types import TensorType
from s2sad.prims import pool as p


def _windows(attrs: Mapping[str, Any], size: Sequence[Dim], count: Sequence[Dim]) -> str:
    """Geometry of windows, with axes of size 1 before the spatial ones until there are three."""
    dilation = attrs.get("dilation", (1,) * len(size))
    before = [pair[0] for pair in attrs["padding"]]
    facts = ((size, 1), (attrs["kernel"], 1), (attrs["stride"], 1), (before, 0), (dilation, 1),
             (count, 1))  # fmt: skip
    missing = 3 - len(size)
    numbers = (", ".join(map(str, (*(fill,) * missing, *fact))) for fact, fill in facts)
    rows = ", ".join(f"{{{row}}}" for row in numbers)
    return f"const s2_windows w = {{{rows}}};\n"


def _call(site: Site, operands: str, x: TensorType, y: TensorType, *more: str) -> Body:
    """A call for windows over planes of the shape of `x`, as many as `y` has elements."""
    name = f"s2_{site.operation.prim.name}_{site.types[0].dtype.short}"
    arguments = ", ".join((operands, str(math.prod(x.shape[:2])), "&w", *more))
    windows = _windows(site.attrs, x.shape[2:], y.shape[2:])
    return Body(f"{windows}return {name}({arguments});", ("pool.h",))


def _max_pool(site: Site) -> Body:
    return _call(site, "x0, y0", site.types[0], site.results[0])


def _max_pool_grad(site: Site) -> Body:
    return _call(site, "x0, x1, y0", site.types[0], site.types[1])


def _divisor(site: Site) -> str:
    """What sums are divided by, 0 for the number of members."""
    attrs, dtype = site.attrs, site.types[0].dtype.compute
    divisor = attrs["divisor"]
    if divisor is None:
        divisor = math.prod(attrs["kernel"]) if attrs["count_include_pad"] else 0
    return float(np.asarray(divisor).astype(dtype.storage)).hex()


def _avg_pool(site: Site) -> Body:
    return _call(site, "x0, y0", site.types[0], site.results[0], _divisor(site))


def _avg_pool_grad(site: Site) -> Body:
    return _call(site, "x0, y0", site.results[0], site.types[0], _divisor(site))


TEMPLATES: dict[Primitive, Template] = {
    p.avg_pool: _avg_pool,
    p.avg_pool_grad: _avg_pool_grad,
    p.max_pool: _max_pool,
    p.max_pool_argmax: _max_pool,
    p.max_pool_grad: _max_pool_grad,
}
