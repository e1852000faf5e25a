"""Programs of C in tests: many in one file, and how far their results are from the meaning."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from s2sad.backends.c import programs
from s2sad.backends.c.executable import CExecutable, compile_many
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.graph import Function, Operation
from s2sad.ir.primitive import Primitive, Trait
from s2sad.ir.types import StackValue, TensorType
from support.differential import copies

#: Families of which each element is one operation of IEEE 754, or none: every bit is known.
EXACT = frozenset((
    "arithmetic", "arrange", "cast", "collective", "comparison", "constant", "control", "dynamic",
    "effect", "index", "logic", "marker", "queue", "rounding", "select", "shape", "sort",
))  # fmt: skip
#: Of those families, what is computed by a series, or adds in any order.
INEXACT = frozenset(("pow", "gather_grad"))


@contextlib.contextmanager
def quickly_compiled() -> Iterator[None]:
    """Let the compiler optimise little: it takes a third less time, and numbers are the same."""
    before = programs.PROGRAM_FLAGS
    programs.PROGRAM_FLAGS = (*before, "-O1")
    try:
        yield
    finally:
        programs.PROGRAM_FLAGS = before


def built(functions: Sequence[Function], *, quickly: bool = True) -> list[CExecutable]:
    """Executables of `functions`, which have no composites any more, from one file of C."""
    with quickly_compiled() if quickly else contextlib.nullcontext():
        return compile_many(functions)


def is_exact(operation: Operation) -> bool:
    """Whether C and NumPy must give the same bits; NaNs may differ in their payload."""
    if operation.prim.is_composite:
        return False
    types = [v.type for v in (*operation.operands, *operation.results)]
    is_float = any(isinstance(t, TensorType) and t.dtype.is_float for t in types)
    return not is_float or always_exact(operation.prim)


def always_exact(prim: Primitive) -> bool:
    """Whether that is so in every dtype."""
    if prim.has(Trait.MOVES) or prim.name in ("sqrt", "reduce_max", "reduce_min"):
        return True
    return prim.family in EXACT and prim.name not in INEXACT and not prim.is_composite


def outcome(
    run: Callable[[Sequence[Any]], Sequence[Any]], inputs: Sequence[Any]
) -> tuple[list[Any] | Exception, str]:
    """What ``run(inputs)`` gives, or the error that it raises; and what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as text:
        try:
            return list(run(copies(inputs))), text.getvalue()
        except Exception as error:  # of any kind: it is compared
            return error, text.getvalue()


def wide(array: np.ndarray) -> np.ndarray:
    """`array` in float64."""
    return np.asarray(dtypes.widen(array), np.float64)


def distance(
    found: np.ndarray, expected: np.ndarray, dtype: DType, *, by_element: bool = False
) -> float:
    """The largest difference, in units of the last place of the largest number expected.

    Of each number, `by_element`. Infinite where only one is NaN, or an infinity is another one.
    """
    one, other = wide(found), wide(expected)
    with np.errstate(all="ignore"):
        off = np.abs(one - other)
    is_same = (one == other) | (np.isnan(one) & np.isnan(other))
    off = np.where(is_same, 0.0, np.where(np.isnan(off), np.inf, off))
    sizes = np.where(np.isfinite(other), np.abs(other), 0.0)
    scale = sizes if by_element else sizes.max(initial=0.0)
    return float((off / np.maximum(unit(dtype) * scale, least(dtype))).max(initial=0.0))


def unit(dtype: DType) -> float:
    """The distance from 1 to the next number of a float dtype; 0 for others."""
    bits = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
    return 2.0 ** -bits[dtype.short] if dtype.is_float else 0.0


def least(dtype: DType) -> float:
    """The least positive number of a dtype."""
    exponents = {"f16": -24, "bf16": -133, "f32": -149, "f64": -1074}
    return 2.0 ** exponents[dtype.short] if dtype.is_float else 1e-9


def far(found: Any, expected: Any, limit: float, *, by_element: bool = False) -> str:
    """How two run-time values differ by more than `limit` of `distance`; "" where they do not."""
    if isinstance(expected, StackValue):
        if not isinstance(found, StackValue) or len(found) != len(expected):
            return f"{found!r}, not {expected!r}"
        pairs = zip(found, expected, strict=True)
        return next(filter(None, (far(*pair, limit, by_element=by_element) for pair in pairs)), "")
    if not isinstance(expected, np.ndarray):
        return "" if found is expected else f"{found!r}, not {expected!r}"
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return f"{found.dtype}{found.shape}, not {expected.dtype}{expected.shape}"
    dtype = dtypes.BY_STORAGE[expected.dtype]
    off = distance(found, expected, dtype, by_element=by_element)
    return f"off by {off:.3g}" if off > limit else ""
