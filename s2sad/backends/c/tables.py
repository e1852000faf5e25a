"""Which primitives have an expression of C, and which a unit of the runtime?

A family has its tables in the file of its name, as in `prims`.
"""

from __future__ import annotations

from importlib import import_module

from s2sad.backends.c.scalar import Scalar
from s2sad.backends.c.template import Template
from s2sad.ir.primitive import Primitive
from s2sad.prims import reduce, shape

#: Families with a table.
FAMILIES = (
    "arithmetic", "cast", "comparison", "conv", "dynamic", "exponential", "index", "linalg",
    "logic", "pool", "queue", "random", "reduce", "rounding", "scan", "select", "shape", "sort",
    "special", "trigonometric",
)  # fmt: skip

SCALARS: dict[Primitive, Scalar] = {}
TEMPLATES: dict[Primitive, Template] = {}
for _family in FAMILIES:
    _table = import_module(f"s2sad.backends.c.{_family}")
    SCALARS.update(getattr(_table, "SCALARS", {}))
    TEMPLATES.update(getattr(_table, "TEMPLATES", {}))

#: Those for which the unit is taken though loops could do it: alone, it is faster.
PREFERRED: frozenset[Primitive] = frozenset((reduce.reduce_sum, shape.transpose))
