"""What is a case? A small program, and what s2sad does with it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import s2sad as ms

#: Marks the line that an error must point at.
HERE = "# here"


def f32(*values: float) -> ms.Tensor:
    return ms.Tensor(np.array(values, np.float32))


def i32(value: int) -> ms.Tensor:
    return ms.Tensor(np.array(value, np.int32))


def usual() -> tuple[Any, ...]:
    """The arguments of most cases: a float32 Tensor of three elements."""
    return (f32(1.0, 2.0, 3.0),)


@dataclass
class Case:
    """One program.

    Attributes
    ----------
    row : str
        The construct, as the table has it.
    function : callable
    arguments : callable
        Makes the arguments of a call.
    code : str
        Of the error that it is; empty where it works.
    hint : str
        A word of the error's help.
    note : str
        For the table.
    gradient : bool
        Whether the gradient is compared with differences in float64.
    raises : type or None
        What it raises in any case.
    scalar : bool
        Whether compiled code gives a 0-d Tensor where Python gives a number.
    is_scenario : bool
        Whether the function gets what compiles, and calls it itself.
    at : callable or None
        The function in which the line is marked, where it is another one.
    """

    row: str
    function: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]] = usual
    code: str = ""
    hint: str = ""
    note: str = ""
    gradient: bool = True
    raises: type[Exception] | None = None
    scalar: bool = False
    is_scenario: bool = False
    at: Callable[..., Any] | None = None

    @property
    def line(self) -> int:
        """The line of the file that is marked."""
        lines, first = inspect.getsourcelines(self.at or self.function)
        return first + next(i for i, line in enumerate(lines) if line.rstrip().endswith(HERE))

    @property
    def name(self) -> str:
        return self.function.__name__


@dataclass
class Section:
    """One part of the table."""

    title: str
    cases: list[Case] = field(default_factory=list)

    def works(self, row: str, **options: Any) -> Callable[[Any], Any]:
        """The function gives compiled what it gives under plain Python, and its gradient."""

        def register(function: Any) -> Any:
            self.cases.append(Case(row, function, **options))
            return function

        return register

    def scenario(self, row: str, **options: Any) -> Callable[[Any], Any]:
        """As `works`, but the function is given `compile`, or what leaves things as they are."""
        return self.works(row, is_scenario=True, gradient=False, **options)

    def refused(self, row: str, code: str, hint: str, **options: Any) -> Callable[[Any], Any]:
        """The function is an error at its line that ends in `HERE`."""
        return self.works(row, code=code, hint=hint, **options)

    @property
    def rows(self) -> dict[str, list[Case]]:
        """Cases by row, in order."""
        found: dict[str, list[Case]] = {}
        for case in self.cases:
            found.setdefault(case.row, []).append(case)
        return found
