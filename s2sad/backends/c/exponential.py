"""What are the operations of `s2sad.prims.exponential` in C?"""

from __future__ import annotations

from s2sad.backends.c.scalar import Scalar, function
from s2sad.ir.primitive import Primitive
from s2sad.prims import exponential as e

SCALARS: dict[Primitive, Scalar] = {
    e.exp: function("s2_exp"),
    e.exp2: function("s2_exp2"),
    e.expm1: function("s2_expm1"),
    e.log: function("s2_log"),
    e.log2: function("s2_log2"),
    e.log10: function("s2_log10"),
    e.log1p: function("s2_log1p"),
    e.sigmoid: function("s2_sigmoid"),
    e.tanh: function("s2_tanh"),
    e.sinh: function("s2_sinh"),
    e.cosh: function("s2_cosh"),
    e.asinh: function("s2_asinh"),
    e.acosh: function("s2_acosh"),
    e.atanh: function("s2_atanh"),
}
