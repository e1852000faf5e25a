"""What do joint programs call besides prims?

These run while the joint program is evaluated: they emit operations on values, and pass on
``None``, the cotangent of what is not differentiated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.graph import Operation, Value
from s2sad.ir.types import StackType, TensorType, Type, i64, same_type
from s2sad.prims import shape

#: Operations that add into their first operand; on zeros they are what a read leaves behind.
INTO = ("index_add", "scatter_elements", "scatter_nd", "update_add")


class Cotangents:
    """What one joint program knows of its cotangents while it is evaluated.

    A cotangent that was selected (by the adjoint of `where`, `maximum`, `clip`, ...) is exactly
    zero outside of a mask. What is computed from it, element by element, is zero there as well,
    even where a factor is infinite or not a number: so it is selected again, never left as a
    product with zero. That is why ``where(x > 0, sqrt(x), 0)`` has the right gradient.

    Attributes
    ----------
    masks : dict of Value to Value
        Where a cotangent may differ from zero; bool, of its shape or broadcast to it.
    absorbed : list of Operation
        Those that add into zeros, of which a total took what they add.
    """

    def __init__(self) -> None:
        self.masks: dict[Value, Value] = {}
        self.absorbed: list[Operation] = []

    def contribution(self, value: Value | None, type: Type) -> Value | None:  # noqa: A002
        """`value`, one addend of a cotangent of `type`, summed over what was broadcast."""
        if value is None or same_type(value.type, type):
            return value
        if not isinstance(type, TensorType) or value.dtype is not type.dtype:
            raise fail("E0901", f"a cotangent of {type} came out as {value.type}")
        return p.sum_to(value, shape=type.shape)

    def accumulate(self, total: Value | None, value: Value | None) -> Value | None:
        """Sum of two addends of a cotangent; the first is taken as it is.

        What the adjoint of a read adds into zeros is added into `total` itself: reading row
        after row in a loop then costs a row each time, not the whole tensor.
        """
        if total is None or value is None:
            return value if total is None else total
        source = value.owner
        if isinstance(source, Operation):
            added = _added_into(total, source)
            if added is not None:
                self.absorbed.append(source)
                return added
        both: Value = p.add(total, value)
        one, other = self._mask(total), self._mask(value)
        if one is not None and other is not None:
            self.masks[both] = one if one is other else p.logical_or(one, other)
        return both

    def elementwise(self, part: Value | None, dout: Value | None, is_sum: bool) -> Value | None:
        """`part`, the cotangent that an elementwise operation made of `dout`, kept in its mask.

        `is_sum` says that the operation adds its operands: zero then stays zero by itself.
        """
        if part is None or dout is None or part is dout:
            return part
        mask, own = self._mask(dout), _selected(part)
        if mask is None or not dims.alike(dims.broadcast(part.shape, mask.shape), part.shape):
            return part
        if own is not None:
            mask = p.logical_and(own, mask)
        keeps = is_sum or (own is not None and _hands_on(part, dout))
        kept: Value = part if keeps else p.where(mask, part, 0)
        self.masks[kept] = mask
        return kept

    def spread(self, part: Value | None, dout: Value | None, axis: tuple[int, ...]) -> Value | None:
        """`part`, which a sum over `axis` made of `dout` by broadcasting it back, with its mask."""
        mask = None if part is None or dout is None else self._mask(dout)
        if part is None or dout is None or mask is None:
            return part
        if dims.alike(mask.shape, dout.shape):
            kept = tuple(1 if i in axis else n for i, n in enumerate(part.shape))
            self.masks[part] = p.broadcast_to(p.reshape(mask, shape=kept), shape=part.shape)
        return part

    def finish(self) -> None:
        """Take out what was absorbed and nobody reads; it may be fallible, so dce would keep it.

        That is known at the end: an adjoint may give one cotangent to several operands.
        """
        for operation in reversed(self.absorbed):
            if operation.parent is not None and not any(x.uses for x in operation.results):
                operation.parent.remove(operation)
                operation.set_reads(())

    def _mask(self, value: Value) -> Value | None:
        found = self.masks.get(value)
        return _selected(value) if found is None else found


def _selected(value: Value) -> Value | None:
    """Where a selection may differ from zero, or None: anywhere, or it is no selection."""
    source = value.owner
    if not isinstance(source, Operation) or source.prim.name != "where":
        return None
    condition, x, y = source.operands
    if is_zero(y):
        return condition
    if is_zero(x):
        return p.logical_not(condition)
    inner = _selected(y)  # where(c, x, where(d, y, 0)), as ties have it
    return None if inner is None else p.logical_or(condition, inner)


def _hands_on(part: Value, dout: Value) -> bool:
    """Whether the selection `part` gives `dout` itself: zeros of `dout` stay zeros."""
    source = part.owner
    return isinstance(source, Operation) and any(value is dout for value in source.operands[1:])


def _added_into(total: Value, source: Operation) -> Value | None:
    """`total` with what `source` puts among zeros added to it; None where it does not do that."""
    name, operands, attrs = source.prim.name, source.operands, source.attrs
    if name in INTO and attrs.get("reduce", "add") == "add" and is_zero(operands[0]):
        return source.prim(total, *operands[1:], **attrs)
    if name == "pad" and is_zero(operands[1]) and _is_window(attrs):
        return p.update_add(total, operands[0], *attrs["low"])
    return None


def _is_window(attrs: Mapping[str, Any]) -> bool:
    """Whether a `pad` leaves its operand in one piece, at a place that is known."""
    whole = all(n == 0 for n in attrs["interior"])
    return whole and all(isinstance(n, int) for n in attrs["low"])


def unless_zero(value: Value) -> Value | None:
    """`value`, or the absence of a cotangent where it is zero by the way it is made."""
    return None if is_zero(value) else value


def is_zero(value: Value) -> bool:
    """Whether `value` is made of zeros, as far as its operation tells."""
    source = value.owner
    if not isinstance(source, Operation):
        return False
    if source.prim.name == "zeros_like":
        return True
    if source.prim.name == "broadcast_to":  # how zeros of a symbolic shape are made
        return is_zero(source.operands[0])
    return source.prim.name == "const" and not np.any(source.attrs["value"])


def filled(total: Value | None, type: Type) -> Value:  # noqa: A002
    """`total`, or the zero of `type`: a loop carries a value, not its absence."""
    if total is not None:
        return total
    return p.stack_empty(of=type.element) if isinstance(type, StackType) else zeros(type)


def zeros(type: Any) -> Value:  # noqa: A002
    """Zeros of a tensor type."""
    return shape.filled(0, type)


def ones(type: Any) -> Value:  # noqa: A002
    """Seed of a result of a tensor type: its cotangent is one everywhere."""
    return shape.filled(1, type)


def drop(stack: Value | None) -> None:
    """Use up a stack that nobody needs any more."""
    if stack is not None:
        p.stack_drop(stack)


def reversed_range(start: Value, stop: Value, step: Value) -> tuple[Value, Value, Value]:
    """Bounds that count down what ``range(start, stop, step)`` counts up."""
    found = [_constant(x) for x in (start, stop, step)]
    if None not in found:
        down = range(*found)[::-1]  # type: ignore[arg-type]
        return p.const(down.start, i64), p.const(down.stop, i64), p.const(down.step, i64)
    towards = p.sub(step, p.sign(step))
    count = p.floor_div(p.add(p.sub(stop, start), towards), step)
    last = p.add(start, p.mul(p.sub(count, 1), step))
    return last, p.sub(start, step), p.neg(step)


def _constant(value: Value) -> int | None:
    source = value.owner
    if isinstance(source, Operation) and source.prim.name == "const":
        return int(source.attrs["value"])
    return None


def helpers(state: Cotangents) -> dict[str, Any]:
    """What one joint program finds under these names."""
    methods = (state.accumulate, state.contribution, state.elementwise, state.spread)
    return {f.__name__: f for f in (*methods, drop, filled, ones, reversed_range, unless_zero)}


def add(total: Value | None, value: Value | None) -> Value | None:
    """Sum of two tangents; an absent one is zero."""
    if total is None or value is None:
        return value if total is None else total
    return p.add(total, value)


def spread_tangent(value: Value | None, type: Type) -> Value | None:  # noqa: A002
    """A tangent in the shape of what it is the tangent of, where an operand was broadcast."""
    if value is None or not isinstance(type, TensorType) or same_type(value.type, type):
        return value
    return p.broadcast_to(value, shape=type.shape)


def tangent_helpers() -> dict[str, Any]:
    """What a tangent program finds under these names."""
    return {f.__name__: f for f in (add, filled, spread_tangent)}
