"""What becomes of a transform that was met inside compiled code?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from s2sad.autodiff.activity import is_differentiable
from s2sad.autodiff.forward import push_forward
from s2sad.autodiff.reverse import differentiate
from s2sad.ir.clone import copy_region
from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.base import Pass
from s2sad.passes.decompose import Decompose, without_adjoint, without_tangent
from s2sad.passes.hoist import HoistConstants

#: What is done to a function before a derivative of it is taken.
BEFORE_REVERSE = (Decompose(without_adjoint), HoistConstants())
BEFORE_FORWARD = (Decompose(without_tangent), HoistConstants())


@dataclass(frozen=True)
class ExpandTransforms(Pass):
    """Put the operations of a derivative in place of each `transform`, innermost first.

    Before:  def body_0(x): t0 = p.sin(x); return t0
             dx = p.transform(x, body=body_0, kind="grad", wrt=(0,), results=(0,))
    After:   t0 = p.sin(x); t1 = p.cos(x); dx = p.mul(dt0, t1)

    So whoever differentiates the program finds ordinary operations in it. A ``"vmap"`` stays.
    """

    name: ClassVar[str] = "expand-transforms"
    is_needed: ClassVar[bool] = True

    def run(self, function: Function, rewriter: Rewriter) -> None:
        found = [op for op in function.walk() if is_derivative(op)]
        for operation in reversed(found):  # what stands inside of another comes after it there
            with rewriter.step(f"expand {operation.attrs['kind']}", operation):
                derived = derivative(operation)
                place = rewriter.insert_before(operation)
                values = rewriter.inline_region(derived.body, operation.operands, place)
                rewriter.replace_operation(operation, _asked(operation, values))


def is_derivative(operation: Operation) -> bool:
    """Whether `operation` is a `transform` that stands for a derivative."""
    return operation.prim.name == "transform" and operation.attrs["kind"] != "vmap"


def derivative(operation: Operation) -> Function:
    """What a `transform` computes of its operands, as a function.

    It gives the results of the body, and then what is derived: gradients, or a tangent for each
    result that is a tensor of floats.
    """
    kind, wrt, results = (operation.attrs[name] for name in ("kind", "wrt", "results"))
    function = Function("body", copy_region(operation.regions["body"], {}))
    for step in BEFORE_FORWARD if kind == "jvp" else BEFORE_REVERSE:
        step.run(function, Rewriter(function))
    if kind == "jvp":
        derived = push_forward(function, wrt)
    else:
        derived = differentiate(function, wrt, results, seeded=kind == "vjp")
    for inner in derived.walk():  # what stems from no operation of the body stems from this one
        inner.loc, inner.scope = inner.loc or operation.loc, inner.scope or operation.scope
    return derived


def _asked(operation: Operation, values: Sequence[Value]) -> Sequence[Value]:
    """Those of the `values` of the derivative that are the results of `operation`."""
    yields = operation.regions["body"].yields
    outs, derived = values[: len(yields)], values[len(yields) :]
    if operation.attrs["kind"] == "grad":
        return derived
    if operation.attrs["kind"] == "jvp":
        floats = [i for i, value in enumerate(yields) if is_differentiable(value)]
        tangents = dict(zip(floats, derived, strict=True))
        derived = [tangents[i] for i in operation.attrs["results"]]
    return *outs, *derived
