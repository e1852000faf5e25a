"""Which operations does nobody read, and which results of an `if` or a loop?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from s2sad.ir.graph import Function, Operation, Region
from s2sad.ir.loops import is_loop
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.base import Pass
from s2sad.passes.effects import can_fail
from s2sad.passes.slots import unread_results, unread_slots, without_results, without_slots


@dataclass(frozen=True)
class Dce(Pass):
    """Erase operations whose results are never read.

    Before:  t0 = p.mul(x, y); t1 = p.tanh(x); return t1
    After:   t1 = p.tanh(x); return t1

    An `if` gives only what somebody reads, and a loop carries only that and what it needs for it.
    What takes or returns a token or a stack stays: those are used once, in order. So does what
    may fail at run time: the program fails with and without the pass. A loop that may fail in no
    other way than by never ending goes.
    """

    name: ClassVar[str] = "dce"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        sweep(function.body, rewriter)


def sweep(region: Region, rewriter: Rewriter) -> None:
    """Erase what is dead in `region` and in all below it, from the last operation to the first."""
    for operation in reversed(list(region.operations)):
        if is_dead(operation):
            rewriter.erase(operation)
            continue
        _sweep_inside(operation, rewriter)
        # Without some of its results it may need less, and then give less again.
        while unread := _unread(operation):
            without = without_results if operation.prim.form is Form.IF else without_slots
            with rewriter.step(f"narrow {operation.prim.name}", operation):
                operation = without(operation, dict.fromkeys(unread), rewriter)
            _sweep_inside(operation, rewriter)


def _sweep_inside(operation: Operation, rewriter: Rewriter) -> None:
    if not operation.prim.has(Trait.OPAQUE):
        for region in operation.regions.values():
            sweep(region, rewriter)


def _unread(operation: Operation) -> list[int]:
    """Results that an `if` or a loop need not give."""
    if operation.prim.form is Form.IF:
        return unread_results(operation)
    return unread_slots(operation) if is_loop(operation) else []


def is_dead(operation: Operation) -> bool:
    """Whether `operation` can go without a trace."""
    if any(value.uses for value in operation.results):
        return False
    if any(value.type.is_linear for value in (*operation.operands, *operation.results)):
        return False
    return not can_fail(operation)
