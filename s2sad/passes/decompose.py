"""Which composites are replaced by their definition, and when?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from s2sad.ir.builder import as_tuple
from s2sad.ir.graph import Function, Operation
from s2sad.ir.primitive import Primitive
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.base import Pass


def without_adjoint(prim: Primitive) -> bool:
    """Composites that are differentiated through their body."""
    return prim.adjoint_rule is None and prim.nondiff is None


def every(prim: Primitive) -> bool:
    """All composites: for a target that keeps none."""
    return True


@dataclass(frozen=True)
class Decompose(Pass):
    """Inline the bodies of composites.

    Before:  t0 = p.square(x)
    After:   t0 = p.mul(x, x)

    Runs until none is left that `chosen` picks; before differentiation for those without an
    adjoint of their own, after it for those that a target does not keep.
    """

    chosen: Callable[[Primitive], bool] = every
    name: ClassVar[str] = "decompose"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        again = True
        while again:
            found = [op for op in function.walk() if op.prim.is_composite and self.chosen(op.prim)]
            for operation in found:
                inline_body(operation, rewriter)
            again = bool(found)

    def __str__(self) -> str:
        return f"{self.name}{{{self.chosen.__name__.replace('_', '-')}}}"


def inline_body(operation: Operation, rewriter: Rewriter) -> None:
    """Replace a composite by the operations of its body."""
    body = operation.prim.body
    assert body is not None
    place = rewriter.insert_before(operation)
    with place.active():
        results = as_tuple(body(*operation.operands, **operation.attrs))
        values = [place.value(x) for x in results]
    rewriter.replace_operation(operation, values)
