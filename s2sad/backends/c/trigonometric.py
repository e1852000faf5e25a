"""What are the operations of `s2sad.prims.trigonometric` in C?"""

from __future__ import annotations

from s2sad.backends.c.scalar import Scalar, function
from s2sad.ir.primitive import Primitive
from s2sad.prims import trigonometric as t

SCALARS: dict[Primitive, Scalar] = {
    t.sin: function("s2_sin"),
    t.cos: function("s2_cos"),
    t.tan: function("s2_tan"),
    t.asin: function("s2_asin"),
    t.acos: function("s2_acos"),
    t.atan: function("s2_atan"),
    t.atan2: function("s2_atan2"),
}
