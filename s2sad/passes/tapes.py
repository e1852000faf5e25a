"""Which tapes does nobody read?

A tape is a stack that one loop fills and another empties; it goes from hand to hand, for a stack is
used once. Where nothing reads what is popped, it may go, with all that is done to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from s2sad.ir.graph import Operation, Region, Value
from s2sad.ir.primitive import Form
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.facts import trip_count
from s2sad.passes.slots import BEFORE_SLOTS, without_slots
from s2sad.prims.control import stack_drop, stack_empty


@dataclass
class Tape:
    """What is done to a stack from when it is made to when it is dropped.

    Attributes
    ----------
    steps : list of Operation
        Pushes and pops, in order.
    slots : list of (Operation, int)
        Loops that carry it, an outer one before those in it, and where.
    level, lowest : int
        How many elements it holds more than at first, and the least that was.
    end : Operation, optional
        What drops it.
    """

    steps: list[Operation] = field(default_factory=list)
    slots: list[tuple[Operation, int]] = field(default_factory=list)
    level: int = 0
    lowest: int = 0
    end: Operation | None = None


def unread_tapes(region: Region) -> list[Tape]:
    """Tapes made in `region` of which nobody reads an element, and no pop can fail."""
    found = [_followed(op.result) for op in region.operations if op.prim is stack_empty]
    return [tape for tape in found if tape is not None and tape.end and tape.lowest >= 0]


def _followed(value: Value, body: Region | None = None, slot: int = -1) -> Tape | None:
    """The tape that begins as `value`; None where somebody reads it, or where that is open.

    In the body of a loop it is followed until the body yields it in its slot.
    """
    tape = Tape()
    while len(value.uses) == 1:
        user, index = next(iter(value.uses))
        if isinstance(user, Region):
            return tape if (user, index) == (body, slot) else None
        if user.prim is stack_drop:
            tape.end = user
            return tape
        following = _past(user, index, tape)
        if following is None:
            return None
        value = following
    return None


def _past(user: Operation, index: int, tape: Tape) -> Value | None:
    """What the stack is called after `user`, which `tape` then holds; None where that is open."""
    if user.prim.form is Form.PUSH and index == 0:
        tape.level += 1
    elif user.prim.form is Form.POP and not user.results[1].uses:
        tape.level -= 1
        tape.lowest = min(tape.lowest, tape.level)
    elif user.prim.form is Form.FOR:
        return _past_loop(user, index - BEFORE_SLOTS[Form.FOR], tape)
    else:
        return None
    tape.steps.append(user)
    return user.results[0]


def _past_loop(loop: Operation, slot: int, tape: Tape) -> Value | None:
    trips, body = trip_count(loop), loop.regions["body"]
    inner = _followed(body.args[len(body.args) - len(loop.results) + slot], body, slot)
    if trips is None or inner is None or inner.end is not None:
        return None
    if trips:
        least = min(0, (trips - 1) * inner.level) + inner.lowest
        tape.lowest = min(tape.lowest, tape.level + least)
        tape.level += trips * inner.level
    tape.steps += inner.steps
    tape.slots += [(loop, slot), *inner.slots]
    return loop.results[slot]


def erase_tapes(tapes: Iterable[Tape], rewriter: Rewriter) -> None:
    """Take `tapes` out of the function; what was pushed is left, read by nobody perhaps."""
    for tape in tapes:
        assert tape.end is not None
        with rewriter.step("erase a tape", tape.end):
            for step in tape.steps:
                values = [step.operands[0], *[None] * (len(step.results) - 1)]
                rewriter.replace_operation(step, values)
    _slots_taken([slot for tape in tapes for slot in tape.slots], rewriter)
    for tape in tapes:
        assert tape.end is not None
        (start,) = tape.end.operands
        with rewriter.step("erase a tape", tape.end):
            rewriter.erase(tape.end)
            rewriter.erase(start.owner)  # type: ignore[arg-type]


def _slots_taken(slots: Iterable[tuple[Operation, int]], rewriter: Rewriter) -> None:
    by_loop: dict[Operation, list[int]] = {}
    for loop, slot in slots:
        by_loop.setdefault(loop, []).append(slot)
    for loop, places in reversed(by_loop.items()):  # inner ones first: outer ones are copied
        with rewriter.step("carry no tape", loop):
            first = BEFORE_SLOTS[loop.prim.form]
            without_slots(loop, {i: loop.operands[first + i] for i in places}, rewriter)
