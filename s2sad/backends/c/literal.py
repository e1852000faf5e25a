"""How are numbers and values written in C?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.dtypes import DType

#: Type of C in which elements are computed with; narrow floats as float.
COMPUTED = {
    "f16": "float", "bf16": "float", "f32": "float", "f64": "double", "i8": "int8_t",
    "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u8": "uint8_t", "bool_": "uint8_t",
}  # fmt: skip


def computed(dtype: DType) -> str:
    """The type of C in which elements of `dtype` are computed with."""
    return COMPUTED[dtype.short]


def computing(dtype: DType) -> DType:
    """The dtype in which elements of `dtype` are computed with: f32 for the narrow ones."""
    return dtypes.float32 if dtype.is_narrow else dtype


def literal(number: Any, dtype: DType) -> str:
    """One element of `dtype`, given as it is stored, as it is computed with.

    Examples
    --------
    >>> from s2sad.core import dtypes
    >>> literal(np.float32(0.1), dtypes.float32), literal(np.float16(1), dtypes.float16)
    ('0x1.99999a0000000p-4f', '0x1.0000000000000p+0f')
    >>> literal(np.int64(-(2**63)), dtypes.int64), literal(np.bool_(True), dtypes.bool_)
    ('(-9223372036854775807LL - 1)', '1')
    """
    if not dtype.is_float:
        return _integer(int(number), dtype)
    wide = dtypes.widen(np.asarray(number)) if dtype.is_narrow else np.asarray(number)
    suffix = "" if dtype is dtypes.float64 else "f"
    value = float(wide)
    if math.isfinite(value):
        text = f"{value.hex()}{suffix}"
        return f"({text})" if text.startswith("-") else text
    if math.isinf(value):
        return f"{'(-' if value < 0 else '('}__builtin_inf{suffix}())"
    bits = int(wide.view(np.uint64 if dtype is dtypes.float64 else np.uint32))
    size = 64 if dtype is dtypes.float64 else 32
    return f"s2_from_bits_f{size}({bits:#x}u{'ll' if size == 64 else ''})"


def _integer(value: int, dtype: DType) -> str:
    if value == -(2**63):
        return "(-9223372036854775807LL - 1)"
    text = f"{value}{'LL' if dtype.bits == 64 else ''}"
    return f"({text})" if value < 0 else text


def bits_literal(number: Any) -> str:
    """One element of a narrow float, given as it is stored, as its bits."""
    return f"((uint16_t){int(np.asarray(number).view(np.uint16)):#x})"
