"""What are the operations of `s2sad.prims.rounding` in C?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from s2sad.backends.c.scalar import Scalar
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Primitive
from s2sad.prims import rounding as r


def _builtin(name: str) -> Scalar:
    """The instruction of the processor, which compilers know by the name of C's function."""

    def write(args: Sequence[str], dtype: DType, attrs: Mapping[str, Any]) -> str:
        return f"__builtin_{name}{'f' if dtype.bits == 32 else ''}({args[0]})"

    return write


SCALARS: dict[Primitive, Scalar] = {
    r.floor: _builtin("floor"),
    r.ceil: _builtin("ceil"),
    r.round: _builtin("rint"),
    r.trunc: _builtin("trunc"),
}
