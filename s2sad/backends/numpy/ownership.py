"""Which operations may write into the memory of an operand?

`index_add`, `update` and their kind are pure in the IR: they give a new array. Where nobody reads
the old one afterwards, writing into its memory gives the same numbers without a copy; a loop that
adds into an accumulator stays linear that way. Whatever is not proved here is copied.

The analysis follows *buffers*: each operation that makes a new array makes one, and each value has
a set of those in which it may lie, of which it is a *holder*. A value may be overwritten when no
buffer of it is held by somebody who reads it later. Buffer `ELSEWHERE` stands for memory that
others hold, such as that of inputs, and is never written into. Constants are read-only arrays, and
so are all views of them: a write at run time goes to a copy (`kernel.overwrite`), so they have no
buffer at all. What is pushed on a stack is held by the stack from then on.

Branches belong to the region around them: what is dead after an `if` may be overwritten in it. The
body of a loop stands for itself, since it runs again: what it reads from outside stays as it is,
and of what it carries, those places may be overwritten whose value is held by nobody else at the
end of each turn. It is enough to prove that for one turn, assuming it at its beginning.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from s2sad.backends.base import last_reads
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import LOOPS
from s2sad.ir.primitive import Form, Primitive, Trait
from s2sad.ir.rewriter import captured_reads
from s2sad.ir.types import TensorType
from s2sad.prims.cast import cast
from s2sad.prims.dynamic import dynamic_slice
from s2sad.prims.effect import assert_, check_finite, print_, raise_
from s2sad.prims.index import gather, gather_elements, gather_nd
from s2sad.prims.queue import queue_keep, queue_report
from s2sad.prims.select import where
from s2sad.prims.shape import concat, pad
from s2sad.prims.summary import summarize

Buffers = frozenset[int]

#: Where arrays are that others hold.
ELSEWHERE: Buffers = frozenset((0,))
#: Where arrays are that nobody can write into.
NOWHERE: Buffers = frozenset()

#: Primitives that move elements, always into a new array.
COPYING: frozenset[Primitive] = frozenset(
    (where, concat, pad, gather, gather_elements, gather_nd, dynamic_slice)
)
#: Effects that keep nothing of what they see.
LOOKING: frozenset[Primitive] = frozenset(
    (print_, assert_, raise_, check_finite, queue_report, summarize)
)
#: Buffers in which one value may lie before it is given up; bounds the work.
MOST_BUFFERS = 16


@dataclass
class Ownership:
    """What was found for one function.

    Attributes
    ----------
    in_place : set of Operation
        May write into their first operand.
    guarded : dict of Operation to set of int
        Loops whose body may write into what they carry, with the places whose initial value
        others hold: it must go in read-only.
    overwritten : set of int
        Inputs, donated ones, into which is written.
    """

    in_place: set[Operation] = field(default_factory=set)
    guarded: dict[Operation, set[int]] = field(default_factory=dict)
    overwritten: set[int] = field(default_factory=set)

    def add(self, other: Ownership) -> None:
        """Take over what was found for a region."""
        self.in_place |= other.in_place
        self.guarded.update(other.guarded)


def ownership(function: Function) -> Ownership:
    """Operations of `function` that may write in place.

    A donated input is overwritten only where nothing can fail afterwards: parameters stay those of
    the last good step.
    """
    given_out = set(function.results)
    donated = [function.args[i] for i in function.donates if function.args[i] not in given_out]
    scope = _Scope(function.body, donated, {}, settled=_last_failure(function.body))
    scope.walk(function.body)
    scope.found.overwritten = {v.index for v in scope.written}
    return scope.found


def _last_failure(region: Region, end: int | None = None) -> int:
    """Place of the last operation, before `end`, that may fail or have an effect; -1 if none."""
    places = [
        place
        for place, operation in enumerate(region.operations[:end])
        if any(_can_fail(op) for op in operation.walk())
    ]
    return places[-1] if places else -1


def _last_of_step(body: Region) -> int:
    """Where a turn of a loop is settled: at once, unless the host keeps what a turn has left.

    Then what was kept stays as it is until nothing in the next turn can fail before it is kept.
    """
    ends = (i for i, operation in enumerate(body.operations) if operation.prim is queue_keep)
    end = next(ends, None)
    return -1 if end is None else _last_failure(body, end)


def _can_fail(operation: Operation) -> bool:
    return operation.prim.has(Trait.FALLIBLE) or operation.prim.has(Trait.EFFECT)


@dataclass
class _Loop:
    """What holds for a loop wherever it stands.

    Attributes
    ----------
    kept : frozenset of int
        Carried places that the body may overwrite.
    found : Ownership
        Inside of its regions.
    reads : list of Value
        What the regions read from outside.
    """

    kept: frozenset[int]
    found: Ownership
    reads: list[Value]


class _Level:
    """How far the walk is in a region that is being walked."""

    def __init__(self, region: Region) -> None:
        self.last = last_reads(region)
        self.place = -1


class _Scope:
    """Buffers of the values of one region and of the branches in it.

    Attributes
    ----------
    memory : dict of Value to frozenset of int
        Buffers in which each value may lie; what is not named here lies elsewhere.
    holders : dict of int to list of Value
        Values that may lie in each buffer.
    escaped : set of int
        Buffers that others hold as well.
    origin : dict of int to Value
        Buffers that came in with an argument.
    written : set of Value
        Those arguments into whose buffer something writes.
    """

    def __init__(
        self,
        region: Region,
        owned: Iterable[Value],
        loops: dict[Operation, _Loop],
        settled: int = -1,
    ) -> None:
        self.found = Ownership()
        self.region = region
        self.loops = loops
        self.settled = settled
        self.memory: dict[Value, Buffers] = {}
        self.holders: defaultdict[int, list[Value]] = defaultdict(list)
        self.escaped = set(ELSEWHERE)
        self.count = 0
        self.origin = {self._renew(value): value for value in owned}
        self.written: set[Value] = set()
        self.levels: list[_Level] = []

    # ---- the walk --------------------------------------------------------------------------

    def walk(self, region: Region) -> None:
        """Follow the operations of `region`, which is this one or a branch in it."""
        level = _Level(region)
        self.levels.append(level)
        for level.place, operation in enumerate(region.operations):
            self._step(operation)
        self.levels.pop()

    def _step(self, operation: Operation) -> None:
        form = operation.prim.form
        if form is Form.CONST:
            self.memory[operation.result] = NOWHERE
        elif form is Form.IF:
            self._branches(operation)
        elif form in LOOPS:
            self._loop(operation)
        elif operation.prim is queue_keep:
            for value, result in zip(operation.operands, operation.results, strict=True):
                self._hold(result, self.memory.get(value, ELSEWHERE))
        elif self._can_overwrite(operation):
            self._write(operation.operands[0])
            self.found.in_place.add(operation)
            self._renew(operation.result)
        elif _is_fresh(operation):
            for result in operation.results:
                self._renew(result)
        else:
            self._share(operation)

    def _share(self, operation: Operation) -> None:
        """The results may lie where the operands do, or be held by others."""
        for region in operation.regions.values():  # isolated: they read their arguments only
            inner = _Scope(region, (), self.loops)
            inner.walk(region)
            self.found.add(inner.found)
        values = [*operation.operands, *operation.results]
        buffers = self._union(operation.operands)
        if not _is_view(operation):
            buffers |= ELSEWHERE
        if any(not _is_array(v) for v in values) and operation.prim not in LOOKING:
            self.escaped |= buffers
        for result in operation.results:
            self._hold(result, buffers)

    def _branches(self, operation: Operation) -> None:
        regions = operation.regions.values()
        for region in regions:
            self.walk(region)
        yields = zip(*(region.yields for region in regions), strict=True)
        for result, sources in zip(operation.results, yields, strict=True):
            self._hold(result, self._union(sources))

    def _loop(self, operation: Operation) -> None:
        if operation not in self.loops:
            self.loops[operation] = _analyse(operation, self.loops)
        loop = self.loops[operation]
        self.found.add(loop.found)
        carried = _carried(operation)
        reads = [*operation.operands, *loop.reads]
        guarded = {i for i in loop.kept if not self._is_free(carried[i], operation, reads)}
        for i in loop.kept - guarded:
            self._write(carried[i])
        if guarded:
            self.found.guarded[operation] = guarded
        before = self._union([*carried, *loop.reads])
        if not all(map(_is_array, carried)):
            self.escaped |= before  # they may lie on a stack now
        # Others may have changed places, or be what the body has made in one of its turns.
        self.count += 1
        others = before | {self.count}
        for i, result in enumerate(operation.results):
            if i in guarded:
                self._hold(result, self.memory.get(carried[i], ELSEWHERE) | {self._renew(result)})
            elif i in loop.kept:
                self._renew(result)
            else:
                self._hold(result, others)

    # ---- buffers ---------------------------------------------------------------------------

    def _renew(self, value: Value) -> int:
        """Let `value` lie in a new buffer; its number."""
        self.count += 1
        self._hold(value, frozenset((self.count,)))
        return self.count

    def _hold(self, value: Value, buffers: Buffers) -> None:
        if _is_array(value):
            self.memory[value] = buffers
            for buffer in buffers:
                self.holders[buffer].append(value)

    def _union(self, values: Iterable[Value]) -> Buffers:
        """Buffers in which the arrays among `values` may lie; given up where those are many."""
        union = NOWHERE
        for value in values:
            if _is_array(value):
                buffers = self.memory.get(value, ELSEWHERE)
                union = union if buffers <= union else buffers | union
        if len(union) > MOST_BUFFERS:
            self.escaped |= union
            return ELSEWHERE
        return union

    def _write(self, value: Value) -> None:
        """Note that the buffers of `value` are overwritten."""
        self.written |= self._origins(value)

    def _origins(self, value: Value) -> set[Value]:
        """Arguments in whose buffers `value` may lie."""
        buffers = self.memory.get(value, ELSEWHERE)
        return {self.origin[buffer] for buffer in buffers if buffer in self.origin}

    def _can_overwrite(self, operation: Operation) -> bool:
        if operation.prim.in_place is None:
            return False
        target = operation.operands[0]
        if not self.memory.get(target, ELSEWHERE):  # read-only: nothing to gain
            return False
        return self._is_free(target, operation, operation.operands)

    def _is_free(self, value: Value, reader: Operation, reads: Sequence[Value]) -> bool:
        """Whether nobody sees the buffers of `value` after `reader`, which reads `reads`."""
        buffers = self.memory.get(value, ELSEWHERE)
        if not buffers:
            return True
        if self._is_alive(value) or sum(read is value for read in reads) > 1:
            return False
        if not buffers.isdisjoint(self.escaped) or not self._is_settled(buffers, reader):
            return False
        others = (v for buffer in buffers for v in self.holders[buffer] if v is not value)
        return not any(v in reads or self._is_alive(v) for v in others)

    def _is_alive(self, value: Value) -> bool:
        """Whether something after the present place may read `value`."""
        return any(level.last.get(value, -1) > level.place for level in self.levels)

    def _is_settled(self, buffers: Buffers, reader: Operation) -> bool:
        """Whether the memory of arguments may be lost: nothing can fail after `reader`.

        What fails itself does so before it writes.
        """
        if self.origin.keys().isdisjoint(buffers):
            return True
        place = self.levels[0].place
        is_last = place == self.settled and reader.parent is self.region and not reader.regions
        return place > self.settled or is_last

    # ---- the end of a turn -----------------------------------------------------------------

    def places_to_keep(self, kept: frozenset[int], count: int) -> frozenset[int]:
        """Of the carried places `kept`, those that are free at the end of a turn and of use.

        Of use are those into which something writes, and those whose value becomes one of them.
        """
        arguments = self.region.args[len(self.region.args) - count :]
        yields = self.region.yields[len(self.region.yields) - count :]
        place_of = {argument: i for i, argument in enumerate(arguments)}
        sources = {i: {place_of[v] for v in self._origins(yields[i])} for i in kept}
        free = {i for i in kept if self._is_free_at_end(yields[i], yields)}
        while bad := {i for i in free if not sources[i] <= free}:
            free -= bad
        useful = {place_of[argument] for argument in self.written} & free
        while more := {j for i in useful for j in sources[i]} - useful:
            useful |= more
        return frozenset(useful)

    def _is_free_at_end(self, value: Value, yields: Sequence[Value]) -> bool:
        buffers = self.memory.get(value, ELSEWHERE)
        if not buffers.isdisjoint(self.escaped):
            return False
        others = [v for v in yields if v is not value]
        twice = len(yields) - len(others) > 1
        held = any(v in others for buffer in buffers for v in self.holders[buffer])
        return not buffers or not (twice or held)


def _analyse(operation: Operation, loops: dict[Operation, _Loop]) -> _Loop:
    """What holds for a loop wherever it stands: the greatest set of places that proves itself."""
    body, count = operation.regions["body"], len(operation.results)
    arguments = body.args[len(body.args) - count :]
    writes = any(op.prim.in_place is not None for op in body.walk())
    kept = frozenset(i for i, v in enumerate(arguments) if writes and _is_array(v))
    while True:
        scope = _Scope(body, [arguments[i] for i in sorted(kept)], loops, _last_of_step(body))
        scope.walk(body)
        proved = scope.places_to_keep(kept, count)
        if proved == kept:
            break
        kept = proved
    for name, region in operation.regions.items():
        if name != "body":
            inner = _Scope(region, (), loops)
            inner.walk(region)
            scope.found.add(inner.found)
    return _Loop(kept, scope.found, captured_reads(operation))


def _carried(operation: Operation) -> tuple[Value, ...]:
    return operation.operands[len(operation.operands) - len(operation.results) :]


def _is_array(value: Value) -> bool:
    return isinstance(value.type, TensorType)


def _is_fresh(operation: Operation) -> bool:
    """Whether the results are new arrays that share no memory with anything."""
    prim = operation.prim
    if prim.is_composite or operation.regions or prim.has(Trait.EFFECT):
        return False
    if prim is cast:  # gives back what has the dtype already
        return operation.operands[0].dtype is not operation.result.dtype
    return not prim.has(Trait.MOVES) or prim in COPYING or prim.in_place is not None


def _is_view(operation: Operation) -> bool:
    """Whether the results lie where the operands do, or in arrays of their own."""
    prim = operation.prim
    if prim.is_composite or operation.regions or prim.has(Trait.EFFECT) or not operation.operands:
        return False
    return all(map(_is_array, operation.operands))
