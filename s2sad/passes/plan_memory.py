"""In which order do operations need the least memory?

Results depend on no order; how many arrays are alive at one time does. And what the caller's own
memory is overwritten by must come last, behind all that may fail: parameters stay those of the last
good step.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
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


def _late(order: list[Operation]) -> list[Operation]:
    """`order`, with what makes more than it lets go of just before its first reader."""
    place = {op: i for i, op in enumerate(order)}
    last: dict[Value, Operation] = {}
    readers: dict[Operation, list[Operation]] = {op: [] for op in order}
    for op in order:
        for value in outer_reads(op):
            last[value] = op
            if value.owner in readers:
                readers[value.owner].append(op)  # type: ignore[index]
    # Where each goes: behind what goes before it, which is told by a longer path.
    paths: dict[Operation, tuple[float, ...]] = {}
    for op in reversed(order):  # readers first: they may move as well
        ending = _bytes(dict.fromkeys(v for v in outer_reads(op) if last[v] is op))
        moves = readers[op] and not is_fixed(op) and ending < _bytes(op.results)
        before = min(paths[reader] for reader in readers[op])[:-1] if moves else ()
        paths[op] = (*before, place[op], inf)
    return sorted(order, key=paths.__getitem__)


def _updates_placed(function: Function, order: list[Operation]) -> list[Operation]:
    """`order`, with what makes new values of donated inputs where it should stand."""
    held = {function.results[result]: function.args[i] for i, result in function.donates.items()}
    updates = [op for op in order if any(v in held for v in op.results) and not is_fixed(op)]
    if not updates:
        return order
    for op in updates:
        order = _placed(op, order, [held[v] for v in op.results if v in held])
    return order


def _placed(op: Operation, order: list[Operation], old: list[Value]) -> list[Operation]:
    rest = [each for each in order if each is not op]
    place = {each: i for i, each in enumerate(rest)}
    owners = {value.owner for value in outer_reads(op)}
    needed = [place[owner] for owner in owners if owner in place]
    reading = [i for i, each in enumerate(rest) if any(v in old for v in outer_reads(each))]
    failing = [i for i, each in enumerate(rest) if is_fixed(each)]
    readers = [
        i for i, each in enumerate(rest) if any(v.owner is op for v in outer_reads(each))
    ]  # fmt: skip
    at = max([*needed, *reading, *failing], default=-1) + 1
    if readers and min(readers) < at:
        return order  # what comes before reads the new value
    return [*rest[:at], op, *rest[at:]]
