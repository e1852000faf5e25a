"""What is computed with a Python number that depends on data?

A branch or a loop on data leaves one: an i64 or an f64 of no axes, which is weak. With other
numbers it is computed with as Python would, up to 64 bits; a tensor that it meets gives it its
dtype.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dtypes import DType
from s2sad.frontend.carried import is_number, is_weak, length_of, weak_number
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders
from s2sad.ir.dims import Symbolic
from s2sad.ir.graph import Value
from s2sad.ir.types import f64
from s2sad.ir.varying import Varying
from s2sad.prims.cast import cast

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": p.add, "sub": p.sub, "mul": p.mul, "truediv": p.div, "floordiv": p.floor_div,
    "mod": p.mod, "pow": p.pow, "neg": p.neg, "pos": lambda x: x, "abs": p.abs,
}  # fmt: skip
ORDER: dict[str, Callable[..., Any]] = {
    "lt": p.less, "le": p.less_equal, "gt": p.greater, "ge": p.greater_equal, "eq": p.equal,
    "ne": p.not_equal,
}  # fmt: skip


def are_numbers(operands: tuple[Any, ...]) -> bool:
    """Whether `operands` are Python numbers, and one of them depends on data."""
    return any(isinstance(x, Value) and x.is_weak for x in operands) and all(
        is_weak(x) or isinstance(x, Varying) for x in operands
    )


def operate(name: str, operands: tuple[Any, ...]) -> Any:
    """A Python operator on numbers; None for one that they do not have as numbers."""
    compute = ARITHMETIC.get(name) or ORDER.get(name)
    if compute is None or (name == "pow" and not _is_plain_power(*operands)):
        return None
    values = [_as_value(x) for x in operands]
    if name == "truediv" or any(x.dtype.is_float for x in values):
        values = [x if x.type == f64 else cast(x, dtype=dtypes.float64) for x in values]
    found = compute(*values)
    found.is_weak = name in ARITHMETIC
    return found


def with_sizes(name: str, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """`operands` with data for sizes that are symbols, where the operator gives no size of them.

    Sums, products and quotients of sizes and ints are sizes again, and what holds of all sizes is
    known. All else depends on the number that a size will be.
    """
    if not any(isinstance(x, Symbolic) for x in operands) or not all(
        isinstance(x, Symbolic) or is_weak(x) for x in operands
    ):
        return operands
    if all(isinstance(x, (Symbolic, int)) for x in operands) and _is_known(name, operands):
        return operands
    builder = builders.current()
    return tuple(length_of(builder, x) if isinstance(x, Symbolic) else x for x in operands)


def _is_known(name: str, operands: tuple[Any, ...]) -> bool:
    """Whether a Python operator has a result for sizes and ints, the same for all sizes."""
    if name in ("truediv", "pow"):
        return False
    try:
        getattr(operator, name)(*operands)
    except S2sadError:
        return False
    return True


def _is_plain_power(base: Any, exponent: Any) -> bool:
    """Whether it is known that Python's power is a float, or an int."""
    if any(map(_is_float, (base, exponent))):
        return True
    return is_number(exponent) and exponent >= 0


def _is_float(number: Any) -> bool:
    return number.dtype.is_float if isinstance(number, Value) else isinstance(number, float)


def _as_value(number: Any) -> Value:
    if isinstance(number, Varying):
        return number.value
    if isinstance(number, Value):
        return number
    return weak_number(builders.current(), int(number) if isinstance(number, bool) else number)


def number_of(value: Value, dtype: DType) -> Value:
    """The one element of `value` as a Python number, in `dtype`: int64 or float64."""
    found = cast(value, dtype=dtype)
    found.is_weak = True
    return found


def as_tensors(tree: Any) -> Any:
    """`tree` for a function that meets no tensor: numbers in it that depend on data are tensors.

    They are what a Tensor that is made of a number is.
    """
    found = [x for x in leaves(tree) if isinstance(x, Value)]
    if not found or not all(x.is_weak for x in found):
        return tree

    def tensor(leaf: Any) -> Any:
        if not isinstance(leaf, Value):
            return leaf
        dtype = dtypes.float32 if leaf.dtype.is_float else leaf.dtype
        return cast(leaf, dtype=dtype)

    return map_leaves(tree, tensor)
