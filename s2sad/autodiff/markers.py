"""How are operations with regions of their own differentiated: `custom`, `checkpoint`, `hook`?

Their regions are programs already, so they are copied into the joint program as operations, by
functions that it calls. The forward sweep keeps the marker itself: a second differentiation meets
it again.

Forward mode has no rule of the user's for a `custom`. Its adjoint is linear in the cotangents, so
the transpose of that, which reverse mode gives, takes tangents of the values to those of the
results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad import prims as p
from s2sad.autodiff.activity import is_differentiable
from s2sad.autodiff.support import is_zero, zeros
from s2sad.core.diagnostics import fail
from s2sad.ir import builder as builders
from s2sad.ir.builder import as_tuple
from s2sad.ir.clone import copy_operation, copy_operations, copy_region
from s2sad.ir.graph import Function, Operation, Region, Value

#: `reverse.differentiate` or `forward.push_forward`, which import this module.
Differentiate = Callable[..., Function]

Run = Callable[..., Any]


def again(operation: Operation) -> Run:
    """Function that emits `operation`, regions included, on other operands."""

    def marked(*values: Value) -> Any:
        mapping = dict(zip(operation.operands, values, strict=True))
        copy = builders.current().add(copy_operation(operation, mapping))
        return copy.results[0] if len(copy.results) == 1 else copy.results

    return marked


def of_region(region: Region) -> Run:
    """Function that emits the operations of `region` on values for its arguments."""

    def inlined(*values: Value) -> tuple[Value, ...]:
        mapping = dict(zip(region.args, values, strict=True))
        for copy in copy_operations(list(region.operations), mapping):
            builders.current().add(copy)
        return tuple(mapping.get(value, value) for value in region.yields)

    return inlined


def gradient_of(
    region: Region, wrt: Sequence[int], results: Sequence[int], begun: Sequence[int],
    differentiate: Differentiate,
) -> Run:  # fmt: skip
    """Function of the arguments and the cotangents of `results` that gives those of `wrt`.

    Those of `begun` are arguments behind, to which the rest is added.

    It computes the region again, from arguments behind a barrier: nothing of the forward sweep is
    kept but those, and no pass takes the two computations for one. What it computes is a
    `checkpoint` as well, for a second derivative; zeros stand outside of it, where they are known.
    """
    _refuse_linear(region)
    body = differentiate(_function(region), wrt, results, seeded=True, begun=begun).body
    found, taken = body.yields[len(region.yields) :], len(region.args)
    body.set_reads([value for value in found if not is_zero(value)])

    def gradients(*values: Value) -> tuple[Value, ...]:
        behind = [p.barrier(value) for value in values[:taken]]
        operands = [*behind, *values[taken:]]
        regions = {"body": copy_region(body, {})}
        given = iter(as_tuple(builders.current().emit(p.checkpoint, operands, {}, regions)))
        return tuple(zeros(x.type) if is_zero(x) else next(given) for x in found)

    return gradients


def tangents_of_body(operation: Operation, wrt: Sequence[int], push_forward: Differentiate) -> Run:
    """Function of the operands of a `checkpoint`, and of tangents for those at `wrt`.

    It gives the results, and a tangent for each that is a tensor of floats; from one `checkpoint`
    again.
    """
    region = operation.regions["body"]
    _refuse_linear(region)
    pushed = push_forward(_function(region), wrt)

    def pushed_body(*values: Value) -> tuple[Value, ...]:
        body = copy_region(pushed.body, {})
        found = builders.current().emit(
            operation.prim, values, dict(operation.attrs), {"body": body}
        )
        return as_tuple(found)

    return pushed_body


def transposed(operation: Operation, wrt: Sequence[int], differentiate: Differentiate) -> Run:
    """Function of the operands of a `custom`, and of tangents for those at `wrt`.

    It gives the results, and a tangent for each that is a tensor of floats.
    """
    adjoint = operation.regions["adjoint"]
    floats = [i for i, value in enumerate(operation.operands) if is_differentiable(value)]
    outs = [value.type for value in operation.results if is_differentiable(value)]
    first, taken = len(adjoint.args) - len(outs), len(operation.operands)
    seeds = [floats.index(place) for place in wrt]
    cotangents = range(first, len(adjoint.args))
    joint = differentiate(_function(adjoint), cotangents, seeds, seeded=True)

    def pushed_rule(*values: Value) -> tuple[Value, ...]:
        results = as_tuple(again(operation)(*values[:taken]))
        given = [value for value in (*values[:taken], *results) if not value.type.is_linear]
        zeros = [p.const(0, type) for type in outs]
        found = of_region(joint.body)(*given, *zeros, *values[taken:])
        return *results, *found[len(floats) :]

    return pushed_rule


def tangents_of_hook(operation: Operation, wrt: Sequence[int]) -> Run:
    """Function of the operands of a `hook`, and of tangents for those at `wrt`.

    It gives the results, and a tangent for each that is a tensor of floats: a hook concerns
    cotangents only.
    """
    count, taken = operation.attrs["count"], len(operation.operands)

    def pushed_hook(*values: Value) -> tuple[Value, ...]:
        dots = dict(zip(wrt, values[taken:], strict=True))
        found = [dots[i] if i in dots else zeros(values[i].type) for i in range(count)]
        return *as_tuple(again(operation)(*values[:taken])), *found

    return pushed_hook


def _function(region: Region) -> Function:
    return Function("again", copy_region(region, {}))


def _refuse_linear(region: Region) -> None:
    if any(value.type.is_linear for value in (*region.args, *region.yields)):
        raise fail("E0104", "a checkpoint over tokens or stacks is not differentiated yet")
