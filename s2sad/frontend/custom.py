"""What does a Cell with a `bprop` of its own become?

One `custom` operation. Its primal region is the construct, its adjoint region the `bprop`. Regions
of a `custom` read their arguments only, so what either reads from outside becomes an operand as
well; with respect to those there is no gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.frontend.carried import written_now
from s2sad.frontend.frame import Frame
from s2sad.frontend.loops import discard
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders
from s2sad.ir.builder import Builder, as_tuple
from s2sad.ir.clone import copy_operations
from s2sad.ir.graph import Region, Value
from s2sad.ir.rewriter import outer_values
from s2sad.ir.types import Type
from s2sad.prims.marker import differentiable

#: ``run(args)``: what the construct, or the bprop, makes of a list of arguments.
Run = Callable[[list[Any]], Any]


def call_custom(frame: Frame, args: list[Any], construct: Run, bprop: Run) -> Any:
    """Emit a `custom` for a call of a Cell with `args`; what the construct gives.

    Raises
    ------
    S2sadError
        E0104 when the construct writes a Parameter, E0302 when `bprop` does not give one gradient
        for each input.
    """
    inputs = [builders.current().value(leaf) for leaf in leaves(args) if _is_tensor(leaf)]
    before = _written(frame)
    primal = Region([value.type for value in inputs], [value.name for value in inputs])
    with Builder(primal).active() as builder:
        result = construct(_with_values(args, primal.args))
        primal.set_reads([builder.value(leaf) for leaf in leaves(result) if _is_tensor(leaf)])
    if _written(frame) != before:
        raise fail("E0104", "a construct with a `bprop` of its own writes no Parameter yet")
    outs = [value.type for value in primal.yields]
    adjoint = _adjoint_region(args, primal.args, result, outs, bprop)
    emitted = _emit(inputs, primal, adjoint, len(outs))
    return _with_values(result, emitted)


def _adjoint_region(
    args: list[Any], inputs: Sequence[Value], result: Any, outs: list[Type], bprop: Run
) -> Region:
    """Region over inputs, results and cotangents that yields a gradient for each float input."""
    types = [value.type for value in inputs]
    region = Region([*types, *outs, *differentiable(outs)])
    given, rest = region.args[: len(types)], region.args[len(types) :]
    out, douts = rest[: len(outs)], iter(rest[len(outs) :])
    with Builder(region).active():
        dout = [next(douts) if differentiable([v.type]) else p.zeros_like(v) for v in out]
        arguments = [_with_values(args, given)[i] for i in range(len(args))]
        found = bprop([*arguments, _with_values(result, out), _with_values(result, dout)])
        region.set_reads(_gradients(args, given, found))
    return region


def _gradients(args: list[Any], inputs: Sequence[Value], found: Any) -> list[Value]:
    """One gradient for each float input, in order, from what `bprop` gave."""
    by_argument = list(found) if isinstance(found, (tuple, list)) else [found]
    if len(by_argument) != len(args):
        raise fail(
            "E0302", f"`bprop` gives one gradient an input: {len(args)}, got {len(by_argument)}"
        )
    values: list[Value] = []
    rest = iter(inputs)
    for argument, gradient in zip(args, by_argument, strict=True):
        tensors = [leaf for leaf in leaves(argument) if _is_tensor(leaf)]
        parts = leaves(gradient) if tensors else []
        if tensors and len(parts) != len(tensors):
            raise fail("E0302", f"`bprop` gives {len(parts)} gradients for {len(tensors)} tensors")
        for part in parts:
            primal = next(rest)
            if differentiable([primal.type]):
                values.append(_of_type(part, primal))
    return values


def _of_type(gradient: Any, primal: Value) -> Value:
    """A gradient as a value of the type of `primal`: None is zero, a number fills the shape."""
    if gradient is None:
        return p.zeros_like(primal)
    value = builders.current().value(p.add(p.zeros_like(primal), gradient))
    if value.type != primal.type:
        raise fail("E0401", f"the gradient of an input of {primal.type} is {value.type}")
    return value


def _emit(inputs: list[Value], primal: Region, adjoint: Region, count: int) -> tuple[Value, ...]:
    """Emit the `custom` with isolated copies of its two regions."""
    outside = outer_values([primal, adjoint])
    types = [value.type for value in outside]
    whole = _isolated(primal, len(inputs), outside, types, ())
    zeros = differentiable(types)
    back = _isolated(adjoint, len(inputs), outside, types, zeros)
    for region in (primal, adjoint):
        discard(region)
    emitted = builders.current().emit(
        p.ALL["custom"], [*inputs, *outside], {}, {"primal": whole, "adjoint": back}
    )
    return as_tuple(emitted)[:count]


def _isolated(
    region: Region, place: int, outside: list[Value], types: list[Type], zeros: Sequence[Type]
) -> Region:
    """Copy of `region` with arguments at `place` for what it reads from outside.

    It yields zeros of the types `zeros` after its own yields.
    """
    old = [value.type for value in region.args]
    copy = Region([*old[:place], *types, *old[place:]])
    given = [*copy.args[:place], *copy.args[place + len(types) :]]
    mapping = dict(zip(region.args, given, strict=True))
    mapping.update(zip(outside, copy.args[place : place + len(types)], strict=True))
    with Builder(copy).active() as builder:
        for operation in copy_operations(list(region.operations), mapping):
            builder.add(operation)
        extra = [p.const(0, type) for type in zeros]
        copy.set_reads([*(mapping.get(v, v) for v in region.yields), *extra])
    return copy


def _written(frame: Frame) -> dict[int, Value]:
    return {key: value for key, value in written_now(frame).items() if value is not None}


def _is_tensor(leaf: Any) -> bool:
    return isinstance(leaf, (Value, Tensor))


def _with_values(tree: Any, values: Sequence[Value]) -> Any:
    """`tree` with `values` for its tensors, in order."""
    rest = iter(values)
    return map_leaves(tree, lambda leaf: next(rest) if _is_tensor(leaf) else leaf)
