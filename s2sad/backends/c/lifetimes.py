"""When is each value read, and which values are one piece of memory anyhow?

Operations are numbered in program order, one with regions twice: where it begins and where it
ends. A value that the body of a loop reads from outside is read, for what comes after, at the end
of the loop: the next pass reads it again. A reshape has the memory of its operand; such values are
one *content*, named by the first of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import is_loop
from s2sad.ir.primitive import Form, Primitive
from s2sad.prims import marker, shape

#: Operations whose result is their operand, as memory.
ALIASES: frozenset[Primitive] = frozenset((shape.reshape, marker.stop_gradient, marker.barrier))


def is_leaf(operation: Operation) -> bool:
    """Whether it is one step: no control flow, of which the regions are walked."""
    return operation.prim.form not in (Form.IF, Form.WHILE, Form.FOR)


class Lifetimes:
    """Places in program order.

    Attributes
    ----------
    enter, leave : dict of Operation to int
        Where it begins and ends; one place for a leaf.
    begin, end : dict of Region to int
        Where a region begins, and where it yields.
    """

    def __init__(self, function: Function) -> None:
        self.enter: dict[Operation, int] = {}
        self.leave: dict[Operation, int] = {}
        self.begin: dict[Region, int] = {}
        self.end: dict[Region, int] = {}
        self._uses: defaultdict[Value, list[int]] = defaultdict(list)
        self._next = 0
        self._number(function.body)
        self._read(function.body)

    def content(self, value: Value) -> Value:
        """The first value that lies where `value` lies by meaning."""
        while isinstance(value.owner, Operation) and value.owner.prim in ALIASES:
            value = value.owner.operands[value.index]
        return value

    def uses(self, value: Value) -> list[int]:
        """Places at which the content of `value` is read."""
        return self._uses[self.content(value)]

    def last(self, value: Value) -> int:
        """The last of them; that of its definition where nobody reads it."""
        return max(self.uses(value), default=self.made(value))

    def made(self, value: Value) -> int:
        """Where the content of `value` is known."""
        owner = self.content(value).owner
        if isinstance(owner, Operation):
            return self.leave[owner]
        return self.begin[owner]

    def _place(self) -> int:
        self._next += 1
        return self._next

    def _number(self, region: Region) -> None:
        self.begin[region] = self._place()
        for operation in region.operations:
            self.enter[operation] = self.leave[operation] = self._place()
            if not is_leaf(operation):
                for inner in operation.regions.values():
                    self._number(inner)
                self.leave[operation] = self._place()
        self.end[region] = self._place()

    def _read(self, region: Region) -> None:
        for operation in region.operations:
            if operation.prim not in ALIASES:
                for value in operation.operands:
                    self._note(value, region, self.enter[operation])
            if not is_leaf(operation):
                for inner in operation.regions.values():
                    self._read(inner)
        for value in region.yields:
            self._note(value, region, self.end[region])

    def _note(self, value: Value, region: Region, place: int) -> None:
        content = self.content(value)
        home = content.region
        for loop in _loops_between(region, home):
            place = self.leave[loop]
        self._uses[content].append(place)


def _loops_between(region: Region, home: Region | None) -> Iterator[Operation]:
    """Loops around `region` that are not around `home`, innermost first."""
    while region is not home:
        owner = region.parent
        if not isinstance(owner, Operation) or owner.parent is None:
            return
        if is_loop(owner):
            yield owner
        region = owner.parent
