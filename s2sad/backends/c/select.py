"""What is the operation of `s2sad.prims.select` in C?"""

from __future__ import annotations

from s2sad.backends.c.arithmetic import wrapping
from s2sad.backends.c.scalar import Scalar
from s2sad.ir.primitive import Primitive
from s2sad.prims.select import where

SCALARS: dict[Primitive, Scalar] = {where: wrapping("{0} ? {1} : {2}")}
