"""What are elements in another dtype, by value or by bits, in C?

Both see elements as they are stored: narrow floats as bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from s2sad.backends.c.scalar import Scalar
from s2sad.backends.c.template import stored
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Primitive
from s2sad.prims.cast import bitcast, cast


def _cast(args: Sequence[str], dtype: DType, attrs: Mapping[str, Any]) -> str:
    (x,), wanted = args, attrs["dtype"]
    if dtype is wanted:
        return x
    if wanted is dtypes.bool_:
        return f"(({x} & 0x7FFF) != 0)" if dtype.is_narrow else f"({x} != 0)"
    if dtype.is_narrow:
        x, dtype = f"s2_{dtype.short}_to_f32({x})", dtypes.float32
    return _to_narrow(x, dtype, wanted) if wanted.is_narrow else _to_wide(x, dtype, wanted)


def _to_wide(x: str, dtype: DType, wanted: DType) -> str:
    """`x` as integers, f32 or f64."""
    if dtype.is_float and wanted.is_integer:
        return f"s2_{dtype.short}_to_{wanted.short}({x})"
    return x if dtype is wanted else f"({stored(wanted)})({x})"


def _to_narrow(x: str, dtype: DType, wanted: DType) -> str:
    """`x` as bits of a narrow float, by way of a wide one that holds it exactly."""
    if dtype is dtypes.int32:
        x, dtype = f"(double){x}", dtypes.float64
    elif not dtype.is_float and dtype is not dtypes.int64:
        x, dtype = f"(float){x}", dtypes.float32
    return f"s2_{dtype.short}_to_{wanted.short}({x})"


def _bitcast(args: Sequence[str], dtype: DType, attrs: Mapping[str, Any]) -> str:
    (x,), wanted = args, attrs["dtype"]
    if dtype is wanted:
        return x
    if wanted.is_float and not wanted.is_narrow:
        return f"s2_from_bits_{wanted.short}((uint{wanted.bits}_t){x})"
    bits = f"s2_bits_{dtype.short}({x})" if dtype.is_float and not dtype.is_narrow else x
    return f"({stored(wanted)}){bits}"


SCALARS: dict[Primitive, Scalar] = {cast: _cast, bitcast: _bitcast}
