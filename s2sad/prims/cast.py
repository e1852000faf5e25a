"""What are elements in another dtype, by value or by bits?

Both operations work on storage, bfloat16 included, so that each value is rounded once.
"""

from __future__ import annotations

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type, as_dtype
from s2sad.prims.define import primitive
from s2sad.prims.rules import tensor


def _cast_type(x: Type, *, dtype: DType) -> TensorType:
    return TensorType(as_dtype(dtype), tensor(x).shape)


@primitive(type=_cast_type, traits={Trait.ELEMENTWISE, Trait.MOVES}, linear=(0,))
def cast(x, *, dtype):
    """Elements of `x` as the nearest ones of `dtype`, the same on every machine.

    To a float: rounded once, to nearest, ties to even; infinite beyond the range. From a float to
    an integer: the fraction is cut off, what lies beyond the range becomes the nearest bound, NaN
    becomes 0. From an integer to an integer: wraps. To bool: whether it is not 0; NaN is not.
    From bool: 0 or 1. Gradients flow from floats to floats only.

    Parameters
    ----------
    x : tensor of any dtype
    dtype : DType

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import f16, i8, u8
    >>> p.cast(np.array([1.7, -1.7, 300.0, np.nan]), dtype=i8)
    array([  1,  -1, 127,   0], dtype=int8)
    >>> p.cast(np.array([-1, 256]), dtype=u8)
    array([255,   0], dtype=uint8)
    >>> p.cast(np.array(1e6), dtype=f16)
    array(inf, dtype=float16)
    """
    source = dtypes.BY_STORAGE[x.dtype]
    if source is dtype:
        return x
    if dtype is dtypes.bool_:
        return np.not_equal(dtypes.widen(x), 0)
    if source.is_float and dtype.is_integer:
        return _to_integer(dtypes.widen(x), dtype)
    if source is dtypes.bfloat16:
        x = dtypes.bf16_to_f32(x)
    if dtype.is_narrow and not source.is_float:
        x = _as_double(x)
    return dtypes.narrow(x, dtype)


@cast.adjoint
def cast_adjoint(x, out, dout, *, dtype):
    dx = None
    if x.dtype.is_float:
        dx = cast(dout, dtype=x.dtype)
    return (dx,)


def _to_integer(x: np.ndarray, dtype: DType) -> np.ndarray:
    """`x` cut off and held in range; NumPy leaves what is beyond to the machine."""
    bounds = np.iinfo(dtype.storage)
    whole = np.trunc(x.astype(np.float64))
    inside = (whole >= bounds.min) & (whole < 2.0 ** (dtype.bits - (dtype.kind == "int")))
    out = np.where(inside, whole, 0.0).astype(dtype.storage)
    beyond = np.where(whole > 0, dtype.storage.type(bounds.max), dtype.storage.type(bounds.min))
    return np.where(inside | np.isnan(x), out, beyond)


def _as_double(x: np.ndarray) -> np.ndarray:
    """Bools or integers as float64 which, rounded to 11 bits or fewer, are as if rounded once.

    A float64 has 53 bits, an int64 up to 63. What the lowest 11 say is only whether the number
    lies between two others, so one bit in their place is enough.
    """
    if x.dtype != np.int64:
        return x.astype(np.float64)
    low = x & 0x7FF
    between = np.where(low == 0, x, x - low + 0x400)
    is_exact = (x > -(2**53)) & (x < 2**53)
    return np.where(is_exact, x, between).astype(np.float64)


def _bitcast_type(x: Type, *, dtype: DType) -> TensorType:
    found, wanted = tensor(x), as_dtype(dtype)
    if dtypes.bool_ in (found.dtype, wanted):
        raise fail("E0301", "the bits of a bool have no other meaning", help="use cast")
    if found.dtype.bits != wanted.bits:
        raise fail("E0301", f"elements of {found.dtype.short} and {wanted.short} differ in size")
    return TensorType(wanted, found.shape)


@primitive(
    type=_bitcast_type, traits={Trait.ELEMENTWISE, Trait.MOVES}, nondiff="bits are not values"
)
def bitcast(x, *, dtype):
    """Elements whose bits are those of `x`, read as `dtype`, which is of the same size.

    Parameters
    ----------
    x : Tensor of numbers
    dtype : DType
        Not bool.

    Raises
    ------
    S2sadError
        E0301 if the sizes differ, or one dtype is bool.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import i32
    >>> p.bitcast(np.array([1.0, -0.0], np.float32), dtype=i32)
    array([ 1065353216, -2147483648], dtype=int32)
    """
    return x.view(dtype.storage)
