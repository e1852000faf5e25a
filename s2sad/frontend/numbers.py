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
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dtypes import DType
from s2sad.core.tensor import Tensor
from s2sad.frontend.carried import is_weak, length_of, weak_number
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders
from s2sad.ir.dims import Symbolic
from s2sad.ir.graph import Operation, Value
from s2sad.ir.types import f64
from s2sad.ir.varying import Unfit, Varying
from s2sad.prims.cast import cast

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": p.add, "sub": p.sub, "mul": p.mul, "truediv": p.div, "floordiv": p.floor_div,
    "mod": p.mod, "pow": p.pow, "neg": p.neg, "pos": lambda x: x, "abs": p.abs,
}  # fmt: skip
#: Of ints alone.
BITS: dict[str, Callable[..., Any]] = {
    "and": p.bit_and, "or": p.bit_or, "xor": p.bit_xor, "lshift": p.shift_left,
    "rshift": p.shift_right, "invert": p.bit_not,
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
    compute = ARITHMETIC.get(name) or BITS.get(name) or ORDER.get(name)
    values = [_as_value(x) for x in operands]
    has_float = any(x.dtype.is_float for x in values)
    if compute is None or (has_float and name in BITS):
        return None
    if has_float or name == "truediv" or (name == "pow" and _is_negative(operands[1])):
        values = [x if x.type == f64 else cast(x, dtype=dtypes.float64) for x in values]
    found = compute(*values)
    found.is_weak = name not in ORDER
    return found


def _is_negative(exponent: Any) -> bool:
    """Whether an int is, which makes a float of a power of ints (E0305 where data decide)."""
    if isinstance(exponent, Varying) and exponent.low < 0 <= exponent.high:
        raise Unfit("the sign of an exponent")
    if isinstance(exponent, Varying):
        return exponent.high < 0
    if not isinstance(exponent, Value):
        return exponent < 0
    made = exponent.owner
    if isinstance(made, Operation) and made.prim is p.axis_size:  # a size
        return False
    raise fail(
        "E0305", "whether a power of ints is an int or a float depends on data: an exponent may be "
        "negative", help="write it as a float: 2.0 ** n",
    )  # fmt: skip


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
    if name in ("truediv", "pow") or name in BITS:
        return False
    try:
        getattr(operator, name)(*operands)
    except S2sadError:
        return False
    return True


def select(condition: Value, one: Any, other: Any) -> Value:
    """The number `one` where the condition holds, else `other`."""
    values = [_as_value(x) for x in (one, other)]
    if any(x.dtype.is_float for x in values):
        values = [x if x.type == f64 else cast(x, dtype=dtypes.float64) for x in values]
    found = p.where(condition, *values)
    found.is_weak = True
    return found


def kind_of(value: Value | Symbolic) -> type:
    """What Python would say that a value is: a Tensor, or a number that depends on data."""
    if isinstance(value, Symbolic):
        return int
    if not value.is_weak:
        return Tensor
    return float if value.dtype.is_float else int


def _as_value(number: Any) -> Value:
    if isinstance(number, Varying):
        return number.value
    if isinstance(number, Symbolic):
        return length_of(builders.current(), number)
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
