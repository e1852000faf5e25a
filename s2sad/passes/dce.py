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
from s2sad.passes.tapes import erase_tapes, unread_tapes


@dataclass(frozen=True)
class Dce(Pass):
    """Erase operations whose results are never read.

    Before:  t0 = p.mul(x, y); t1 = p.tanh(x); return t1
    After:   t1 = p.tanh(x); return t1

    An `if` gives only what somebody reads, and a loop carries only that and what it needs for it.
    What takes or returns a token or a stack stays: those are used once, in order. But a stack of
    which nobody reads an element goes, where it is known never to be popped while it is empty. What
    may fail at run time stays: the program fails with and without the pass. A loop that may fail in
    no other way than by never ending goes.
    """

    name: ClassVar[str] = "dce"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        sweep(function.body, rewriter)
        if _without_tapes(function.body, rewriter):  # what was pushed may be read by nobody now
            sweep(function.body, rewriter)


def _without_tapes(region: Region, rewriter: Rewriter) -> bool:
    """Whether there were tapes in `region`, or below it, that nobody reads; they are gone."""
    found = False
    for operation in list(region.operations):
        if not operation.prim.has(Trait.OPAQUE):
            for inner in operation.regions.values():
                found |= _without_tapes(inner, rewriter)
    tapes = unread_tapes(region)
    erase_tapes(tapes, rewriter)
    return found or bool(tapes)


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
