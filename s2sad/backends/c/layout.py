"""Where does each value lie, and what is moved for that?

A *slot* is a place that values take one after the other: a part of the arena, an input, a result
that the caller gets, a constant. What an operation makes goes

- where its reader wants it: into the caller's memory, or into that of the loop that carries it;
- else where an operand lies that nobody reads any more, if the operation can work in place;
- else into a new slot of the arena, whose parts are shared by slots that are not alive at one time.

A loop keeps each carried value in one slot. What its body yields is computed there if the value
before is not read afterwards; else into a second slot, and the two change places.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from s2sad.backends.base import nbytes
from s2sad.backends.c.lifetimes import ALIASES, Lifetimes
from s2sad.backends.c.lowering import STACKS, Kernel, Lowered
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import carried, is_loop
from s2sad.ir.primitive import Form
from s2sad.ir.types import StackType, TensorType
from s2sad.passes.effects import can_fail
from s2sad.passes.facts import is_constant
from s2sad.prims import control
from s2sad.prims.queue import queue_keep

#: Values up to so many bytes are copied from pass to pass; larger ones change places.
SMALL = 256
#: Slots of the arena begin at multiples of that many bytes.
ALIGNMENT = 64
#: Slots up to that many are placed in several orders, of which the best is kept.
MOST_TRIED = 1000


@dataclass(eq=False)
class Slot:
    """A place that values take one after the other.

    Attributes
    ----------
    kind : str
        ``ARENA``, ``INPUT``, ``OUTPUT``, ``CONSTANT`` or ``NOWHERE``: only a pointer to another.
    at : int
        Offset in bytes in the arena, or number of the kind.
    nbytes : int
    start, end : int
        Places in program order between which it holds something.
    """

    kind: str
    at: int
    nbytes: int
    start: int
    end: int
    number: int = -1


@dataclass
class Step:
    """One step of the table; see `s2_step` in ``s2sad.h``."""

    op: str
    slots: list[Slot] = field(default_factory=list)
    target: Label | None = None
    operation: Operation | None = None
    kernel: Kernel | None = None
    extent: int = 1


@dataclass(eq=False)
class Label:
    """A place among the steps, known once the step there is."""

    at: int = -1


class Layout:
    """Slots and steps of a function.

    Attributes
    ----------
    slots : list of Slot
    steps : list of Step
    constants : list of Value
        Those that need memory, in the order of their numbers.
    arena : int
        Bytes.
    overwrites : set of int
        Donated inputs that may lie where their result does.
    stack_results : dict of int to Slot
        Results that are stacks.
    overwriting : set of Operation
        What is computed where the state lies that the step of a sink before has left.
    """

    def __init__(self, function: Function, lowered: Mapping[Operation, Lowered]) -> None:
        self.function = function
        self.lowered = lowered
        self.lives = Lifetimes(function)
        self.slots: list[Slot] = []
        self.steps: list[Step] = []
        self.constants: list[Value] = []
        self.place: dict[Value, Slot] = {}
        self.wanted: dict[Value, Slot] = {}
        self.end = self.lives.end[function.body]
        self.stack_results: dict[int, Slot] = {}
        self.overwriting: set[Operation] = set()
        self._inputs()
        outputs = self._outputs()
        self._region(function.body)
        self._give_out(outputs)
        self.overwrites = self._overwrites(outputs)
        self.arena = assign([slot for slot in self.slots if slot.kind == "ARENA"])

    # ---- slots -----------------------------------------------------------------------------

    def _slot(self, kind: str, at: int, size: int, start: int, end: int) -> Slot:
        slot = Slot(kind, at, size, start, end, len(self.slots))
        self.slots.append(slot)
        return slot

    def _new(self, size: int, start: int, end: int) -> Slot:
        return self._slot("ARENA", 0, size, start, end)

    def _inputs(self) -> None:
        for number, value in enumerate(self.function.args):
            if isinstance(value.type, (TensorType, StackType)):
                self.place[value] = self._slot("INPUT", number, nbytes(value), 0, self.end)

    def _outputs(self) -> dict[int, Slot]:
        outputs = {}
        for number, value in enumerate(self.function.results):
            if isinstance(value.type, TensorType):
                outputs[number] = self._slot("OUTPUT", number, nbytes(value), 0, self.end)
                content = self.lives.content(value)
                if self._is_made_in(content, self.function.body):
                    self.wanted.setdefault(content, outputs[number])
        return outputs

    def at(self, value: Value) -> Slot:
        """Where `value` lies."""
        content = self.lives.content(value)
        if content not in self.place and is_constant(content):
            number = len(self.constants)
            self.constants.append(content)
            self.place[content] = self._slot("CONSTANT", number, nbytes(content), 0, self.end)
        return self.place[content]

    def _put(self, value: Value, slot: Slot) -> None:
        """Let `value` lie in `slot`."""
        self.place[value] = slot
        slot.end = max(slot.end, self.lives.last(value))

    def _is_made_in(self, content: Value, region: Region) -> bool:
        owner = content.owner
        if not isinstance(owner, Operation) or is_constant(content):
            return False
        return owner.parent is region and isinstance(content.type, TensorType)

    # ---- steps -----------------------------------------------------------------------------

    def _step(self, op: str, *slots: Slot, **more: object) -> None:
        self.steps.append(Step(op, list(slots), **more))  # type: ignore[arg-type]

    def _mark(self, label: Label) -> None:
        label.at = len(self.steps)

    def _copy(self, source: Slot, target: Slot) -> None:
        if source is not target:
            self._step("COPY", source, target, extent=target.nbytes)

    def _region(self, region: Region) -> None:
        for operation in region.operations:
            if operation.prim.form is Form.CONST or operation.prim in ALIASES:
                continue
            if operation.prim.form is Form.IF:
                self._if(operation)
            elif is_loop(operation):
                self._loop(operation)
            elif operation.prim in STACKS:
                self._stack(operation)
            else:
                self._leaf(operation)

    def _leaf(self, operation: Operation) -> None:
        lowered, place = self.lowered[operation], self.lives.enter[operation]
        taken: set[Slot] = set()
        for index, value in enumerate(lowered.outputs):
            slot = self.wanted.get(value) or self._on_stack(value)
            slot = slot or self._in_place(operation, lowered, index, taken)
            if slot is None:
                slot = self._new(nbytes(value), place, place)
            taken.add(slot)
            self._put(value, slot)
        scratch = [self._new(nbytes(value), place, place) for value in lowered.scratch]
        slots = [*map(self.at, lowered.inputs), *map(self.at, lowered.outputs), *scratch]
        if operation.prim is queue_keep:
            self._hold(operation)
        if isinstance(lowered, Kernel):
            for kernel in filter(None, (lowered, lowered.finish)):
                self._step("CALL", *slots, operation=operation, kernel=kernel, extent=kernel.extent)
        else:
            self._step("HOST", *slots, operation=operation)

    def _in_place(
        self, operation: Operation, lowered: Lowered, index: int, taken: set[Slot]
    ) -> Slot | None:
        """The slot of an operand that dies here and that the result may take."""
        for i, o in sorted(lowered.in_place):
            if o != index:
                continue
            content = self.lives.content(lowered.inputs[i])
            slot = self.at(content)
            is_own = slot.kind == "ARENA" and slot not in taken
            is_made = isinstance(content.owner, Operation) and not is_constant(content)
            if is_own and is_made and self._takes(lowered, i, content, operation):
                return slot
        return None

    def _takes(
        self, lowered: Lowered, index: int, content: Value, operation: Operation
    ) -> bool:  # fmt: skip
        """Whether nobody reads `content`, input `index`, but `operation`, and that only there."""
        readers = [v for v in lowered.inputs if self.lives.content(v) is content]
        return len(readers) == 1 and self.lives.last(content) <= self.lives.enter[operation]

    # ---- may it lie there? -----------------------------------------------------------------

    def can_take(self, value: Value, content: Value, window: tuple[int, int] | None = None) -> bool:
        """Whether `value` may be computed where `content` lies, by when and by whom that is read.

        Parameters
        ----------
        value, content : Value
        window : (int, int), optional
            Only reads between these places count.
        """
        made, content = self.lives.content(value), self.lives.content(content)
        if made is content:
            return True
        owner = made.owner
        if not isinstance(owner, Operation) or is_constant(made):
            return False
        reads = self.lives.uses(content)
        if window is not None:
            reads = [place for place in reads if window[0] <= place <= window[1]]
        last = max(reads, default=-1)
        if last < self.lives.enter[owner]:
            return True
        if owner.prim.form is Form.IF:
            return self._branches_can_take(owner, made.index, content, last)
        if last > self.lives.enter[owner]:
            return False
        if is_loop(owner):
            initial = [self.lives.content(place.initial) for place in carried(owner)]
            operands = [self.lives.content(v) for v in owner.operands]
            return initial[made.index] is content and operands.count(content) == 1
        if owner.prim in STACKS:
            return False
        lowered = self.lowered[owner]
        index = lowered.outputs.index(made)
        inputs = [self.lives.content(v) for v in lowered.inputs]
        return inputs.count(content) == 1 and (inputs.index(content), index) in lowered.in_place

    def _branches_can_take(
        self, operation: Operation, index: int, content: Value, last: int
    ) -> bool:  # fmt: skip
        if last > self.lives.leave[operation]:
            return False
        if self.lives.content(operation.operands[0]) is content:
            return False
        return all(
            self._branch_can_take(region, region.yields[index], content)
            for region in operation.regions.values()
        )

    def _branch_can_take(self, region: Region, value: Value, content: Value) -> bool:
        made = self.lives.content(value)
        if made is not content and not self._is_made_in(made, region):
            return False
        window = self.lives.begin[region], self.lives.end[region]
        return self.can_take(made, content, window)

    def keep_in(self, kept: Value, argument: Value, slot: Slot) -> None:
        """Let what a step keeps be computed where it is kept, if nothing can fail until then."""
        owner = kept.owner
        assert isinstance(owner, Operation) and owner.parent is not None
        if owner.prim is not queue_keep:
            return
        source = self.lives.content(owner.operands[kept.index])
        if not self._is_made_in(source, owner.parent) or source in self.wanted:
            return
        first, last = self.lives.enter[source.owner], self.lives.enter[owner]  # type: ignore[index]
        failing = any(
            first < self.lives.leave[op] < last for op in owner.parent.walk()
            if op in self.lives.leave and self._fails(op)
        )  # fmt: skip
        if not failing and self.can_take(source, argument):
            self.wanted[source] = slot
            self.overwriting.add(source.owner)  # type: ignore[arg-type]

    def _hold(self, keep: Operation) -> None:
        """Let nothing else lie where a step has left its state, while the next one may need it."""
        loop = keep.parent.parent if keep.parent is not None else None
        if not isinstance(loop, Operation):
            return
        for value in self.lowered[keep].outputs:
            slot = self.at(value)
            slot.start = min(slot.start, self.lives.enter[loop])
            slot.end = max(slot.end, self.lives.leave[loop])

    def is_torn(self, step: int) -> bool:
        """Whether a step of a sink that ends at `step`, for want of memory, has spoilt its state.

        What can fail otherwise comes before all that is written over the state.
        """
        before = [each.operation for each in self.steps[: step + 1]]
        is_kept = any(op is not None and op.prim is queue_keep for op in before[:-1])
        return not is_kept and not self.overwriting.isdisjoint(before)

    # ---- branches --------------------------------------------------------------------------

    def _if(self, operation: Operation) -> None:
        begin = self.lives.enter[operation]
        slots = self._result_slots(operation, begin)
        orelse, end = Label(), Label()
        self._step("UNLESS", self.at(operation.operands[0]), target=orelse, operation=operation)
        regions = list(operation.regions.values())
        for number, region in enumerate(regions):
            if number == 1:
                self._step("JUMP", target=end)
                self._mark(orelse)
            self._branch(operation, region, slots)
        self._mark(end)

    def _branch(self, operation: Operation, region: Region, slots: Sequence[Slot | None]) -> None:
        for value, slot in zip(region.yields, slots, strict=True):
            content = self.lives.content(value)
            if slot is not None and self._is_made_in(content, region):
                self.wanted.setdefault(content, slot)
        self._region(region)
        for value, slot in zip(region.yields, slots, strict=True):
            if slot is None:
                continue
            if isinstance(value.type, StackType):
                self._alias(self.at(value), slot)
            else:
                self._copy(self.at(value), slot)

    def _result_slots(self, operation: Operation, begin: int) -> list[Slot | None]:
        """A slot for each result of an operation with regions; None for a token."""
        slots: list[Slot | None] = []
        for value in operation.results:
            slot = None
            if isinstance(value.type, TensorType):
                slot = self.wanted.get(value) or self._new(nbytes(value), begin, begin)
            elif isinstance(value.type, StackType):
                slot = self._pointer()
            if slot is not None:
                self._put(value, slot)
            slots.append(slot)
        return slots

    def _pointer(self) -> Slot:
        return self._slot("NOWHERE", 0, 0, 0, self.end)

    def _alias(self, source: Slot, target: Slot) -> None:
        if source is not target:
            self._step("ALIAS", source, target)

    # ---- loops -----------------------------------------------------------------------------

    def _loop(self, operation: Operation) -> None:
        begin, end = self.lives.enter[operation], self.lives.leave[operation]
        places = carried(operation)
        slots = [self._carried_slot(operation, place.result, place.initial) for place in places]
        for place, slot in zip(places, slots, strict=True):
            if slot is None:
                continue
            for value in (*place.args, place.result):
                self._put(value, slot)
            slot.end = max(slot.end, end)
            move = self._alias if isinstance(place.result.type, StackType) else self._copy
            move(self.at(place.initial), slot)
        body = list(operation.regions.values())[-1]
        moves = _Moves(self, begin, end)
        for place, slot in zip(places, slots, strict=True):
            if slot is not None:
                moves.add(body, place.argument, place.yielded, slot)
        moves.begin()
        if operation.prim.form is Form.FOR:
            self._for(operation, body, moves)
        else:
            self._while(operation, body, moves)
        moves.settle()

    def _carried_slot(self, operation: Operation, result: Value, initial: Value) -> Slot | None:
        """Where a carried value lies: where it is wanted, or where its initial value may go."""
        if isinstance(result.type, StackType):
            return self._pointer()
        if not isinstance(result.type, TensorType):
            return None
        begin = self.lives.enter[operation]
        wanted = self.wanted.get(result)
        if wanted is not None:
            return wanted
        content = self.lives.content(initial)
        slot = self.at(content)
        times = sum(self.lives.content(v) is content for v in operation.operands)
        is_free = (
            slot.kind == "ARENA" and isinstance(content.owner, Operation)
            and times == 1 and self.lives.last(content) <= begin
        )  # fmt: skip
        return slot if is_free else self._new(nbytes(result), begin, begin)

    def _for(self, operation: Operation, body: Region, moves: _Moves) -> None:
        begin, end = self.lives.enter[operation], self.lives.leave[operation]
        counter, index = self._new(24, begin, end), self._new(8, begin, end)
        self._put(body.args[0], index)
        bounds = [self.at(value) for value in operation.operands[:3]]
        top, out = Label(), Label()
        self._step("FOR", counter, *bounds, index, target=out, operation=operation)
        self._mark(top)
        self._region(body)
        moves.step()
        self._step("NEXT", counter, *bounds, index, target=top, operation=operation)
        self._mark(out)

    def _while(self, operation: Operation, body: Region, moves: _Moves) -> None:
        condition = operation.regions["condition"]
        top, out = Label(), Label()
        self._mark(top)
        self._region(condition)
        self._step("UNLESS", self.at(condition.yields[0]), target=out, operation=operation)
        self._region(body)
        moves.step()
        self._step("JUMP", target=top)
        self._mark(out)

    # ---- stacks ----------------------------------------------------------------------------

    def _stack(self, operation: Operation) -> None:
        prim = operation.prim
        if prim is control.stack_empty:
            slot = self._pointer()
            self._put(operation.result, slot)
            size = nbytes_of(operation.result)
            self._step("STACK_NEW", slot, extent=size, operation=operation)
            return
        slot = self.at(operation.operands[0])
        if prim is control.stack_drop:
            self._step("STACK_DROP", slot, operation=operation)
            return
        self._put(operation.results[0], slot)
        if prim is control.stack_push:
            value = self.at(operation.operands[1])
            self._step("STACK_PUSH", slot, value, operation=operation)
            return
        top = operation.results[1]
        if top not in self.wanted and self._may_stay(operation):
            self._put(top, target := self._pointer())
            self._step("STACK_TAKE", slot, target, operation=operation)
            return
        place = self.lives.enter[operation]
        target = self.wanted.get(top) or self._new(nbytes(top), place, place)
        self._put(top, target)
        self._step("STACK_POP", slot, target, operation=operation)

    def _on_stack(self, value: Value) -> Slot | None:
        """A place on the stack on which `value` is pushed, if it may be computed there.

        Until it is pushed, nothing else is; and until it is read last, nobody takes it off.
        """
        pushes = [
            user for user, index in value.uses
            if isinstance(user, Operation) and self._is_push(user, value, index)
        ]  # fmt: skip
        if len(pushes) != 1:
            return None
        (push,) = pushes
        stack = push.operands[0]
        is_alone = len(stack.uses) == 1 and stack in self.place
        is_kept = all(isinstance(user, Region) for user, _ in push.results[0].uses)
        if not is_alone or not is_kept or self._is_yielded(value, push):
            return None
        slot = self._pointer()
        self._step("STACK_ROOM", self.at(stack), slot, operation=push)
        return slot

    @staticmethod
    def _is_push(user: Operation, value: Value, index: int) -> bool:
        if user.prim is not control.stack_push or index != 1:
            return False
        return isinstance(value.owner, Operation) and user.parent is value.owner.parent

    def _is_yielded(self, value: Value, operation: Operation) -> bool:
        """Whether the region of `operation` yields `value`."""
        region = operation.parent
        assert isinstance(region, Region)
        content = self.lives.content(value)
        return any(self.lives.content(each) is content for each in region.yields)

    def _may_stay(self, pop: Operation) -> bool:
        """Whether what is popped may be read where it lies: nothing is pushed there meanwhile."""
        stack = pop.results[0]
        while len(stack.uses) == 1:
            ((user, _),) = stack.uses
            if isinstance(user, Region):
                return not self._is_yielded(pop.results[1], pop)
            if user.prim is not control.stack_pop:
                return False
            stack = user.results[0]
        return False

    # ---- results ---------------------------------------------------------------------------

    def _give_out(self, outputs: Mapping[int, Slot]) -> None:
        """Copies of results that lie elsewhere: inputs, constants, what is given out twice."""
        for number, value in enumerate(self.function.results):
            if number in outputs:
                self._copy(self.at(value), outputs[number])
            elif isinstance(value.type, StackType):
                self.stack_results[number] = self.at(value)

    def _fails(self, operation: Operation) -> bool:
        """Whether a step may end the program; the unit of a composite checks nothing."""
        is_whole = operation.prim.is_composite and isinstance(self.lowered.get(operation), Kernel)
        return not is_whole and can_fail(operation)

    def _overwrites(self, outputs: Mapping[int, Slot]) -> set[int]:
        """Donated inputs into whose memory their result may go: nothing reads it any more then.

        Nor may anything fail from there on: parameters stay those of the last good step.
        """
        found = set()
        failing = [
            self.lives.leave[op]
            for op in self.function.walk()
            if op in self.lives.leave and self._fails(op)
        ]
        settled = max(failing, default=-1)
        for number, result in self.function.donates.items():
            value, held = self.function.results[result], self.function.args[number]
            content = self.lives.content(value)
            if content is not held:
                owner = content.owner
                if self.wanted.get(content) is not outputs.get(result):
                    continue
                if not isinstance(owner, Operation) or not self.can_take(value, held):
                    continue
                if settled > self.lives.enter[owner]:
                    continue
            found.add(number)
        return found


class _Moves:
    """What is moved at the end of each pass of a loop."""

    def __init__(self, layout: Layout, begin: int, end: int) -> None:
        self.layout = layout
        self.span = begin, end
        self.saved: list[tuple[Value, Slot]] = []
        self.copied: list[tuple[Value | Slot, Slot]] = []
        self.swapped: list[tuple[Slot, Slot, Slot]] = []
        self.stacks: list[tuple[Value, Slot]] = []

    def add(self, body: Region, argument: Value, yielded: Value, slot: Slot) -> None:
        layout = self.layout
        if isinstance(yielded.type, StackType):
            self.stacks.append((yielded, slot))
            return
        content = layout.lives.content(yielded)
        if content is argument:
            return
        is_made = layout._is_made_in(content, body) and content not in layout.wanted
        if is_made and layout.can_take(content, argument):
            layout.wanted[content] = slot
            layout.keep_in(content, argument, slot)
        elif is_made and slot.nbytes > SMALL:
            second = layout._new(slot.nbytes, *self.span)
            layout.wanted[content] = second
            self.swapped.append((slot, second, layout._pointer()))
        elif isinstance(content.owner, Region) and content.owner is body:
            spare = layout._new(slot.nbytes, layout.lives.end[body], layout.lives.end[body])
            self.saved.append((content, spare))
            self.copied.append((spare, slot))
        else:
            self.copied.append((content, slot))

    def begin(self) -> None:
        """Before the first pass: where the slots lie that change places."""
        for slot, _, home in self.swapped:
            self.layout._step("ALIAS", slot, home)

    def step(self) -> None:
        """At the end of a pass: what others still read is saved first."""
        layout = self.layout
        for value, spare in self.saved:
            layout._copy(layout.at(value), spare)
        for source, slot in self.copied:
            layout._copy(source if isinstance(source, Slot) else layout.at(source), slot)
        for slot, second, _ in self.swapped:
            layout._step("SWAP", slot, second)
        self._move_stacks()

    def _move_stacks(self) -> None:
        moved = [(self.layout.at(value), slot) for value, slot in self.stacks]
        moved = [(source, slot) for source, slot in moved if source is not slot]
        spares = [self.layout._pointer() for _ in moved]
        for (source, _), spare in zip(moved, spares, strict=True):
            self.layout._alias(source, spare)
        for (_, slot), spare in zip(moved, spares, strict=True):
            self.layout._alias(spare, slot)

    def settle(self) -> None:
        """After the last pass: back to where the slots lay."""
        for slot, second, home in self.swapped:
            self.layout._step("SETTLE", slot, second, home, extent=slot.nbytes)


def nbytes_of(stack: Value) -> int:
    """Bytes of an element of a stack."""
    assert isinstance(stack.type, StackType)
    size = stack.type.element.nbytes
    assert isinstance(size, int)
    return size


def assign(slots: Iterable[Slot]) -> int:
    """Give offsets to `slots`, so that those alive at one time do not overlap; bytes in all.

    Several orders are tried, the largest first of all (best results come from that one: Pisarchyk
    and Lee, Efficient memory management for deep neural net inference, 2020), until one needs no
    more than what is alive at one time. Each slot goes to the lowest offset that is free.
    """
    slots = list(slots)
    least, best, found = needed(slots), -1, {}
    for key in ORDERS:
        order = sorted(slots, key=lambda slot: (*key(slot), slot.number))
        offsets, total = _placed(order)
        if best < 0 or total < best:
            best, found = total, dict(zip(order, offsets, strict=True))
        if best == least or len(slots) > MOST_TRIED:
            break
    for slot, offset in found.items():
        slot.at = offset
    return best


#: Which slots are placed first, by number of the try.
ORDERS: tuple[Callable[[Slot], tuple[int, ...]], ...] = (
    lambda slot: (-slot.nbytes,),
    lambda slot: (-slot.nbytes * (slot.end - slot.start + 1),),
    lambda slot: (slot.start - slot.end, -slot.nbytes),
    lambda slot: (slot.start, -slot.nbytes),
    lambda slot: (-slot.end, -slot.nbytes),
    lambda slot: (-(slot.nbytes.bit_length()), slot.start - slot.end, -slot.nbytes),
    lambda slot: (-(slot.nbytes.bit_length()), slot.start, -slot.nbytes),
)


def needed(slots: Iterable[Slot]) -> int:
    """Most bytes of `slots` that are alive at one time: no arena is smaller.

    Examples
    --------
    >>> needed([Slot("ARENA", 0, 64, 1, 3), Slot("ARENA", 0, 10, 3, 5), Slot("ARENA", 0, 64, 4, 5)])
    128
    """
    steps: defaultdict[int, int] = defaultdict(int)
    for slot in slots:
        steps[slot.start] += _rounded(slot)
        steps[slot.end + 1] -= _rounded(slot)
    return max(accumulate(steps[place] for place in sorted(steps)), default=0)


def _rounded(slot: Slot) -> int:
    return -(-slot.nbytes // ALIGNMENT) * ALIGNMENT


def _placed(order: Sequence[Slot]) -> tuple[list[int], int]:
    """Offsets of slots that are placed in this order, each at the lowest one; bytes in all."""
    placed = np.zeros((4, len(order)), np.int64)  # offset, end, first and last place; by offset
    offsets = []
    for count, slot in enumerate(order):
        size = _rounded(slot)
        at, behind, start, end = placed[:, :count]
        alive = (start <= slot.end) & (slot.start <= end)
        free = np.maximum.accumulate(np.append(0, behind[alive]))  # behind all before each of them
        fits = np.flatnonzero(free[:-1] + size <= at[alive])
        offset = int(free[fits[0] if fits.size else -1])
        offsets.append(offset)
        index = np.searchsorted(at, offset, side="right")
        placed[:, index + 1 : count + 1] = placed[:, index:count]
        placed[:, index] = offset, offset + size, slot.start, slot.end
    return offsets, int(placed[1].max(initial=0))
