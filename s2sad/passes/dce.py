"""Which operations does nobody read?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from s2sad.ir.graph import Function, Operation, Region
from s2sad.ir.primitive import Trait
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.base import Pass


@dataclass(frozen=True)
class Dce(Pass):
    """Erase operations whose results are never read.

    Before:  t0 = p.mul(x, y); t1 = p.tanh(x); return t1
    After:   t1 = p.tanh(x); return t1

    What takes or returns a token or a stack stays: those are used once, in order. So does what
    may fail at run time: the program fails with and without the pass.
    """

    name: ClassVar[str] = "dce"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        _sweep(function.body, rewriter)


def _sweep(region: Region, rewriter: Rewriter) -> None:
    for operation in reversed(list(region.operations)):
        for nested in operation.regions.values():
            _sweep(nested, rewriter)
        if is_dead(operation):
            rewriter.erase(operation)


def is_dead(operation: Operation) -> bool:
    """Whether `operation` can go without a trace."""
    if any(value.uses for value in operation.results):
        return False
    if any(value.type.is_linear for value in (*operation.operands, *operation.results)):
        return False
    return not can_fail(operation)


def can_fail(operation: Operation) -> bool:
    """Whether running `operation` may end the program, or does more than give results."""
    for op in operation.walk():
        if op.prim.has(Trait.FALLIBLE) or op.prim.has(Trait.EFFECT):
            return True
        if op.prim.expand is not None:
            types = tuple(value.type for value in op.operands)
            if any(map(can_fail, op.prim.expand(types, op.attrs).body.operations)):
                return True
    return False
