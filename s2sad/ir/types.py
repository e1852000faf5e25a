"""What is the type of a value, and how is it written?

A 0-d tensor's type is its bare dtype: ``f32``. Others are ``f32[8, 16]``, ``Stack[f32[16]]``
and ``Token``. A dump imports everything it needs from here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ir import dims
from s2sad.ir.dims import Dim, symbol
from s2sad.ir.plain import bits, function, inf, nan, region, run_as_script


class Type:
    """Type of a value in the IR."""

    #: A linear value is used exactly once: there is one stack, one order of effects.
    is_linear = False


@dataclass(frozen=True, eq=False)
class TensorType(Type):
    """Dtype and shape of a tensor; indexing a 0-d one gives a shaped one.

    Types that are written alike are equal; `same_type` asks whether they are one at all sizes.

    Examples
    --------
    >>> f32[8, 16]
    f32[8, 16]
    >>> f32[8, 16].size
    128
    """

    dtype: DType
    shape: tuple[Dim, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorType):
            return NotImplemented
        return self.dtype is other.dtype and dims.alike(self.shape, other.shape)

    def __hash__(self) -> int:
        return hash((self.dtype, self.shape))

    def __getitem__(self, shape: Dim | tuple[Dim, ...]) -> TensorType:
        if self.shape:
            raise fail("E0303", f"{self} has a shape already")
        return TensorType(self.dtype, shape if isinstance(shape, tuple) else (shape,))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Dim:
        """Number of elements."""
        return dims.size(self.shape)

    @property
    def nbytes(self) -> Dim:
        return self.size * self.dtype.itemsize

    def __repr__(self) -> str:
        if not self.shape:
            return self.dtype.short
        return f"{self.dtype.short}[{', '.join(map(repr, self.shape))}]"


@dataclass(frozen=True)
class StackType(Type):
    """A growable pile of tensors of one type; linear, so pushing may happen in place."""

    element: TensorType

    is_linear = True

    def unstacked(self, array: np.ndarray) -> StackValue:
        """The stack that lies in a file as `array`, whose first axis counts what was pushed."""
        return StackValue(self.element, [part.copy() for part in array])

    def __repr__(self) -> str:
        return f"Stack[{self.element!r}]"


class TokenType(Type):
    """The order of effects; linear. Its one instance, `Token`, is also its run-time value."""

    is_linear = True

    def __repr__(self) -> str:
        return "Token"

    def __reduce__(self) -> str:
        return "Token"


class _StackMaker:
    """Lets ``Stack[f32[16]]`` be written where a type is expected."""

    def __getitem__(self, element: TensorType) -> StackType:
        return StackType(element)

    def __repr__(self) -> str:
        return "Stack"


Stack = _StackMaker()
Token = TokenType()
f16, bf16, f32, f64 = map(
    TensorType, (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
)
i8, i16, i32, i64 = map(TensorType, (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64))
u8, bool_ = TensorType(dtypes.uint8), TensorType(dtypes.bool_)


def as_dtype(dtype: DType | TensorType) -> DType:
    """`dtype` itself, or the dtype of a bare type such as ``f32``."""
    if isinstance(dtype, DType):
        return dtype
    if isinstance(dtype, TensorType) and not dtype.shape:
        return dtype.dtype
    raise fail("E0303", f"expected a dtype such as f32, got {dtype!r}")


def as_type(type: DType | TensorType) -> TensorType:  # noqa: A002
    """`type` itself, or the 0-d type of a dtype: attributes hold a bare ``f32`` as a dtype."""
    if isinstance(type, DType):
        return TensorType(type)
    if isinstance(type, TensorType):
        return type
    raise fail("E0303", f"expected a tensor type such as f32[8], got {type!r}")


_BY_NAME = {str(each): each for each in (f16, bf16, f32, f64, i8, i16, i32, i64, u8)} | {
    "bool": bool_, "bool_": bool_,
}  # fmt: skip
_TYPE = re.compile(r"\s*(?P<dtype>\w+)\s*(?:\[(?P<shape>[\d,\s]*)\])?\s*")


def parse_type(text: str) -> TensorType:
    """The tensor type that `text` names.

    Raises
    ------
    S2sadError
        E0303 when it names none.

    Examples
    --------
    >>> parse_type("f32[8, 28]"), parse_type("i64")
    (f32[8, 28], i64)
    """
    found = _TYPE.fullmatch(text)
    if found is None or found["dtype"] not in _BY_NAME:
        raise fail("E0303", f"{text!r} is no type of a tensor", help='such as "f32[8, 28]"')
    sizes = [size.strip() for size in (found["shape"] or "").split(",")]
    if any(not size for size in sizes[:-1]):
        raise fail("E0303", f"{text!r} lacks a size between commas")
    return TensorType(_BY_NAME[found["dtype"]].dtype, tuple(int(size) for size in sizes if size))


def same_type(a: Type, b: Type) -> bool:
    """Whether `a` and `b` are one type at all sizes that their symbols stand for.

    Examples
    --------
    >>> from s2sad.ir.dims import symbol
    >>> same_type(f32[(symbol("H") + 2) // 2], f32[symbol("H") // 2 + 1])
    True
    """
    if isinstance(a, StackType) and isinstance(b, StackType):
        return same_type(a.element, b.element)
    if a == b or not isinstance(a, TensorType) or not isinstance(b, TensorType):
        return a == b
    if a.dtype is not b.dtype or a.ndim != b.ndim:
        return False
    return all(dims.same(m, n) is True for m, n in zip(a.shape, b.shape, strict=True))


def same_types(a: Sequence[Type], b: Sequence[Type]) -> bool:
    """Whether `a` and `b` are as many types, one by one the same at all sizes."""
    return len(a) == len(b) and all(map(same_type, a, b))


class StackValue(list[Any]):
    """A stack at run time: the arrays pushed, and the type they all have."""

    def __init__(self, element: TensorType, arrays: list[Any] | None = None) -> None:
        super().__init__(arrays or [])
        self.element = element


def type_of(value: Any) -> Type:
    """Type of a run-time value: an array, a Python number, a stack or the token.

    A Python int is i64, a float is f64, a bool is bool: what plain Python computes in a dump
    (a loop counter, say) has the type that the dump declares.

    Examples
    --------
    >>> type_of(np.zeros((2, 3), np.float32)), type_of(1)
    (f32[2, 3], i64)
    """
    if isinstance(value, (np.ndarray, np.generic)):
        dtype = dtypes.BY_STORAGE.get(value.dtype)
        if dtype is None:
            raise fail("E0301", f"no tensor has elements of NumPy's {value.dtype}")
        return TensorType(dtype, value.shape)
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return i64
    if isinstance(value, float):
        return f64
    if isinstance(value, StackValue):
        return StackType(value.element)
    if isinstance(value, TokenType):
        return Token
    raise fail("E0304", f"expected a tensor, got {type(value).__name__}")


__all__ = [
    "Stack", "Token", "bf16", "bits", "bool_", "f16", "f32", "f64", "function", "i16", "i32",
    "i64", "i8", "inf", "nan", "region", "run_as_script", "symbol", "u8",
]  # fmt: skip
