"""What is computed with the index of a loop that is compiled once?

Python's arithmetic on it becomes arithmetic of i64 and f64, which gives the same numbers; bounds of
what it takes are followed along. Comparisons are decided where the bounds decide them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core.tensor import Tensor
from s2sad.frontend.loops import scratch
from s2sad.ir.graph import Value
from s2sad.ir.types import f64, i64
from s2sad.ir.varying import LIMIT, Unfit, Varying
from s2sad.prims.cast import cast

Number = Varying | int | float

#: Operators of a tensor and a number in which the number may be a tensor of no axes as well.
WITH_TENSORS = {
    "add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne"
}  # fmt: skip
ARITHMETIC: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "add": (p.add, operator.add), "sub": (p.sub, operator.sub), "mul": (p.mul, operator.mul),
    "truediv": (p.div, operator.truediv), "floordiv": (p.floor_div, operator.floordiv),
    "neg": (p.neg, operator.neg),
}  # fmt: skip
LINEAR = (operator.add, operator.sub, operator.mul, operator.neg)
ORDER = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


def operate(name: str, operands: tuple[Any, ...], method: Callable[[str], Any]) -> Any:
    """A Python operator on `operands`, one of which is varying.

    Parameters
    ----------
    name : str
        As in the module `operator`.
    method : callable
        Gives the operator of tensors by that name.

    Raises
    ------
    Unfit
        For what only the number itself can tell.
    """
    tensor = next((x for x in operands if isinstance(x, (Value, Tensor))), None)
    if tensor is not None:
        if name not in WITH_TENSORS:
            raise Unfit(f"{name} of a tensor and a number")
        return method(f"__{name}__")(*(_beside(x, tensor, method) for x in operands))
    if not all(isinstance(x, (Varying, int, float)) for x in operands):
        raise Unfit(f"{name} of a number and something else")
    if name in ORDER or name in ("eq", "ne"):
        return _compare(name, *operands)
    if name == "pos":
        return operands[0]
    if name == "mod":
        return _remainder(*operands)
    if name not in ARITHMETIC:
        raise Unfit(f"{name} of a number")
    return _arithmetic(name, operands)


def _beside(number: Any, tensor: Any, method: Callable[[str], Any]) -> Any:
    """A varying `number` as a tensor of the dtype in which a number like it meets `tensor`.

    That is the dtype of their product.
    """
    if not isinstance(number, Varying):
        return number
    with scratch():
        dtype = method("__mul__")(tensor, number.low).dtype
    if dtype.is_integer:
        bounds = np.iinfo(dtype.storage)
        if not bounds.min <= number.low <= number.high <= bounds.max:
            raise Unfit(f"numbers from {number.low} to {number.high} beside {dtype}")
    return cast(number.value, dtype=dtype)


def _arithmetic(name: str, operands: tuple[Number, ...]) -> Varying:
    emit, compute = ARITHMETIC[name]
    has_float = any(_is_float(x) for x in operands)
    if name in ("truediv", "floordiv") and _bounds(operands[1])[0] <= 0 <= _bounds(operands[1])[1]:
        raise Unfit("a divisor that may be 0", settles=True)
    if name == "floordiv" and has_float:
        raise Unfit("a floor of floats")
    as_floats = has_float or name == "truediv"
    values = [_as_value(x, is_float=as_floats) for x in operands]
    corners = _corners(compute, [_bounds(x) for x in operands])
    return _varying(emit(*values), corners, compute, operands)


def _remainder(x: Number, y: Number) -> Varying:
    if not isinstance(y, int) or _is_float(x) or y <= 0:
        raise Unfit("a remainder by something else than a positive int")
    low, high = _bounds(x)
    corners = (low, high) if 0 <= low and high < y else (0, y - 1)
    value = p.mod(_as_value(x, is_float=False), y)
    return _varying(value, corners, operator.mod, (x, y))


def _varying(
    value: Value,
    bounds: tuple[int | float, int | float],
    compute: Callable[..., Any],
    operands: tuple[Number, ...],
) -> Varying:
    """`value`, which `compute` makes of `operands`, with what is known of it."""
    varying = [x for x in operands if isinstance(x, Varying)]
    depth = max(x.depth for x in varying)
    ends = [x.last if isinstance(x, Varying) else x for x in operands]
    known = None not in ends and all(x.depth == depth for x in varying)
    last = compute(*ends) if known else None
    return Varying(value, *bounds, last, depth, _terms(compute, operands))


def _terms(
    compute: Callable[..., Any], operands: tuple[Number, ...]
) -> dict[Value | None, int] | None:
    """Terms of what `compute` makes of `operands`, where it is a sum with integer factors."""
    given = [terms for terms in map(_terms_of, operands) if terms is not None]
    if compute not in LINEAR or len(given) < len(operands):
        return None
    if compute is operator.neg:
        return {index: -count for index, count in given[0].items()}
    one, other = given
    if compute is not operator.mul:
        return {
            index: compute(one.get(index, 0), other.get(index, 0)) for index in {**one, **other}
        }
    if other.keys() != {None}:
        one, other = other, one
    if other.keys() != {None}:
        return None
    return {index: count * other[None] for index, count in one.items()}


def difference(number: Any, other: Any) -> int | None:
    """How much larger `other` is than `number` in every pass; None where that varies."""
    first, last = _terms_of(number), _terms_of(other)
    if first is None or last is None:
        return None
    apart = {index: last.get(index, 0) - first.get(index, 0) for index in {**first, **last}}
    constant = apart.pop(None, 0)
    return None if any(apart.values()) else constant


def _terms_of(number: Any) -> Mapping[Value | None, int] | None:
    """`Varying.terms`, also of an int that does not vary; None for anything else."""
    if isinstance(number, Varying):
        return number.terms
    return {None: int(number)} if isinstance(number, int) else None


def _corners(
    compute: Callable[..., Any], bounds: list[tuple[Any, Any]]
) -> tuple[int | float, int | float]:
    """Least and greatest of an operation that is monotone in each operand, rounding included."""
    if len(bounds) == 1:
        found = [compute(x) for x in bounds[0]]
    else:
        found = [compute(x, y) for x in bounds[0] for y in bounds[1]]
    return (math.nan, math.nan) if any(x != x for x in found) else (min(found), max(found))


def _is_float(x: Number) -> bool:
    return x.is_float if isinstance(x, Varying) else isinstance(x, float)


def _bounds(x: Number) -> tuple[int | float, int | float]:
    if isinstance(x, Varying):
        return x.low, x.high
    if not -LIMIT <= x <= LIMIT:
        raise Unfit(f"the number {x}")
    return x, x


def _as_value(x: Number, *, is_float: bool) -> Any:
    if not isinstance(x, Varying):
        return float(x) if is_float else int(x)
    return cast(x.value, dtype=f64.dtype) if is_float and not x.is_float else x.value


def _compare(name: str, x: Number, y: Number) -> bool:
    """What holds in every pass, or in none."""
    (low, high), (least, most) = _bounds(x), _bounds(y)
    if name in ORDER:
        found = {ORDER[name](a, b) for a in (low, high) for b in (least, most)}
        if len(found) == 1:
            return found.pop()
    elif high < least or most < low:
        return name == "ne"
    raise Unfit("which number is larger", settles=True)


class VaryingRange:
    """``range`` with a bound that varies from pass to pass of a loop around it.

    Attributes
    ----------
    bounds : tuple of int or Value
    low, high : int
        What its values lie between.
    runs : bool
        Whether it surely has any.
    """

    def __init__(self, *args: Any) -> None:
        if not all(isinstance(x, int) or (isinstance(x, Varying) and not x.is_float) for x in args):
            raise Unfit("a range of something else than ints")
        start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        if not isinstance(step, int) or step == 0:
            raise Unfit("a range with a step that varies")
        first, late, near, far = (int(x) for y in (start, stop) for x in _bounds(y))
        self.low, self.high = (first, far - 1) if step > 0 else (near + 1, late)
        if self.low > self.high:
            raise Unfit("a range without values")
        length = difference(start, stop)
        self.runs = late < near if step > 0 else first > far
        self.runs |= length is not None and length * step > 0
        self.bounds = tuple(
            x.value if isinstance(x, Varying) else p.const(x, i64) for x in (start, stop, step)
        )
