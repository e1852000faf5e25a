"""How much memory do the tapes of a program need at most?

A tape is a stack; loops push on it. It holds no more than what is pushed from where it is made on:
once for each pass of the loops that are around the push and not around the tape.
"""

from __future__ import annotations

from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import carried, is_loop
from s2sad.ir.primitive import Form
from s2sad.ir.types import StackType
from s2sad.passes.facts import constant, trip_count
from s2sad.prims import marker
from s2sad.prims.arithmetic import add, maximum, minimum

#: In place of a number of bytes that nobody knows while compiling.
ENDLESS = float("inf")


def tape_bytes(function: Function) -> int | float:
    """Bytes of all tapes together at most; without end where data say how often a loop pushes."""
    total: int | float = 0
    for operation in function.walk():
        if operation.prim.form is Form.PUSH:
            total += _bytes(operation) * _times(operation)
    return total


def _bytes(push: Operation) -> int | float:
    type_ = push.operands[0].type
    assert isinstance(type_, StackType)
    size = type_.element.nbytes
    return size if isinstance(size, int) else ENDLESS


def _times(push: Operation) -> int | float:
    """How often `push` runs at most while its tape is there."""
    home = _made(push.operands[0])
    times: int | float = 1
    region = push.parent
    while region is not None and region is not home:
        owner = region.parent
        if not isinstance(owner, Operation):
            break
        if is_loop(owner):
            count = longest(owner)
            times *= ENDLESS if count is None else count
        region = owner.parent
    return times


def _made(stack: Value) -> Region | None:
    """The region in which the tape was made that is `stack` by now."""
    while True:
        owner = stack.owner
        if isinstance(owner, Region):
            loop = owner.parent
            if not isinstance(loop, Operation) or not is_loop(loop):
                return owner
            places = [place for place in carried(loop) if stack in place.args]
            stack = places[0].initial
        elif is_loop(owner):
            stack = carried(owner)[stack.index].initial
        elif owner.prim.form is Form.IF:
            stack = next(iter(owner.regions.values())).yields[stack.index]
        elif owner.operands:
            stack = owner.operands[0]
        else:
            return owner.parent


# ---- loops whose number of passes has a bound ----------------------------------------------------


def longest(loop: Operation) -> int | None:
    """How often a loop runs at most; None where data say it.

    A segment of a loop has a bound: it ends at the end of the loop, or so many passes further.
    """
    if loop.prim.form is not Form.FOR:
        return None
    known, step = trip_count(loop), constant(loop.operands[2])
    if known is not None or not step:
        return known
    start, stop = (_Seen(value) for value in loop.operands[:2])
    stop = stop.root()
    if stop.prim is not add:
        return None
    nearer = minimum if step > 0 else maximum
    one, other = stop.operands()
    for begin, length in ((one, other), (other, one)):
        if begin.root() == start.root() and length.root().prim is nearer:
            bounds = [constant(part.root().value) for part in length.root().operands()]
            found = [len(range(0, int(bound), int(step))) for bound in bounds if bound is not None]
            return min(found, default=None)
    return None


class _Seen:
    """A value as it is seen from outside of fused operations."""

    def __init__(self, value: Value, around: dict[Value, _Seen] | None = None) -> None:
        self.value = value
        self.around = around or {}

    def root(self) -> _Seen:
        """Where it comes from: past arguments and results of fused operations, and barriers."""
        seen = self
        while True:
            owner = seen.value.owner
            if seen.value in seen.around:
                seen = seen.around[seen.value]
            elif not isinstance(owner, Operation):
                return seen
            elif owner.prim is marker.barrier:
                seen = _Seen(owner.operands[0], seen.around)
            elif owner.prim is marker.fused:
                body = owner.regions["body"]
                outer = [_Seen(value, seen.around) for value in owner.operands]
                inner = dict(zip(body.args, outer, strict=True))
                seen = _Seen(body.yields[seen.value.index], inner)
            else:
                return seen

    @property
    def prim(self) -> object:
        return self.value.owner.prim if isinstance(self.value.owner, Operation) else None

    def operands(self) -> list[_Seen]:
        """Those of the operation that makes it."""
        assert isinstance(self.value.owner, Operation)
        return [_Seen(value, self.around) for value in self.value.owner.operands]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Seen) and self.value is other.value

    __hash__ = None  # type: ignore[assignment]
