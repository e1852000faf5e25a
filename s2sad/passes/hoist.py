"""What stands in loops and branches that need not be made there again and again?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.loops import is_loop
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.rewriter import Rewriter, is_visible
from s2sad.ir.types import TensorType
from s2sad.passes.base import Pass
from s2sad.passes.effects import can_fail


@dataclass(frozen=True)
class HoistConstants(Pass):
    """Let constants of loops and branches stand before them, and what loops make of outer values.

    Before:  for i in range(0, n, 1): c0 = p.const(0.5, f32); y = p.mul(y, c0)
    After:   c0 = p.const(0.5, f32); for i in range(0, n, 1): y = p.mul(y, c0)

    What a loop reads from around it the reverse loop reads as well; what is made inside is put on
    a tape, trip by trip. So this belongs before differentiation. Regions that read nothing from
    around them keep their constants, and markers are not looked into. An operation leaves a loop
    where it makes nothing larger than what it reads: what only repeats costs nothing inside.
    """

    name: ClassVar[str] = "hoist-constants"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        for operation in list(function.body.operations):
            _hoist(operation, operation, rewriter)
        for operation in list(function.body.operations):
            _lift(operation, rewriter)


def _lift(operation: Operation, rewriter: Rewriter) -> None:
    """Move what loops make of outer values to before them, from the inside out."""
    if operation.prim.has(Trait.OPAQUE):
        return
    for region in operation.regions.values():
        for inner in list(region.operations):
            _lift(inner, rewriter)
        if is_loop(operation):
            for inner in list(region.operations):
                if _is_still(inner, operation):
                    rewriter.move(inner, rewriter.insert_before(operation))


def _is_still(operation: Operation, loop: Operation) -> bool:
    """Whether `operation` gives the same in each trip, and may as well be made before `loop`."""
    if not operation.operands or operation.regions or can_fail(operation):
        return False
    values = (*operation.operands, *operation.results)
    if not all(isinstance(value.type, TensorType) for value in values):
        return False
    region = loop.parent
    assert region is not None
    place = region.place(loop)
    if not all(is_visible(value, region, place) for value in operation.operands):
        return False
    return _size(operation.results) <= _size(operation.operands)


def _size(values: Sequence[Value]) -> int:
    """Bytes of `values`; of symbolic ones none."""
    sizes = [value.tensor_type.nbytes for value in dict.fromkeys(values)]
    return sum(size for size in sizes if isinstance(size, int))


def _hoist(operation: Operation, outermost: Operation, rewriter: Rewriter) -> None:
    """Move the constants below `operation` to before `outermost`, which may hold it."""
    if operation.prim.has(Trait.OPAQUE):
        return
    for region in operation.regions.values():
        for inner in list(region.operations):
            if operation.prim.is_isolated:
                _hoist(inner, inner, rewriter)
            elif inner.prim.form is Form.CONST:
                rewriter.move(inner, rewriter.insert_before(outermost))
            else:
                _hoist(inner, outermost, rewriter)
