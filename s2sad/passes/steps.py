"""Which rewrites does a pass make, and is it time to stop?

A step is what is right or wrong as a whole: a rule applied, an operation erased, a loop unrolled.
Steps have a title and a place, so the one that broke a program can be named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from s2sad.core.location import Location
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import Primitive
from s2sad.ir.rewriter import Place, Rewriter


class LimitReached(Exception):  # noqa: N818 - no error: how a pass that may go no further ends
    """As many steps were made as were allowed; the manager catches it."""


@dataclass(frozen=True)
class Step:
    """One rewrite that was made.

    Attributes
    ----------
    title : str
        Name of the rule, or what was done: ``"erase mul"``.
    loc : Location or None
        Of the operation that it was made at.
    scope : str
    """

    title: str
    loc: Location | None
    scope: str

    def __str__(self) -> str:
        place = f" at {self.loc}" if self.loc is not None else ""
        return f"{self.title}{place}{f' in {self.scope}' if self.scope else ''}"


class StepRewriter(Rewriter):
    """A rewriter that counts steps and stops before one too many.

    Attributes
    ----------
    limit : int or None
        Steps that may be made; then `LimitReached` is raised.
    steps : int
        Steps made: those that changed something.
    titles : Counter
        How often each kind of step was made.
    last : Step or None
        The last one made.
    refused : Operation or None
        At which the first step beyond the limit would have been made.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> function = build_function(lambda x: (p.exp(x), p.neg(x))[1], [f32[4]])
    >>> rewriter = StepRewriter(function)
    >>> rewriter.erase(function.body.operations[0])
    >>> rewriter.steps, str(rewriter.last)
    (1, 'erase exp')
    """

    def __init__(self, function: Function, limit: int | None = None) -> None:
        super().__init__(function)
        self.limit = limit
        self.steps = 0
        self.titles: Counter[str] = Counter()
        self.last: Step | None = None
        self.refused: Operation | None = None
        self._is_inside = False

    @contextmanager
    def step(self, title: str, at: Operation | None) -> Iterator[None]:
        """Count what changes inside as one step; in another step it is part of that."""
        if self._is_inside:
            yield
            return
        if self.steps == self.limit:
            self.refused = at
            raise LimitReached
        loc, scope = (None, "") if at is None else (at.loc, at.scope)
        before, self._is_inside = self.changes, True
        try:
            yield
        finally:
            self._is_inside = False
        if self.changes != before:
            self.steps += 1
            self.titles[title] += 1
            self.last = Step(title, loc, scope)

    def replace_uses(self, old: Value, new: Value) -> None:
        owner = old.owner if isinstance(old.owner, Operation) else None
        with self.step(f"replace uses of {_described(old)}", owner):
            super().replace_uses(old, new)

    def set_operand(self, reader: Operation | Region, index: int, value: Value) -> None:
        owner = reader if isinstance(reader, Operation) else None
        with self.step("set operand", owner):
            super().set_operand(reader, index, value)

    def replace_operation(
        self, operation: Operation, values: Value | Sequence[Value | None]
    ) -> None:
        with self.step(f"replace {operation.prim.name}", operation):
            super().replace_operation(operation, values)

    def erase(self, operation: Operation) -> None:
        with self.step(f"erase {operation.prim.name}", operation):
            super().erase(operation)

    def move(self, operation: Operation, to: Place) -> None:
        with self.step(f"move {operation.prim.name}", operation):
            super().move(operation, to)

    def outline(
        self,
        operations: Sequence[Operation],
        into: Primitive,
        attrs: dict[str, Any] | None = None,
    ) -> Operation:
        with self.step(f"outline into {into.name}", next(iter(operations), None)):
            return super().outline(operations, into, attrs)


def _described(value: Value) -> str:
    return value.owner.prim.name if isinstance(value.owner, Operation) else "an argument"
