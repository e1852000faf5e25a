"""Which dtype do operands of different dtypes meet in?

MindSpore's table: bool < integers < float16, bfloat16 < float32 < float64, whatever the widths;
two different integers meet in the narrowest that holds both, uint8 and int8 in int16. Python
numbers are weak: an integer takes any dtype but bool, a float turns integers into float32.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.tensor import Tensor
from s2sad.ir.graph import Value

_INTEGERS = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)


def promote(*operands: Any) -> tuple[Any, ...]:
    """`operands`, tensors cast to the dtype in which they meet.

    Raises
    ------
    S2sadError
        E0304 when an operand is neither a tensor nor a number.
    """
    tensors = [x for x in operands if isinstance(x, (Tensor, Value))]
    numbers = [x for x in operands if not isinstance(x, (Tensor, Value))]
    for number in numbers:
        if not isinstance(number, (bool, int, float)):
            raise fail("E0304", f"expected a Tensor or a number, got {type(number).__name__}")
    if not tensors:
        raise fail("E0304", "expected at least one Tensor")
    dtype = tensors[0].dtype
    for tensor in tensors[1:]:
        dtype = common(dtype, tensor.dtype)
    for number in numbers:
        dtype = with_number(dtype, number)
    return tuple(as_dtype(x, dtype) if isinstance(x, (Tensor, Value)) else x for x in operands)


def as_dtype(tensor: Any, dtype: DType) -> Any:
    """`tensor`, cast where it has another dtype."""
    return tensor if tensor.dtype is dtype else p.cast(tensor, dtype=dtype)


def common(one: DType, other: DType) -> DType:
    """The dtype in which two dtypes meet.

    Examples
    --------
    >>> common(dtypes.int64, dtypes.float16), common(dtypes.uint8, dtypes.int8)
    (s2sad.float16, s2sad.int16)
    """
    if one is other or other is dtypes.bool_:
        return one
    if one is dtypes.bool_:
        return other
    if one.is_float != other.is_float:
        return one if one.is_float else other
    if one.is_float:
        if one.bits == other.bits:  # float16 with bfloat16
            return dtypes.float32
        return max(one, other, key=lambda d: d.bits)
    if dtypes.uint8 in (one, other):
        signed = other if one is dtypes.uint8 else one
        return next(d for d in _INTEGERS if d.bits >= max(16, signed.bits))
    return max(one, other, key=lambda d: d.bits)


def with_number(dtype: DType, number: bool | int | float) -> DType:
    """The dtype in which a tensor of `dtype` and a Python number meet."""
    if isinstance(number, bool) or dtype.is_float:
        return dtype
    if isinstance(number, float):
        return dtypes.float32
    return dtypes.int64 if dtype is dtypes.bool_ else dtype
