"""Where in the user's source does a value come from, and through which calls?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Location:
    """Part of a source file, with the chain of calls that led there.

    Attributes
    ----------
    file : str
        Path as Python's code objects give it.
    line, column : int
        Line from 1, column from 0, as in `ast`.
    caller : Location or None
        Where the function that holds this place was called.
    end_column : int or None
        Column after the expression, where it ends on the same line. Not part of the text form.
    """

    file: str
    line: int
    column: int
    caller: Location | None = None
    end_column: int | None = None

    def chain(self) -> Iterator[Location]:
        """This location, then its callers, innermost first."""
        place: Location | None = self
        while place is not None:
            yield place
            place = place.caller

    def __str__(self) -> str:
        return " < ".join(f"{place.file}:{place.line}:{place.column}" for place in self.chain())


current: ContextVar[Location | None] = ContextVar("location", default=None)
scope: ContextVar[str] = ContextVar("scope", default="")


@contextmanager
def at(location: Location | None) -> Iterator[None]:
    """Make `location` the origin of the operations and errors made inside."""
    token = current.set(location)
    try:
        yield
    finally:
        current.reset(token)


@contextmanager
def within(name: str) -> Iterator[None]:
    """Append `name` (a Cell's path and class) to the scope of the operations made inside."""
    outer = scope.get()
    token = scope.set(f"{outer}/{name}" if outer else name)
    try:
        yield
    finally:
        scope.reset(token)
