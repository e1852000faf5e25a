"""Which units of the runtime draw random numbers?"""

from __future__ import annotations

import math

from s2sad.backends.c.template import Body, Site, Template
from s2sad.ir.primitive import Primitive
from s2sad.prims import random as p

HEADERS = ("random.h",)


def _draw(site: Site) -> Body:
    """Numbers to the first result, the state after them to the second."""
    y = site.results[0]
    has_dtype = "dtype" in site.attrs
    name = f"s2_{site.operation.prim.name}{f'_{y.dtype.short}' if has_dtype else ''}"
    return Body(f"return {name}(x0, y0, y1, {math.prod(y.shape)});", HEADERS)


def _int(site: Site) -> Body:
    size = math.prod(site.results[0].shape)
    return Body(f"return s2_random_int(x0, *x1, *x2, y0, y1, {size});", HEADERS)


def _fold(site: Site) -> Body:
    return Body("return s2_random_fold(x0, *x1, y0);", HEADERS)


def _seed(site: Site) -> Body:
    seed = site.attrs["seed"] % 2**64
    return Body(f"y0[0] = (int64_t)UINT64_C({seed}), y0[1] = 0, y0[2] = 0;\nreturn 0;")


TEMPLATES: dict[Primitive, Template] = {
    p.random_bits: _draw,
    p.random_fold: _fold,
    p.random_int: _int,
    p.random_normal: _draw,
    p.random_permutation: _draw,
    p.random_uniform: _draw,
    p.seed_state: _seed,
}
