"""Which values of a function are one stack that is pushed on and popped from in place?

A stack is linear: each value of it is used once, so all of them can go by one name, whose
methods change what it stands for. `tapes` finds these chains and checks, by walking the function
as a reader of the text would, that the name stands for the right value at every use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import LOOPS, carried
from s2sad.ir.primitive import Form
from s2sad.ir.types import StackType

IN_PLACE = (Form.PUSH, Form.POP)


@dataclass
class Tapes:
    """The stacks of one function.

    Attributes
    ----------
    chain_of : dict of Value to list of Value
        All values of the same stack, in one list that they share.
    known : dict of Operation to set of int
        Of each branch, the stacks (by `id` of their list) that exist before it.
    """

    chain_of: dict[Value, list[Value]] = field(default_factory=dict)
    known: dict[Operation, set[int]] = field(default_factory=dict)

    def stack(self, value: Value) -> int | None:
        """Which stack `value` is one of; None where it is no stack."""
        chain = self.chain_of.get(value)
        return None if chain is None else id(chain)

    def changed(self, operation: Operation) -> set[int | None]:
        """Stacks whose methods are called within the regions of a branch or loop."""
        return {self.stack(op.results[0]) for op in _within(operation) if op.prim.form in IN_PLACE}


def tapes(function: Function) -> Tapes | None:
    """The stacks of `function`; None where names would not tell their values apart."""
    found = Tapes()
    chains = _Chains(found.chain_of)
    chains.add(function.body.args)
    for operation in function.walk():
        chains.visit(operation)
    walk = _Walk(found)
    walk.region(function.body, {})
    return found if walk.is_right else None


def _within(operation: Operation) -> Iterator[Operation]:
    """Operations that a reader sees as part of `operation`: those of functions are not."""
    for region in operation.regions.values():
        for each in region.operations:
            yield each
            if each.prim.form is not Form.NESTED:
                yield from _within(each)


class _Chains:
    """Joins values into chains as operations are met."""

    def __init__(self, chain_of: dict[Value, list[Value]]) -> None:
        self.chain_of = chain_of

    def add(self, values: Iterable[Value]) -> None:
        for value in values:
            if isinstance(value.type, StackType):
                self.chain_of.setdefault(value, [value])

    def join(self, first: Value, *others: Value) -> None:
        self.add([first, *others])
        if first not in self.chain_of:
            return
        chain = self.chain_of[first]
        for value in others:
            other = self.chain_of.get(value, chain)
            if other is not chain:
                chain += other
                self.chain_of.update((member, chain) for member in other)

    def visit(self, operation: Operation) -> None:
        form, regions = operation.prim.form, list(operation.regions.values())
        for region in regions:
            self.add(region.args)
        self.add(operation.results)
        if form in IN_PLACE:
            self.join(operation.operands[0], operation.results[0])
        elif form is Form.IF:
            yields = (region.yields for region in regions)
            for group in zip(operation.results, *yields, strict=True):
                self.join(*group)
        elif form in LOOPS:
            for slot in carried(operation):
                self.join(slot.initial, slot.result, *slot.args, slot.yielded)


class _Walk:
    """Follows what the name of each stack stands for."""

    def __init__(self, tapes: Tapes) -> None:
        self.tapes = tapes
        self.is_right = True

    def region(self, region: Region, current: dict[int, Value]) -> None:
        """Walk `region`, and let `current` be what holds at its end."""
        self._set(region.args, current)
        for operation in region.operations:
            self._read(operation.operands, current)
            self._operation(operation, current)
        self._read(region.yields, current)

    def _set(self, values: Sequence[Value], current: dict[int, Value]) -> None:
        for value in values:
            stack = self.tapes.stack(value)
            if stack is not None:
                current[stack] = value

    def _read(self, values: Sequence[Value], current: dict[int, Value]) -> None:
        """A stack that is read must be what its name stands for."""
        for value in values:
            stack = self.tapes.stack(value)
            if stack is not None and current.get(stack) is not value:
                self.is_right = False

    def _operation(self, operation: Operation, current: dict[int, Value]) -> None:
        form = operation.prim.form
        given = [self.tapes.stack(v) for v in operation.results if v in self.tapes.chain_of]
        if form in LOOPS or form is Form.IF:
            self.tapes.known[operation] = set(current)
            for region in operation.regions.values():
                self.region(region, dict(current))
            changed = self.tapes.changed(operation) & self.tapes.known[operation]
            self.is_right &= changed <= set(given) and len(given) == len(set(given))
        elif form is Form.NESTED:
            for region in operation.regions.values():
                self.region(region, {})
        if form not in (*IN_PLACE, *LOOPS, Form.IF) and not current.keys().isdisjoint(given):
            self.is_right = False  # a stack begins once
        self._set(operation.results, current)
