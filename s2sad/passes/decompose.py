"""Which composites are replaced by their definition, and when?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from s2sad.autodiff.forward import has_tangent
from s2sad.core.diagnostics import fail
from s2sad.ir.builder import as_tuple
from s2sad.ir.graph import Function, Operation
from s2sad.ir.primitive import Primitive
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.base import Pass


def without_adjoint(prim: Primitive) -> bool:
    """Composites that are differentiated through their body."""
    return prim.adjoint_rule is None and prim.nondiff is None


def without_tangent(prim: Primitive) -> bool:
    """Those, and composites that forward mode goes through: a `custom` has both in it."""
    return without_adjoint(prim) or not has_tangent(prim)


def every(prim: Primitive) -> bool:
    """All composites: for a target that keeps none."""
    return True


def _title(chosen: Callable[[Primitive], bool]) -> str:
    return chosen.__name__.replace("_", "-")


def _chosen(text: str) -> Callable[[Primitive], bool]:
    """What `_title` names `text` (E0404)."""
    choices = {_title(each): each for each in (every, without_adjoint, without_tangent)}
    if text not in choices:
        raise fail("E0404", f"decompose takes {' or '.join(choices)}, got {text!r}")
    return choices[text]


@dataclass(frozen=True)
class Decompose(Pass):
    """Inline the bodies of composites.

    Before:  t0 = p.square(x)
    After:   t0 = p.mul(x, x)

    Runs until none is left that `chosen` picks; before differentiation for those without an
    adjoint of their own, after it for those that a target does not keep.

    Attributes
    ----------
    chosen : callable
        Whether a primitive is decomposed.
    keep : tuple of str
        Names of composites that stay, whatever `chosen` says: a target computes them whole.
    """

    chosen: Callable[[Primitive], bool] = field(
        default=every, metadata={"is_bare": True, "write": _title, "read": _chosen}
    )
    keep: tuple[str, ...] = field(
        default=(), metadata={"write": "+".join, "read": lambda text: tuple(text.split("+"))}
    )
    name: ClassVar[str] = "decompose"
    is_needed: ClassVar[bool] = True

    def run(self, function: Function, rewriter: Rewriter) -> None:
        again = True
        while again:
            found = [op for op in function.walk() if self._takes(op.prim)]
            for operation in found:
                with rewriter.step(f"inline {operation.prim.name}", operation):
                    inline_body(operation, rewriter)
            again = bool(found)

    def _takes(self, prim: Primitive) -> bool:
        return prim.is_composite and prim.name not in self.keep and self.chosen(prim)

    def __repr__(self) -> str:
        kept = f", keep={self.keep}" if self.keep else ""
        return f"Decompose({self.chosen.__name__}{kept})"


def inline_body(operation: Operation, rewriter: Rewriter) -> None:
    """Replace a composite by the operations of its body."""
    body = operation.prim.body
    assert body is not None
    place = rewriter.insert_before(operation)
    with place.active():
        results = as_tuple(body(*operation.operands, **operation.attrs))
        values = [place.value(x) for x in results]
    rewriter.replace_operation(operation, values)
