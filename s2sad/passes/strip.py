"""What becomes of markers once nothing is differentiated any more?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.base import Pass

#: Markers, with the region that says what they compute; None for those that compute nothing.
MARKERS = {"stop_gradient": None, "hook": None, "custom": "primal", "checkpoint": "body"}


@dataclass(frozen=True)
class StripMarkers(Pass):
    """Put what they compute in place of the markers for differentiation.

    Before:  def primal_0(x): t0 = p.mul(x, x); return t0
             y = p.custom(x, primal=primal_0, adjoint=adjoint_0)
             z = p.stop_gradient(y)
    After:   y = p.mul(x, x)                        # z is y

    From here on every pass sees all operations. A `barrier` stays: what it keeps apart, the
    computation of the forward sweep and its repetition in the backward one, would become one.
    """

    name: ClassVar[str] = "strip-markers"
    is_needed: ClassVar[bool] = True

    def run(self, function: Function, rewriter: Rewriter) -> None:
        found = [op for op in function.walk() if op.prim.name in MARKERS]
        for operation in reversed(found):  # what stands inside of another comes after it there
            with rewriter.step(f"strip {operation.prim.name}", operation):
                rewriter.replace_operation(operation, _computed(operation, rewriter))


def _computed(operation: Operation, rewriter: Rewriter) -> Sequence[Value]:
    name = MARKERS[operation.prim.name]
    if name is None:
        count = operation.attrs.get("count", 1)
        rest = [value for value in operation.operands[count:] if value.type.is_linear]
        return *operation.operands[:count], *rest
    place = rewriter.insert_before(operation)
    return rewriter.inline_region(operation.regions[name], operation.operands, place)
