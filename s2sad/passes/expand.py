"""What becomes of a transform that was met inside compiled code?

The operations of the derivative take its place. Where a program runs that still contains one, they
are computed instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from s2sad import prims as p
from s2sad.autodiff.activity import is_differentiable
from s2sad.autodiff.forward import push_forward
from s2sad.autodiff.reverse import differentiate
from s2sad.ir.builder import build_function
from s2sad.ir.clone import copy_region
from s2sad.ir.evaluate import RunningRegion, evaluate
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.reader import read_region
from s2sad.ir.rewriter import Rewriter
from s2sad.ir.types import type_of
from s2sad.passes.base import Pass
from s2sad.passes.decompose import Decompose, without_adjoint, without_tangent
from s2sad.passes.hoist import HoistConstants
from s2sad.prims.marker import is_derivative, transform

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


def derive(values: Sequence[Any], body: Any, attrs: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a `transform` computes of `values`: with the bits of the program that is compiled.

    Parameters
    ----------
    values : sequence of arrays, stacks and tokens
    body : RunningRegion or callable
        A region of a function that runs or of a dump that runs; else a function over values of the
        IR.
    attrs : mapping of str to object
        As of `transform`.

    Raises
    ------
    S2sadError
        What its type rule, differentiation, or the operations of the derivative refuse; E0601 or
        E0604 for a dump whose region cannot be read.
    """
    run, types = _body(body), [type_of(value) for value in values]
    function = build_function(lambda *args: transform(*args, body=run, **attrs), types)
    if attrs["kind"] == "vmap":  # over an empty axis: what it computes itself needs no derivative
        return tuple(np.empty(v.shape, v.dtype.storage) for v in function.results)  # type: ignore[arg-type]
    ExpandTransforms().run(function, Rewriter(function))
    return evaluate(function, values)


def _body(body: Any) -> Region | Callable[..., Any]:
    """`body` as the builder takes it."""
    if isinstance(body, RunningRegion):
        return copy_region(body.region, {})
    return read_region(body, p.ALL) if getattr(body, "is_region", False) else body
