"""How are operations with regions of their own differentiated: `custom`, `checkpoint`, `hook`?

Their regions are programs already, so they are copied into the joint program as operations, by
functions that it calls. The forward sweep keeps the marker itself: a second differentiation meets
it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir import builder as builders
from s2sad.ir.clone import copy_operation, copy_operations, copy_region
from s2sad.ir.graph import Function, Operation, Region, Value

#: Differentiates a function: `reverse.differentiate`, which imports this module.
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
    region: Region, wrt: Sequence[int], results: Sequence[int], differentiate: Differentiate
) -> Run:
    """Function of the arguments and the cotangents of `results` that gives those of `wrt`.

    It computes the region again: nothing of the forward sweep is kept but the arguments.
    """
    if any(value.type.is_linear for value in (*region.args, *region.yields)):
        raise fail("E0104", "a checkpoint over tokens or stacks is not differentiated yet")
    function = Function("again", copy_region(region, {}))
    joint = differentiate(function, wrt, results, seeded=True)
    count = len(region.yields)

    def gradients(*values: Value) -> tuple[Value, ...]:
        return of_region(joint.body)(*values)[count:]

    return gradients
