"""How much memory would a run of a program of C need, before anything is compiled?"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.backends.base import MemoryPlan, nbytes
from s2sad.backends.c.layout import Layout, Slot, needed
from s2sad.backends.c.lowering import lower
from s2sad.ir.graph import Function, Value
from s2sad.passes.tape_memory import tape_bytes


def plan_of(function: Function) -> MemoryPlan:
    """The plan of the steps of `function`, which has been through all passes."""
    layout = Layout(function, lower(function))
    overwriting = {function.donates[i] for i in layout.overwrites}
    results = [v for i, v in enumerate(function.results) if i not in overwriting]
    tapes = tape_bytes(function)
    held = [*((value, nbytes(value)) for value in results), *_held(layout)]
    total = layout.arena + sum(map(nbytes, results)) + tapes
    return MemoryPlan(total, tapes, tuple(sorted(held, key=lambda item: -item[1])))


def _held(layout: Layout) -> Iterator[tuple[Value | None, int]]:
    """What lies in the arena where most does."""
    slots = [slot for slot in layout.slots if slot.kind == "ARENA"]
    place = _fullest(slots)
    lies: dict[Slot, Value] = {}
    for value, slot in layout.place.items():
        if layout.lives.made(value) <= place <= layout.lives.last(value):
            lies[slot] = value
    for slot in slots:
        if slot.start <= place <= slot.end:
            yield lies.get(slot), slot.nbytes


def _fullest(slots: list[Slot]) -> int:
    """The place in program order at which most bytes are alive."""
    most = needed(slots)
    for slot in slots:
        alive = [each for each in slots if each.start <= slot.start <= each.end]
        if needed(alive) == most:
            return slot.start
    return 0
