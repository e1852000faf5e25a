"""What does the backward sweep compute again, so that the program needs less memory?

A minimum cut between the inputs and what the backward sweep reads says which values are kept: each
costs its bytes, and each operation that runs again its price. In a chain of like layers all values
look the same, so that all are kept or none; segments say of some that they are kept in any case,
and what lies between two of them is computed again together, when the backward sweep comes there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, ClassVar

from s2sad.autodiff.cut import is_cheap, run_again, typical_bytes
from s2sad.ir.clone import copy_operation
from s2sad.ir.graph import Function, Operation, Region, Use, Value
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.rewriter import Rewriter, outer_reads
from s2sad.ir.types import TensorType
from s2sad.passes.base import Pass
from s2sad.passes.dce import Dce
from s2sad.passes.work import flops, weight
from s2sad.prims.marker import barrier

#: For so many operations on numbers `Recompute.price` is.
UNIT = 4096
#: A price at which only what is cheap runs again.
CHEAP_ONLY = 1 << 40


@dataclass(frozen=True)
class Recompute(Pass):
    """Let the backward sweep compute values of the forward one again, and not keep them.

    Before:  t = p.tanh(x); ...; dx = p.mul(dt, t)
    After:   t = p.tanh(x); ...; x_1 = p.barrier(x); t_1 = p.tanh(x_1); dx = p.mul(dt, t_1)

    Attributes
    ----------
    segments : int
        In how many parts the forward sweep is cut; what goes from one into the next is kept.
    price : int
        How many bytes are kept rather than that `UNIT` operations on numbers run again.
    """

    name: ClassVar[str] = "recompute"

    segments: int = 1
    price: int = CHEAP_ONLY

    def run(self, function: Function, rewriter: Rewriter) -> None:
        begin = backward_begin(function)
        if begin is None:
            return
        chosen = choice(function, self.segments, self.price)
        order = list(function.body.operations)
        with rewriter.step(f"compute {len(chosen)} operations again", order[begin]):
            sweeps = _Sweeps(function, rewriter, begin)
            sweeps.copy(chosen)
            sweeps.keep_apart()
        Dce().run(function, rewriter)


def backward_begin(function: Function) -> int | None:
    """Place of the first operation of the backward sweep; None where there is none."""
    for place, operation in enumerate(function.body.operations):
        if any(op.loc is not None and op.loc.is_adjoint for op in operation.walk()):
            return place
    return None


def choice(function: Function, segments: int, price: int) -> list[Operation]:
    """The operations that run again, in program order."""
    begin = backward_begin(function)
    if begin is None:
        return []
    order = list(function.body.operations)
    early, late = order[:begin], order[begin:]
    reads = {operation: outer_reads(operation) for operation in order}
    inside = set(early)
    read = dict.fromkeys(
        value for operation in late for value in reads[operation] if value.owner in inside
    )
    kept = {*function.args, *function.results, *_states(early, reads, segments)}
    kept.update(v for v in read if not isinstance(v.type, TensorType))

    def priced(operation: Operation) -> int | None:
        if operation.prim.form is Form.CONST or operation not in inside or not is_pure(operation):
            return None
        return 0 if is_cheap(operation) else cost(operation) * price // UNIT

    again = run_again(read, kept | _constants(early), reads, priced)
    return [operation for operation in early if operation in again]


def is_pure(operation: Operation) -> bool:
    """Whether `operation` may run twice, and is worth to be looked at."""
    prim = operation.prim
    if operation.regions or prim.has(Trait.EFFECT) or prim.has(Trait.FALLIBLE):
        return False
    return all(isinstance(v.type, TensorType) for v in (*operation.operands, *operation.results))


def cost(operation: Operation) -> int:
    """Operations on numbers that it takes to run it; a guess where types do not tell."""
    known = flops(operation)
    return 64 * weight(operation) if known is None else known


def _constants(operations: Sequence[Operation]) -> set[Value]:
    return {op.result for op in operations if op.prim.form is Form.CONST}


def _states(
    order: Sequence[Operation], reads: dict[Operation, list[Value]], segments: int
) -> set[Value]:
    """What goes from one segment of `order` into the next.

    Segments end where little does, near places that leave the same number of bytes between them.
    """
    if segments < 2:
        return set()
    last = {value: place for place, op in enumerate(order) for value in reads[op]}
    places = {op: place for place, op in enumerate(order)}
    crossing = [
        (value, places[op], last[value])
        for op in order if op.prim.form is not Form.CONST
        for value in op.results if value in last
    ]  # fmt: skip
    changes = [0] * (len(order) + 1)
    for value, begin, end in crossing:  # alive before the operations begin + 1 ... end
        changes[begin + 1] += typical_bytes(value.type)
        changes[min(end + 1, len(order))] -= typical_bytes(value.type)
    alive = list(accumulate(changes))
    made = list(accumulate(sum(typical_bytes(v.type) for v in op.results) for op in order))
    found: set[Value] = set()
    for number in range(1, segments):
        target, width = made[-1] * number / segments, made[-1] / (4 * segments)
        near = [p for p in range(1, len(order)) if abs(made[p - 1] - target) <= width]
        if near:
            cut = min(near, key=lambda place: (alive[place], abs(made[place - 1] - target)))
            found.update(value for value, begin, end in crossing if begin < cut <= end)
    return found


class _Sweeps:
    """The two sweeps of a program, of which the later one is changed.

    Attributes
    ----------
    order : list of Operation
        As the program was.
    number : dict of Operation to int
        Their places; of a copy that of what it stands before.
    begin : int
        Where the backward sweep begins.
    """

    def __init__(self, function: Function, rewriter: Rewriter, begin: int) -> None:
        self.region = function.body
        self.rewriter = rewriter
        self.order = list(self.region.operations)
        self.number = {operation: place for place, operation in enumerate(self.order)}
        self.begin = begin

    def copy(self, chosen: Sequence[Operation]) -> None:
        """Let the backward sweep read copies of `chosen`, each just before who reads it first."""
        uses = {value: self._late(value) for op in chosen for value in op.results}
        spots: dict[Operation, int] = {}
        for operation in reversed(chosen):
            late = [self._place(use.user) for value in operation.results for use in uses[value]]
            readers = {use.user for value in operation.results for use in value.uses}
            spots[operation] = min([*late, *(spots[r] for r in readers if r in spots)])
        copies: dict[Value, Value] = {}
        for operation in sorted(chosen, key=lambda op: (spots[op], self.number[op])):
            copy = copy_operation(operation, copies)
            if operation.loc is not None:
                copy.loc = replace(operation.loc, is_adjoint=True)
            self.rewriter.insert_before(self.order[spots[operation]]).add(copy)
            self.number[copy] = spots[operation]
        for value, late in uses.items():
            for use in late:
                self.rewriter.set_operand(use.user, use.index, copies[value])

    def keep_apart(self) -> None:
        """Let the backward sweep read what is kept of the forward one behind a barrier.

        Else what it computes of that would be fused into what makes it, and be kept as well.
        """
        self.number = {operation: place for place, operation in enumerate(self.region.operations)}
        for operation in self.order[: self.begin]:
            if operation.prim.form is Form.CONST:
                continue
            for value in operation.results:
                late = self._late(value) if isinstance(value.type, TensorType) else []
                if late:
                    first = min(late, key=lambda use: self._place(use.user))
                    place = self.rewriter.insert_before(self._top(first.user))
                    kept = place.emit(barrier, [value], {})
                    for use in late:
                        self.rewriter.set_operand(use.user, use.index, kept)

    def _late(self, value: Value) -> list[Use]:
        """Who reads `value` in the backward sweep; a result of the program stays what it is."""
        return [use for use in value.uses if self._place(use.user) >= self.begin]

    def _place(self, user: Operation | Region) -> int:
        """Place of `user`, or of the operation in whose regions it is; -1 for the program's end."""
        return -1 if user is self.region else self.number[self._top(user)]

    def _top(self, user: Operation | Region) -> Operation:
        """The operation of the body that `user` is, or in whose regions it is."""
        owner: Any = user if isinstance(user, Operation) else user.parent
        while owner.parent is not self.region:
            owner = owner.parent.parent
        return owner
