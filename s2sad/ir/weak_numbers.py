"""Where may a constant be written as a bare number?

Where a number takes its dtype from the operands beside it, and that gives the very constant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from s2sad.core.diagnostics import S2sadError
from s2sad.ir.compare import same_bits
from s2sad.ir.graph import Operation, Region, Use, Value
from s2sad.ir.literals import shortest
from s2sad.ir.primitive import Form

_NONE: dict[int, Any] = {}


class WeakNumbers:
    """Finds and remembers them; with `lists`, what is pushed on a stack must be an array."""

    def __init__(self, *, lists: bool) -> None:
        self._found: dict[Operation, dict[int, Any]] = {}
        self._without = {Form.CONST, Form.IF, Form.WHILE, *([Form.PUSH] if lists else [])}

    def is_weak(self, use: Use) -> bool:
        return not isinstance(use.user, Region) and use.index in self.of(use.user)

    def of(self, operation: Operation) -> Mapping[int, Any]:
        """Places of `operation` where a number may stand, and which."""
        if operation.prim.form in self._without:
            return _NONE
        if operation not in self._found:
            self._found[operation] = _weak_numbers(operation)
        return self._found[operation]


def _weak_numbers(operation: Operation) -> dict[int, Any]:
    candidates = {i: _number(value) for i, value in enumerate(operation.operands)}
    numbers = {i: number for i, number in candidates.items() if number is not None}
    if operation.prim.form is Form.FOR:  # what a loop starts with must be an array
        return {i: number for i, number in numbers.items() if i < 3}
    while numbers:
        given = [numbers.get(i, value) for i, value in enumerate(operation.operands)]
        try:
            lifted = operation.prim.lift(given)
        except S2sadError:  # the operands have dtypes of their own, and none takes a number
            return {}
        kept = {i: n for i, n in numbers.items() if _gives(lifted[i], operation.operands[i])}
        if len(kept) == len(numbers):
            break
        numbers = kept
    return numbers


def _gives(operand: Any, value: Value) -> bool:
    """Whether `operand` becomes the constant `value`."""
    return same_bits(np.asarray(operand), value.owner.attrs["value"])  # type: ignore[union-attr]


def _number(value: Value) -> Any:
    """The number that the constant `value` is, where it has no name and one is enough."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.prim.form is not Form.CONST:
        return None
    array = owner.attrs["value"]
    if value.name or array.ndim:
        return None
    return shortest(array, value.dtype) if value.dtype.is_float else array.item()
