"""Which values need a cotangent?

Those that depend on an input asked for and on which a result depends, through operations that
have a derivative. Everything else is left alone: no adjoint, no residual. What loops carry is
followed to a fixed point, and a `checkpoint` is looked into.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import carried, is_loop
from s2sad.ir.primitive import Form
from s2sad.ir.types import StackType, TensorType
from s2sad.prims.marker import checkpoint, hook


def is_differentiable(value: Value) -> bool:
    """Whether a cotangent of `value` makes sense: a tensor of floats, or a stack of such."""
    type = value.type.element if isinstance(value.type, StackType) else value.type
    return isinstance(type, TensorType) and type.dtype.is_float


def active_values(function: Function, wrt: Sequence[int], results: Iterable[int]) -> set[Value]:
    """Values, at any depth, between the inputs `wrt` and the results numbered `results`."""
    varied = {function.args[i] for i in wrt if is_differentiable(function.args[i])}
    _vary(function.body, varied)
    useful = {function.results[i] for i in results}
    _use(function.body, useful)
    return varied & useful


def _vary(region: Region, varied: set[Value]) -> None:
    """Add to `varied` what depends on it in `region`."""
    for operation in region.operations:
        if is_loop(operation):
            _vary_loop(operation, varied)
        elif operation.prim.form is Form.IF:
            for side in operation.regions.values():
                _vary(side, varied)
                varied.update(
                    r for r, y in zip(operation.results, side.yields, strict=True) if y in varied
                )
        elif operation.prim is checkpoint:
            body = operation.regions["body"]
            pairs = zip(operation.operands, body.args, strict=True)
            varied.update(argument for operand, argument in pairs if operand in varied)
            _vary(body, varied)
            pairs = zip(operation.results, body.yields, strict=True)
            varied.update(result for result, value in pairs if value in varied)
        elif _begins(operation) or (
            operation.prim.nondiff is None and any(x in varied for x in operation.operands)
        ):
            varied.update(filter(is_differentiable, operation.results))


def _vary_loop(loop: Operation, varied: set[Value]) -> None:
    places, size = carried(loop), -1
    while size != len(varied):
        size = len(varied)
        for place in places:
            if (place.initial in varied or place.yielded in varied) and is_differentiable(
                place.result
            ):
                varied.update((place.argument, place.result))
        _vary(loop.regions["body"], varied)


def _begins(operation: Operation) -> bool:
    """Whether what `operation` gives counts as depending on everything.

    An empty stack does, for its cotangent is used up there, and so does a hook that asks for its.
    """
    if operation.prim is hook:
        return operation.attrs["asks"]
    return not operation.operands and any(v.type.is_linear for v in operation.results)


def _use(region: Region, useful: set[Value]) -> None:
    """Add to `useful` what it depends on in `region`."""
    for operation in reversed(region.operations):
        if is_loop(operation):
            _use_loop(operation, useful)
        elif operation.prim.form is Form.IF:
            for side in operation.regions.values():
                useful.update(
                    y for r, y in zip(operation.results, side.yields, strict=True) if r in useful
                )
                _use(side, useful)
        elif operation.prim is checkpoint:
            body = operation.regions["body"]
            pairs = zip(operation.results, body.yields, strict=True)
            useful.update(value for result, value in pairs if result in useful)
            _use(body, useful)
            pairs = zip(operation.operands, body.args, strict=True)
            useful.update(operand for operand, argument in pairs if argument in useful)
        elif operation.prim.nondiff is None and any(v in useful for v in operation.results):
            useful.update(operation.operands)


def _use_loop(loop: Operation, useful: set[Value]) -> None:
    places, size = carried(loop), -1
    while size != len(useful):
        size = len(useful)
        for place in places:
            if place.result in useful or place.argument in useful:
                useful.add(place.yielded)
        _use(loop.regions["body"], useful)
    useful.update(
        place.initial for place in places if place.argument in useful or place.result in useful
    )
