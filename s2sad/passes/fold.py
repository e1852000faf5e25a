"""What can be computed while compiling?

Operations on constants, by their own NumPy meaning, so the bits are those that they would have at
run time. Not what may fail, has effects or draws numbers; and not what would make a small constant
large: a constant is part of the program, and of every dump.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.ir.graph import Operation, Value
from s2sad.ir.known_sizes import KnownSize, formulas
from s2sad.ir.primitive import Form, Primitive, Trait, number_as
from s2sad.ir.rewriter import Rewriter
from s2sad.ir.types import TensorType
from s2sad.passes.effects import can_fail
from s2sad.passes.facts import constant, is_static, splat
from s2sad.prims.constant import const

#: Elements of all operands together, and of a result.
MOST_READ, MOST_MADE = 16384, 1024
#: A result may have as many elements as the operands together; or as these.
ALWAYS_SMALL = 16

#: Families whose results do not depend on how NumPy runs through memory, apart from `pow`.
EXACT_FAMILIES = {"arithmetic", "comparison", "logic", "rounding", "select", "cast"}
#: What makes of equal elements as many equal elements as the result has.
REARRANGING = {"transpose", "flip", "reshape", "broadcast_to", "slice"}


def fold(operation: Operation, rewriter: Rewriter) -> str | None:
    """Put constants in place of the results of `operation`, where it computes with constants only.

    Before:  c0: f32 = p.const(2.0, f32); c1: f32 = p.const(3.0, f32); t0: f32 = p.mul(c0, c1)
    After:   c2: f32 = p.const(6.0, f32)
    """
    if not _may_fold(operation):
        return None
    results = _all_elements(operation) or _one_element(operation)
    if results is None:
        return None
    with rewriter.step(f"fold {operation.prim.name}", operation):
        with rewriter.insert_before(operation).active():
            types = [result.type for result in operation.results]
            pairs = zip(results, types, strict=True)
            values = [const(_plain(x, operation.prim), type) for x, type in pairs]  # type: ignore[arg-type]
        rewriter.replace_operation(operation, values)
    return f"fold {operation.prim.name}"


def _may_fold(operation: Operation) -> bool:
    prim, operands = operation.prim, operation.operands
    if not operands or any(constant(value) is None for value in operands):
        return False
    if prim.form is not Form.CALL or prim.has(Trait.OPAQUE) or prim.family == "random":
        return False
    if prim.name not in REARRANGING and any(map(_is_of_a_size, operands)):
        return False  # the program is to serve other sizes, and the number would be of this one
    return all(is_static(v.type) for v in operation.results) and not can_fail(operation)


def _is_of_a_size(value: Value) -> bool:
    """Whether the constant `value` follows from sizes that a program knows, and others have not."""
    return isinstance(constant(value), KnownSize) or bool(formulas(value.type))


def _all_elements(operation: Operation) -> tuple[Any, ...] | None:
    """Results by the meaning of the primitive; None where they, or the operands, are too large."""
    read = sum(int(v.tensor_type.size) for v in operation.operands)  # type: ignore[arg-type]
    made = [int(v.tensor_type.size) for v in operation.results]  # type: ignore[arg-type]
    if read > MOST_READ or max(made) > min(max(read, ALWAYS_SMALL), MOST_MADE):
        return None
    types = [result.type for result in operation.results]
    return operation.prim.run(
        [constant(v) for v in operation.operands], dict(operation.attrs), types
    )


def _one_element(operation: Operation) -> tuple[Any, ...] | None:
    """The one element of a large result, where each operand is filled with one.

    Only of a large one: NumPy's elementary functions depend in the last bit on how an array lies
    in memory, and what is filled with one element lies otherwise than what was computed.
    """
    prim = operation.prim
    if len(operation.results) != 1 or not (_is_exact(prim) or prim.name in REARRANGING):
        return None
    elements = [splat(value) for value in operation.operands]
    if any(element is None for element in elements):
        return None
    if prim.name in REARRANGING:
        return (elements[0],)
    scalar = TensorType(operation.result.dtype)
    return prim.run(elements, dict(operation.attrs), [scalar])


def _plain(array: np.ndarray, prim: Primitive) -> np.ndarray:
    """`array` with each NaN that was computed as Python's: machines differ in its sign."""
    dtype = dtypes.BY_STORAGE[array.dtype]
    if prim.has(Trait.MOVES) or not dtype.is_float:
        return array
    is_nan = np.isnan(dtypes.widen(array))
    return np.where(is_nan, number_as(math.nan, dtype), array) if is_nan.any() else array


def _is_exact(prim: Primitive) -> bool:
    return prim.has(Trait.ELEMENTWISE) and prim.family in EXACT_FAMILIES and prim.name != "pow"
