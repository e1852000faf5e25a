"""How are static facts written: types, numbers, constant arrays, attributes?

Each is a node of Python's syntax tree; `literal_values` reads them back. A float is the
shortest text that gives the same bits in its dtype. What Python has no literal for is spelled
by a name that every dump imports: ``inf``, ``nan``, and ``bits(0x7fc00001)`` for the NaN that
arithmetic does not make.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import lru_cache
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ir.dims import Symbolic
from s2sad.ir.known_sizes import Size
from s2sad.ir.types import StackType, TensorType, Type

LOAD, STORE = ast.Load(), ast.Store()

#: A constant with more elements goes beside the text, where there is a place for it.
INLINE = 16


def name(text: str) -> ast.Name:
    return ast.Name(text, LOAD)


def target(text: str) -> ast.Name:
    return ast.Name(text, STORE)


def tuple_of(nodes: Iterable[ast.expr]) -> ast.Tuple:
    return ast.Tuple(list(nodes), LOAD)


def call(function: ast.expr, *args: ast.expr, **keywords: ast.expr) -> ast.Call:
    return ast.Call(function, list(args), [ast.keyword(k, v) for k, v in keywords.items()])


# ---- types ---------------------------------------------------------------------------------


def type_node(type: Type) -> ast.expr:  # noqa: A002
    """``f32``, ``f32[8, B + 1]``, ``Stack[f32[16]]`` or ``Token``."""
    if isinstance(type, StackType):
        return ast.Subscript(name("Stack"), type_node(type.element), LOAD)
    if not isinstance(type, TensorType):
        return name(repr(type))
    dtype = name(type.dtype.short)
    if not type.shape:
        return dtype
    sizes = [dim_node(dim) for dim in type.shape]
    return ast.Subscript(dtype, sizes[0] if len(sizes) == 1 else tuple_of(sizes), LOAD)


def dim_node(dim: int | Symbolic) -> ast.expr:
    """An int, or the polynomial as Python that evaluates back."""
    if isinstance(dim, Symbolic):
        return ast.parse(str(dim), mode="eval").body
    return number_node(dim)


# ---- numbers -------------------------------------------------------------------------------


def number_node(number: float) -> ast.expr:
    """A Python bool, int or float; a minus is an operator, as Python reads it."""
    if isinstance(number, Size):
        return number_node(int(number))
    if isinstance(number, float) and math.isnan(number):
        return name("nan")
    if isinstance(number, bool) or math.copysign(1.0, number) > 0:
        return name("inf") if number == math.inf else ast.Constant(number)
    return ast.UnaryOp(ast.USub(), number_node(-number))


def element_node(element: np.ndarray, dtype: DType) -> ast.expr:
    """A 0-d array in the storage of `dtype`."""
    if not dtype.is_float:
        return number_node(element.item())
    number = shortest(element, dtype)
    return bits_node(element) if number is None else number_node(number)


def bits_node(element: np.ndarray) -> ast.Call:
    """``bits(0x7fc00001)`` for the bits of a 0-d array."""
    pattern = ast.Constant(int(_pattern(element)))
    pattern.base = 16  # type: ignore[attr-defined] - tells `unparse` how to print it
    return call(name("bits"), pattern)


def _pattern(array: np.ndarray) -> np.ndarray:
    """The bits of each element, as an unsigned integer."""
    return array.view(f"u{array.dtype.itemsize}")


def shortest(element: np.ndarray, dtype: DType) -> float | None:
    """The float with the shortest text that becomes `element` in `dtype`; None for odd NaNs.

    Examples
    --------
    >>> shortest(np.asarray(0.1, np.float32), dtypes.float32)
    0.1
    >>> shortest(np.asarray(0x3EAB, np.uint16), dtypes.bfloat16)
    0.334
    """
    value = float(dtypes.widen(element))
    if math.isnan(value):
        return math.nan if _becomes(math.nan, element, dtype) else None
    if dtype is dtypes.bfloat16:
        return _shortest_bfloat16(int(element))
    scalar: Any = element[()]
    near = float(np.format_float_scientific(scalar, unique=True)) if dtype.bits < 64 else value
    # Read as a double first, the text may meet a tie that it would not meet directly.
    return near if _becomes(near, element, dtype) else value


def _becomes(number: float, element: np.ndarray, dtype: DType) -> bool:
    with np.errstate(over="ignore"):
        found = dtypes.narrow(np.asarray(number, np.float64), dtype)
    return _pattern(found) == _pattern(element)


@lru_cache(maxsize=4096)
def _shortest_bfloat16(pattern: int) -> float:
    """NumPy does not print bfloat16: try one digit, both ways, then two, and so on."""
    element = np.asarray(pattern, np.uint16)
    value = float(dtypes.widen(element))
    if not math.isfinite(value):
        return value
    exact = Decimal(value)
    for digits in range(1, 5):
        below, above = (Context(digits, way).plus(exact) for way in (ROUND_FLOOR, ROUND_CEILING))
        for near in sorted({below, above}, key=lambda near: abs(near - exact)):
            if _becomes(float(near), element, dtypes.bfloat16):
                return float(near)
    return value


# ---- constants -----------------------------------------------------------------------------


def is_splat(array: np.ndarray) -> bool:
    """Whether all elements have the same bits; an empty array is filled with whatever you like.

    Examples
    --------
    >>> is_splat(np.zeros((2, 3))), is_splat(np.array([0.0, -0.0])), is_splat(np.ones(0))
    (True, False, True)
    """
    if array.size < 2 or not any(array.strides[i] for i in range(array.ndim) if array.shape[i] > 1):
        return True
    flat = _pattern(np.ascontiguousarray(array)).reshape(-1)
    return bool((flat == flat[0]).all())


def splat(array: np.ndarray) -> np.ndarray:
    """The element that fills a splat, as a 0-d array; 0 where there is none."""
    if not array.size:
        return np.zeros((), array.dtype)
    return array[(slice(1),) * array.ndim].reshape(())


def constant_node(array: np.ndarray, dtype: DType) -> ast.expr:
    """One number for a splat, nested tuples for the rest."""
    if is_splat(array):
        return element_node(splat(array), dtype)
    return _nested(array, dtype)


def _nested(array: np.ndarray, dtype: DType) -> ast.expr:
    if array.ndim == 0:
        return element_node(array, dtype)
    return tuple_of(_nested(np.asarray(part), dtype) for part in array)


# ---- attributes ----------------------------------------------------------------------------


def same_literal(a: Any, b: Any) -> bool:
    """Whether two attributes are written alike: 1, 1.0 and True differ, 0.0 and -0.0 too."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same_literal, a, b))
    if isinstance(a, float):
        return repr(a) == repr(b)
    return a == b


def attribute_node(value: Any) -> ast.expr:
    """An attribute's value: a number, text, None, a dtype, a type, a size, or a tuple of those.

    Raises
    ------
    S2sadError
        E0303 when it is none of those.
    """
    if isinstance(value, tuple):
        return tuple_of(map(attribute_node, value))
    if isinstance(value, (bool, int, float)):
        return number_node(value)
    if value is None or isinstance(value, str):
        return ast.Constant(value)
    if isinstance(value, DType):
        return name(value.short)
    if isinstance(value, Type):
        return type_node(value)
    if isinstance(value, Symbolic):
        return dim_node(value)
    raise fail("E0303", f"an attribute cannot be {type(value).__name__}: {value!r}")
