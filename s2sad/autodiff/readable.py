"""What are the values of the two halves called, when a person reads them?

A joint program calls a cotangent after the value that it is the cotangent of, by the name that this
has in the text of the primal: its own, perhaps made different from others, or a number. Passes and
the split change the numbers, and what is folded into another's line has none. So names are settled
last, on the text itself. Stacks go to the end of what loops carry, where no line speaks of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from s2sad.autodiff.split import Halves
from s2sad.ir.graph import AUTOMATIC, Function, Operation, Region, Value
from s2sad.ir.loops import carried, is_loop
from s2sad.ir.names import by_number
from s2sad.ir.primitive import Form
from s2sad.ir.printer import FlatPrinter
from s2sad.ir.source_style import SourcePrinter

#: What makes a name different from others.
_NUMBER = re.compile(r"_\d+$")
#: The cotangent of the output.
SEED = "dout"
#: Names of the joint program's own for what is mostly a constant.
BOUNDS = ("first", "last", "step")
#: How often numbers are looked up in a text; then their cotangents have no names.
ROUNDS = 6


class Named(NamedTuple):
    """A value of a joint program that has cotangents called after it.

    Attributes
    ----------
    hint : str or None
        The name wished for, where it has more than a number.
    value : Value
    """

    hint: str | None
    value: Value


class Names(NamedTuple):
    """What is called how in a joint program that was just made.

    Attributes
    ----------
    by_text : dict of str to Named
        Values that have cotangents called after them.
    own : frozenset of str
        Names that the primal gives, also in rules of the user's own.
    """

    by_text: Mapping[str, Named]
    own: frozenset[str]


def names_in(primal: Function, joint: Function) -> Names:
    """What is called how in `joint`, which no pass has changed."""
    hints = {text: value.name for value, text in _texts(FlatPrinter(primal, None)).items()}
    values = {text: value for value, text in _texts(FlatPrinter(joint, None)).items()}
    named = {text: Named(hint, values[text]) for text, hint in hints.items() if text in values}
    return Names(named, frozenset(filter(None, hints.values())))


def _texts(printer: FlatPrinter | SourcePrinter) -> dict[Value, str]:
    printer.definition()
    return printer.named


def settle_names(halves: Halves, names: Names) -> None:
    """Give the values of both halves the names that people are to read; see `names_in`."""
    _Settling(halves, names).settle()


class _Settling:
    """Names of two halves, on their way.

    Attributes
    ----------
    numbered : dict of Value to Value
        Cotangents of values that have no name of their own, and these values.
    """

    def __init__(self, halves: Halves, names: Names) -> None:
        self.halves = halves
        self.known, self.own = names
        self.numbered: dict[Value, Value] = {}

    def settle(self) -> None:
        backward = self.halves.backward
        for function in (self.halves.forward, backward):
            for value in _values(function.body):
                if value.type.is_linear and (value.name or "").startswith("tape_"):
                    value.name = self._tape(value.name or "")
            stacks_last(function)
        self._seeds(backward.args[len(self.halves.residuals) :])
        for operation in backward.body.operations:
            late = operation in self.halves.late
            for value in _results(operation):
                self._rename(value, late)
            for loop in filter(is_loop, operation.walk() if late else ()):
                self._rename_carried(loop)
        self._settle_numbers()

    def _find(self, name: str) -> Named | None:
        """The value whose text `name` is, or is made different from."""
        while name not in self.known:
            if not _NUMBER.search(name):
                return None
            name = _NUMBER.sub("", name)
        return self.known[name]

    def _cotangent(self, name: str) -> Named | None:
        """The value whose cotangent is called `name`."""
        return self._find(name[1:]) if name.startswith("d") else None

    def _tape(self, name: str) -> str:
        of = self._find(name.removeprefix("tape_"))
        return f"tape_{of.hint}" if of and of.hint else "tape"

    def _seeds(self, seeds: list[Value]) -> None:
        for value in seeds:
            of = self._cotangent(value.name or "") if len(seeds) > 1 else None
            value.name = f"d{of.hint}" if of and of.hint else SEED

    def _rename(self, value: Value, late: bool) -> None:
        owner, name = value.owner, value.name or ""
        form = owner.prim.form if isinstance(owner, Operation) else None
        if form is Form.POP and value.index == 1:
            of = self._find(_NUMBER.sub("", name))
            value.name = of.hint if of else None
        elif form is Form.CONST and (name in BOUNDS or self._cotangent(name)):
            value.name = None
        elif late and name.startswith("d") and not value.type.is_linear:
            of = self._cotangent(name)
            if of is None and _NUMBER.sub("", name) in self.own:
                return
            value.name = f"d{of.hint}" if of and of.hint else None
            if of and not of.hint and of.value in self.halves.copies:
                self.numbered[value] = self.halves.copies[of.value]

    def _rename_carried(self, loop: Operation) -> None:
        """Let what a reverse loop counts and carries be called what it is inside."""
        if loop.prim.form is Form.FOR:
            index = loop.regions["body"].args[0]
            index.name = _NUMBER.sub("", index.name or "") or None
        for place in carried(loop):
            place.result.name = place.argument.name or place.result.name

    def _settle_numbers(self) -> None:
        """Call cotangents after the numbers that values have in the text, where they have one."""
        for _ in range(ROUNDS):
            if not self._look_up():
                return
        for value in self.numbered:
            value.name = None

    def _look_up(self) -> bool:
        """Whether names have changed by one look at the text."""
        texts = _texts(SourcePrinter(self.halves.backward, None))
        changed = False
        for value, of in list(self.numbered.items()):
            text = texts.get(of)
            name = f"d{text}" if text and AUTOMATIC.fullmatch(text) else None
            if name is None:
                del self.numbered[value]
            changed |= name != value.name
            value.name = name
        return changed


def _values(region: Region) -> Iterator[Value]:
    yield from region.args
    for operation in region.operations:
        yield from _results(operation)


def _results(operation: Operation) -> Iterator[Value]:
    yield from operation.results
    for region in operation.regions.values():
        yield from _values(region)


def stacks_last(function: Function) -> None:
    """Let what loops and branches carry end with their stacks, in the order of their names."""
    texts = _texts(SourcePrinter(function, None))
    for operation in function.walk():
        if is_loop(operation) or operation.prim.form is Form.IF:
            places = range(len(operation.results))
            keys = [(r.type.is_linear, by_number(texts[r])) for r in operation.results]
            order = sorted(places, key=lambda i: keys[i] if keys[i][0] else (False, ("", i)))
            if order != list(places):
                _reorder(operation, order)


def _reorder(operation: Operation, order: list[int]) -> None:
    """Let result number ``order[i]`` of a loop or a branch, and what belongs to it, be number i."""
    if is_loop(operation):
        operation.set_reads(_moved(operation.operands, order))
    for region in operation.regions.values():
        if is_loop(operation):
            region.args[:] = _moved(region.args, order)
        if region is not operation.regions.get("condition"):
            region.set_reads(_moved(region.yields, order))
    operation.results = tuple(_moved(operation.results, order))
    for values in (operation.results, *(region.args for region in operation.regions.values())):
        for index, value in enumerate(values):
            value.index = index


def _moved(values: Sequence[Value], order: list[int]) -> list[Value]:
    """`values` with the last ones, those that are carried, in `order`."""
    first = len(values) - len(order)
    return [*values[:first], *(values[first + i] for i in order)]
