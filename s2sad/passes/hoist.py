"""Where do constants stand that loops and branches read?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from s2sad.ir.graph import Function, Operation
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.base import Pass


@dataclass(frozen=True)
class HoistConstants(Pass):
    """Let the constants of loops and branches stand before them.

    Before:  for i in range(0, n, 1): c0 = p.const(0.5, f32); y = p.mul(y, c0)
    After:   c0 = p.const(0.5, f32); for i in range(0, n, 1): y = p.mul(y, c0)

    What a loop reads from around it the reverse loop reads as well; what is made inside is put on
    a tape, trip by trip. So this belongs before differentiation. Regions that read nothing from
    around them keep their constants, and markers are not looked into.
    """

    name: ClassVar[str] = "hoist-constants"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        for operation in list(function.body.operations):
            _hoist(operation, operation, rewriter)


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
