"""Which element types exist, and how is each held in a NumPy array?

NumPy knows all of them but bfloat16. A bf16 array is held as ``uint16``, the upper half of
the float32 with the same value; no other dtype of s2sad uses ``uint16``, so the storage tells
the dtype. Two conversions of our own carry the values; ``ml_dtypes`` arrays are accepted and
given where that package is present.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class DType:
    """Element type of a tensor.

    Attributes
    ----------
    name : str
        MindSpore's name, such as ``"float32"``.
    short : str
        The IR's name, such as ``"f32"``.
    storage : numpy.dtype
        What a NumPy array holds; ``uint16`` for bfloat16.
    kind : str
        ``"float"``, ``"int"``, ``"uint"`` or ``"bool"``.
    """

    name: str
    short: str
    storage: np.dtype
    kind: str
    bits: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", 8 * self.storage.itemsize)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.storage.itemsize

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def is_narrow(self) -> bool:
        """Whether arithmetic is done in float32 and rounded back after each operation."""
        return self.short in ("f16", "bf16")

    @property
    def compute(self) -> DType:
        """The dtype that arithmetic uses: float32 for the narrow floats, else itself."""
        return float32 if self.is_narrow else self

    def __repr__(self) -> str:
        return f"s2sad.{self.name}"

    def __str__(self) -> str:
        return SPELLINGS.get(self.name, self.name.capitalize())

    def __reduce__(self) -> str:
        return "bool_" if self.short == "bool_" else self.name

    def __deepcopy__(self, memo: object) -> DType:
        return self


#: Names that `str` does not merely capitalise, as in ``Tensor(shape=[2], dtype=UInt8, ...)``.
SPELLINGS = {"bfloat16": "BFloat16", "uint8": "UInt8"}

float16 = DType("float16", "f16", np.dtype(np.float16), "float")
bfloat16 = DType("bfloat16", "bf16", np.dtype(np.uint16), "float")
float32 = DType("float32", "f32", np.dtype(np.float32), "float")
float64 = DType("float64", "f64", np.dtype(np.float64), "float")
int8 = DType("int8", "i8", np.dtype(np.int8), "int")
int16 = DType("int16", "i16", np.dtype(np.int16), "int")
int32 = DType("int32", "i32", np.dtype(np.int32), "int")
int64 = DType("int64", "i64", np.dtype(np.int64), "int")
uint8 = DType("uint8", "u8", np.dtype(np.uint8), "uint")
bool_ = DType("bool", "bool_", np.dtype(np.bool_), "bool")

ALL = (float16, bfloat16, float32, float64, int8, int16, int32, int64, uint8, bool_)
BY_SHORT = {dtype.short: dtype for dtype in ALL}
BY_STORAGE = {dtype.storage: dtype for dtype in ALL}


def of_array(array: np.ndarray) -> DType | None:
    """Dtype whose storage `array` has, or None when s2sad has no such dtype.

    Examples
    --------
    >>> of_array(np.zeros(2, np.float32))
    s2sad.float32
    """
    return BY_STORAGE.get(array.dtype)


def bf16_to_f32(bits: np.ndarray) -> np.ndarray:
    """Values of bfloat16 `bits` (uint16), exactly, as float32.

    Examples
    --------
    >>> bf16_to_f32(np.array([0x3F80, 0xC000], np.uint16))
    array([ 1., -2.], dtype=float32)
    """
    return (np.asarray(bits).astype(np.uint32) << np.uint32(16)).view(np.float32)


def f32_to_bf16(values: np.ndarray) -> np.ndarray:
    """Nearest bfloat16 to each float32 of `values`, ties to even, as uint16 bits.

    NaN stays NaN: the payload's upper part is kept and the quiet bit is set.

    Examples
    --------
    >>> f32_to_bf16(np.array([1.0, -2.0], np.float32))
    array([16256, 49152], dtype=uint16)
    """
    values = np.asarray(values, np.float32)
    bits = values.view(np.uint32)
    half = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    quiet = (bits >> np.uint32(16)) | np.uint32(0x0040)
    return np.where(np.isnan(values), quiet, (bits + half) >> np.uint32(16)).astype(np.uint16)


def widen(array: np.ndarray) -> np.ndarray:
    """`array` in the dtype that arithmetic uses: narrow floats become float32."""
    if array.dtype == np.uint16:
        return bf16_to_f32(array)
    return array.astype(np.float32) if array.dtype == np.float16 else array


def narrow(array: np.ndarray, dtype: DType) -> np.ndarray:
    """`array`, numbers of a NumPy dtype, rounded once to the storage of `dtype`.

    A `uint16` array counts as integers here, not as bfloat16.
    """
    array = np.asarray(array)
    if dtype is bfloat16:
        if array.dtype.kind in "iu" and array.itemsize > 2:
            array = _sticky(array).astype(np.float64)
        return f32_to_bf16(_to_odd(array) if array.dtype == np.float64 else array)
    with np.errstate(all="ignore"):  # what is too large for the dtype becomes infinite
        return array.astype(dtype.storage, copy=False)


def _sticky(values: np.ndarray) -> np.ndarray:
    """Integers that float64 holds exactly, on the same side of each bfloat16 tie.

    From 2**53 on, the low bits only say whether there is a remainder: one bit is enough.
    """
    if values.itemsize < 8:
        return values
    low, bit = values.dtype.type(0xFFF), values.dtype.type(0x800)
    far = (values >= 2**53) | (values <= -(2**53))
    return np.where(far & ((values & low) != 0), (values & ~low) | bit, values)


def _to_odd(values: np.ndarray) -> np.ndarray:
    """float64 as float32, inexact ones to the neighbour with an odd last bit.

    Rounding that once more, to fewer bits, is the same as rounding `values` directly
    (Boldo and Melquiond, 2008): no tie is made that was none.
    """
    with np.errstate(all="ignore"):
        near = values.astype(np.float32)
    exact = (near == values) | np.isnan(values)
    beyond = np.abs(near.astype(np.float64)) > np.abs(values)
    bits = near.view(np.uint32) - beyond.astype(np.uint32)
    return np.where(exact, near.view(np.uint32), bits | np.uint32(1)).view(np.float32)


def ml_bfloat16() -> np.dtype | None:
    """The bfloat16 of ``ml_dtypes`` where the program has that package loaded, else None."""
    module = sys.modules.get("ml_dtypes")
    return None if module is None else np.dtype(module.bfloat16)


def is_ml_bfloat16(dtype: np.dtype) -> bool:
    """Whether `dtype` is the bfloat16 of ``ml_dtypes``."""
    theirs = ml_bfloat16()
    return theirs is not None and dtype == theirs  # a dtype == None would ask whether it is float64
