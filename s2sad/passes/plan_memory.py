"""In which order do operations need the least memory?

Results depend on no order; how many arrays are alive at one time does. And what the caller's own
memory is overwritten by must come last, behind all that may fail: parameters stay those of the last
good step.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.rewriter import Rewriter, outer_reads
from s2sad.ir.types import TensorType
from s2sad.passes.base import Pass


@dataclass(frozen=True)
class PlanMemory(Pass):
    """Order operations so that little is alive at one time, and state is overwritten last.

    Before:  t = p.neg(w); ...; updated = p.sub(w, g); p.assert_(token, ok); y = p.matmul(x, t)
    After:   ...; p.assert_(token, ok); t = p.neg(w); y = p.matmul(x, t); updated = p.sub(w, g)

    What lets go of nothing moves down to its first reader. What makes the new value of a donated
    input moves to where its operands are known and the old value is no longer read, which lets go
    of its gradient; but not above what may fail.
    """

    name: ClassVar[str] = "plan-memory"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        for region in list(_regions(function.body)):
            order = list(region.operations)
            new = _updates_placed(function, _late(order))
            if new != order:
                with rewriter.step("order operations", order[0]):
                    rewriter.reorder(region, new)


def _regions(region: Region) -> Iterable[Region]:
    yield region
    for operation in region.operations:
        if operation.prim.form in (Form.IF, Form.WHILE, Form.FOR):
            for inner in operation.regions.values():
                yield from _regions(inner)


def is_fixed(operation: Operation) -> bool:
    """Whether an operation stays where it is: an effect, what may fail, what is a stack's."""
    return any(
        op.prim.has(Trait.EFFECT) or op.prim.has(Trait.FALLIBLE)
        or any(not isinstance(v.type, TensorType) for v in (*op.operands, *op.results))
        for op in operation.walk()
    )  # fmt: skip


def _bytes(values: Iterable[Value]) -> int:
    sizes = [v.type.nbytes for v in values if isinstance(v.type, TensorType)]
    return sum(size for size in sizes if isinstance(size, int))


def _readers(order: list[Operation]) -> dict[Value, list[Operation]]:
    """Who reads each value, itself or in a region, in this order."""
    readers: dict[Value, list[Operation]] = {}
    for op in order:
        for value in outer_reads(op):
            readers.setdefault(value, []).append(op)
    return readers


def _late(order: list[Operation]) -> list[Operation]:
    """`order`, with what makes more than it lets go of just before its first reader."""
    readers = _readers(order)
    end = _Spot(None, 0)
    spots: dict[Operation, _Spot] = {}
    for op in reversed(order):  # readers first: they may move as well
        spot = end
        ending = _bytes(v for v in outer_reads(op) if readers[v][-1] is op)
        if ending < _bytes(op.results) and not is_fixed(op):
            for reader in (each for v in op.results for each in readers.get(v, ())):
                if spot is end or spots[reader].is_before(spot):
                    spot = spots[reader]
        spots[op] = _Spot(op, len(spots), spot)
    return end.operations()


class _Spot:
    """Where an operation goes, as a tree: just before another, or, before the end, where it stood.

    Attributes
    ----------
    number : int
        Counted from the last operation of the old order.
    before : _Spot
    others : list of _Spot
        What goes just before this, the last of them first.
    far : _Spot
        One that this is before as well, so that the way to the end has few steps (Myers, An
        applicative random-access stack, 1983).
    """

    def __init__(self, op: Operation | None, number: int, before: _Spot | None = None) -> None:
        self.op = op
        self.number = number
        self.before = before or self
        self.others: list[_Spot] = []
        self.depth, self.far = 0, self
        if before is not None:
            before.others.append(self)
            far = before.far
            is_pair = before.depth - far.depth == far.depth - far.far.depth
            self.depth, self.far = before.depth + 1, far.far if is_pair else before

    def is_before(self, other: _Spot) -> bool:
        """Whether this comes before `other`."""
        depth = min(self.depth, other.depth)
        one, two = self._up_to(depth), other._up_to(depth)
        if one is two:
            return self.depth > other.depth
        while one.before is not two.before:
            is_far = one.far is not two.far
            one, two = (one.far, two.far) if is_far else (one.before, two.before)
        return one.number > two.number

    def _up_to(self, depth: int) -> _Spot:
        spot = self
        while spot.depth > depth:
            spot = spot.far if spot.far.depth >= depth else spot.before
        return spot

    def operations(self) -> list[Operation]:
        """All that goes before this, in order."""
        found, todo = [], [*self.others[::-1]]
        while todo:
            spot = todo.pop()
            found.append(spot.op)
            todo.extend(spot.others[::-1])
        return found[::-1]  # type: ignore[return-value]


def _updates_placed(function: Function, order: list[Operation]) -> list[Operation]:
    """`order`, with what makes new values of donated inputs where it should stand."""
    held = {function.results[result]: function.args[i] for i, result in function.donates.items()}
    updates = [op for op in order if any(v in held for v in op.results) and not is_fixed(op)]
    if not updates:
        return order
    readers = _readers(order)
    keys: dict[Operation, tuple[int, ...]] = {op: (i,) for i, op in enumerate(order)}
    failing = max((keys[op] for op in order if is_fixed(op)), default=(-1,))
    for number, op in enumerate(updates):
        needed = [value.owner for value in outer_reads(op) if value.owner in keys]
        old = [held[value] for value in op.results if value in held]
        reading = [each for value in old for each in readers.get(value, ()) if each is not op]
        behind = max([failing, *(keys[each] for each in (*needed, *reading))])  # type: ignore[index]
        using = [each for value in op.results for each in readers.get(value, ())]
        if all(keys[each] > behind for each in using):  # else what comes before reads the new value
            keys[op] = (*behind, ~number)  # right behind, before what was put there already
    return sorted(order, key=keys.__getitem__)
