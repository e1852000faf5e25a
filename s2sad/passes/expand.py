"""What becomes of a transform that was met inside compiled code?

The operations of the derivative, or of the map, take its place. Where a program runs that still
contains one, they are computed instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from s2sad import prims as p
from s2sad.autodiff.activity import is_differentiable
from s2sad.autodiff.batching import batch_region
from s2sad.autodiff.forward import push_forward
from s2sad.autodiff.reverse import differentiate
from s2sad.core import location as locations
from s2sad.core.diagnostics import fail
from s2sad.ir.builder import Builder, build_function
from s2sad.ir.clone import copy_region
from s2sad.ir.evaluate import RunningRegion, evaluate
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.reader import read_region
from s2sad.ir.rewriter import Place, Rewriter
from s2sad.ir.types import type_of
from s2sad.passes.base import Pass
from s2sad.passes.canonicalize import Canonicalize
from s2sad.passes.cse import Cse
from s2sad.passes.decompose import Decompose, without_adjoint, without_tangent
from s2sad.passes.hoist import HoistConstants
from s2sad.passes.segment import SegmentLoops
from s2sad.prims.batching.places import leading, move_axis
from s2sad.prims.marker import is_derivative, is_map, transform

#: What is done to a function before a derivative of it is taken.
BEFORE_REVERSE = (Decompose(without_adjoint), HoistConstants(), SegmentLoops())
BEFORE_FORWARD = (Decompose(without_tangent), HoistConstants())
#: Before that, where there are derivatives in it: each has computed the values of its function
#: again, and a sweep back would go through all of them.
MERGING = (Canonicalize(), Cse())


@dataclass(frozen=True)
class ExpandTransforms(Pass):
    """Put the operations of a derivative, or of a map, in place of each `transform`.

    Before:  def body_0(x): t0 = p.sin(x); return t0
             dx = p.transform(x, body=body_0, kind="grad", wrt=(0,), results=(0,))
    After:   t0 = p.sin(x); t1 = p.cos(x); dx = p.mul(dt0, t1)

    So whoever differentiates the program finds ordinary operations in it. Maps come first, outer
    ones before inner ones: what they map then has no derivative yet, and so no tape. Derivatives
    come innermost first.
    """

    name: ClassVar[str] = "expand-transforms"
    is_needed: ClassVar[bool] = True

    def run(self, function: Function, rewriter: Rewriter) -> None:
        while maps := [op for op in function.walk() if is_map(op)]:
            _replace(maps[0], rewriter, _all_rows)
        for operation in list(_outer_derivatives(function.body)):
            _replace(operation, rewriter, _derived)


def _outer_derivatives(region: Region) -> Iterator[Operation]:
    """Those that stand in no other: what is inside of one is expanded before it is derived."""
    for operation in region.operations:
        if is_derivative(operation):
            yield operation
        else:
            for nested in operation.regions.values():
                yield from _outer_derivatives(nested)


#: ``computed(operation, rewriter, place)``: the results of `operation`, computed at `place`.
Computed = Callable[[Operation, Rewriter, Place], Sequence[Value]]


def _replace(operation: Operation, rewriter: Rewriter, computed: Computed) -> None:
    with rewriter.step(f"expand {operation.attrs['kind']}", operation):
        place = rewriter.insert_before(operation)
        rewriter.replace_operation(operation, computed(operation, rewriter, place))


def _derived(operation: Operation, rewriter: Rewriter, place: Place) -> Sequence[Value]:
    return rewriter.inline_region(derived_region(operation), operation.operands, place)


def _all_rows(operation: Operation, rewriter: Rewriter, place: Place) -> Sequence[Value]:
    """What a map gives (E0104 where a result of `out_axes` None differs from row to row)."""
    axes, out_axes = operation.attrs["in_axes"], operation.attrs["out_axes"]
    pairs = list(zip(operation.operands, axes, strict=True))
    size = next(value.shape[axis] for value, axis in pairs if axis is not None)
    mapped = [axis is not None for axis in axes]
    with place.active():
        operands = [x if axis is None else move_axis(x, axis, 0) for x, axis in pairs]
    with locations.origin(operation.loc, operation.scope):
        body, rows = batch_region(operation.regions["body"], mapped, size, derived_region)
    if any(has_rows and axis is None for has_rows, axis in zip(rows, out_axes, strict=True)):
        raise fail(
            "E0104", "a result of vmap, or what its function writes, has out_axes None and yet "
            "differs from row to row",
            location=operation.loc, help="give the axis along which the rows are to stand",
        )  # fmt: skip
    found = zip(rewriter.inline_region(body, operands, place), rows, out_axes, strict=True)
    with place.active():
        return [
            x if axis is None else move_axis(leading(x, has_rows, size), 0, axis)
            for x, has_rows, axis in found
        ]


def derivative(operation: Operation) -> Function:
    """What a `transform` computes of its operands, as a function.

    It gives the results of the body, and then what is derived: gradients, or the tangents of the
    results that are asked for.
    """
    kind, wrt, results = (operation.attrs[name] for name in ("kind", "wrt", "results"))
    function = Function("body", copy_region(operation.regions["body"], {}))
    nested = any(is_derivative(inner) for inner in function.walk())
    ExpandTransforms().run(function, Rewriter(function))
    before = BEFORE_FORWARD if kind == "jvp" else BEFORE_REVERSE
    for step in (*(MERGING if nested else ()), *before):
        step.run(function, Rewriter(function))
    if kind == "jvp":
        derived = push_forward(function, wrt)
        _keep_tangents(derived, function.results, results)
    else:
        derived = differentiate(function, wrt, results, seeded=kind == "vjp")
    for inner in derived.walk():  # what stems from no operation of the body stems from this one
        inner.loc, inner.scope = inner.loc or operation.loc, inner.scope or operation.scope
    return derived


def _keep_tangents(pushed: Function, outs: Sequence[Value], results: Sequence[int]) -> None:
    """Let `pushed` give the tangents of `results` only; a stack that nobody asks for is dropped."""
    floats = [i for i, value in enumerate(outs) if is_differentiable(value)]
    tangents = dict(zip(floats, pushed.results[len(outs) :], strict=True))
    with Builder(pushed.body).active():
        for i, tangent in tangents.items():
            if i not in results and tangent.type.is_linear:
                p.stack_drop(tangent)
    pushed.body.set_reads([*pushed.results[: len(outs)], *(tangents[i] for i in results)])


def derived_region(operation: Operation) -> Region:
    """What a `transform` that is a derivative computes of its operands: its results only."""
    region = derivative(operation).body
    region.set_reads(_asked(operation, region.yields))
    return region


def _asked(operation: Operation, values: Sequence[Value]) -> Sequence[Value]:
    """Those of the `values` of the derivative that are the results of `operation`."""
    yields = operation.regions["body"].yields
    outs, derived = values[: len(yields)], values[len(yields) :]
    if operation.attrs["kind"] == "grad":
        return derived
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
    ExpandTransforms().run(function, Rewriter(function))
    return evaluate(function, values)


def _body(body: Any) -> Region | Callable[..., Any]:
    """`body` as the builder takes it."""
    if isinstance(body, RunningRegion):
        return copy_region(body.region, {})
    return read_region(body, p.ALL) if getattr(body, "is_region", False) else body
