"""What are the operations of `s2sad.prims.logic` in C?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from s2sad.backends.c.arithmetic import wrapping
from s2sad.backends.c.scalar import Scalar, function, plain
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Primitive
from s2sad.prims import logic as l  # noqa: E741


def _inverted(args: Sequence[str], dtype: DType, attrs: Mapping[str, Any]) -> str:
    write = _not if dtype is dtypes.bool_ else wrapping("~{0}")
    return write(args, dtype, attrs)


_not = plain("(!{0})")

SCALARS: dict[Primitive, Scalar] = {
    l.logical_and: plain("({0} & {1})"),
    l.logical_or: plain("({0} | {1})"),
    l.logical_xor: plain("({0} ^ {1})"),
    l.logical_not: _not,
    l.bit_and: wrapping("{0} & {1}"),
    l.bit_or: wrapping("{0} | {1}"),
    l.bit_xor: wrapping("{0} ^ {1}"),
    l.bit_not: _inverted,
    l.shift_left: function("s2_shift_left"),
    l.shift_right: function("s2_shift_right"),
}
