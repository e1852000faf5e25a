"""Which values of a function differ from row to row, where some of its inputs do?

And which operations run row by row: those whose control flow differs, and that must not do for one
row what only another one asks for. A read out of range fails, a loop may not end, a text is
printed. Tokens never differ: there is one order of effects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from s2sad.ir.graph import Operation, Region, Value
from s2sad.ir.loops import carried, is_loop
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.rewriter import captured_reads
from s2sad.ir.types import StackType, Token

#: Rules for cotangents run once for each row, also where all rows compute the same.
EACH = ("custom", "hook")


def mapped_values(region: Region, inputs: Sequence[bool]) -> set[Value]:
    """Values of `region` that may differ from row to row, `inputs` saying which arguments do."""
    found = _Mapped()
    found.values.update(v for v, is_mapped in zip(region.args, inputs, strict=True) if is_mapped)
    found.visit(region)
    while found.is_changed:
        found.is_changed = False
        found.visit(region)
    return found.values


class _Mapped:
    """The least set that holds what depends on its members; it grows until nothing changes."""

    def __init__(self) -> None:
        self.values: set[Value] = set()
        self.is_changed = False

    def add(self, values: Iterable[Value]) -> None:
        new = {value for value in values if value.type != Token} - self.values
        self.is_changed |= bool(new)
        self.values |= new

    def any(self, values: Iterable[Value]) -> bool:
        return not self.values.isdisjoint(values)

    def visit(self, region: Region) -> None:
        for operation in region.operations:
            if operation.prim.form is Form.IF:
                self._branch(operation)
            elif is_loop(operation):
                self._loop(operation)
            else:
                self._plain(operation)

    def _plain(self, operation: Operation) -> None:
        if operation.prim.name in EACH or self.any(operation.operands):
            self.add(operation.results)
        self._together(_stacks([*operation.operands, *operation.results]))

    def _together(self, values: Sequence[Value]) -> None:
        """What is one stack in the end has rows of its own everywhere, or nowhere."""
        if self.any(values):
            self.add(values)

    def _branch(self, operation: Operation) -> None:
        for region in operation.regions.values():
            self.visit(region)
        if self.any(operation.operands):
            self.add(operation.results)
        for result, *given in zip(
            operation.results, *(r.yields for r in operation.regions.values()), strict=True
        ):
            if self.any(given):
                self.add([result])
            self._together(_stacks([result, *given]))

    def _loop(self, operation: Operation) -> None:
        places = carried(operation)
        for place in places:
            every = [place.initial, *place.args, place.yielded, place.result]
            if self.any(every):
                self.add([*place.args, place.result])
            self._together(_stacks(every))
        for region in operation.regions.values():
            self.visit(region)
        if differs(operation, self.values):
            self.add(value for place in places for value in (*place.args, place.result))


def _stacks(values: Sequence[Value]) -> list[Value]:
    return [value for value in values if isinstance(value.type, StackType)]


def has_effect(operation: Operation) -> bool:
    return any(inner.prim.has(Trait.EFFECT) for inner in operation.walk())


def differs(operation: Operation, mapped: set[Value]) -> bool:
    """Whether the way that control takes through `operation` differs from row to row."""
    form = operation.prim.form
    if form is Form.WHILE:
        return operation.regions["condition"].yields[0] in mapped
    count = {Form.IF: 1, Form.FOR: 3}.get(form, 0)
    return not mapped.isdisjoint(operation.operands[:count])


def runs_by_rows(operation: Operation, mapped: set[Value]) -> bool:
    """Whether `operation`, control flow that differs, runs once for each row."""
    if operation.prim.form is Form.FOR or has_effect(operation):
        return True
    return not all(_may_run(inner) for inner in list(operation.walk())[1:])


def _may_run(operation: Operation) -> bool:
    """Whether `operation` ends, and ends well, whatever its operands hold."""
    if operation.prim.form is Form.FOR:
        step = operation.operands[2].owner
        return isinstance(step, Operation) and bool(step.attrs.get("value", 0) != 0)
    return operation.prim.form is not Form.WHILE and not operation.prim.has(Trait.FALLIBLE)


def reads_of(operation: Operation) -> list[Value]:
    """All that `operation` and its regions read from outside, each once, in order."""
    return list(dict.fromkeys([*operation.operands, *captured_reads(operation)]))
