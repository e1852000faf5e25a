"""How does a program run so that a person can follow it, line by line?

What runs is the text that people read: the source style of the IR, its primitives called on arrays.
It is slower than what a target makes of the program, but a traceback shows its lines, and a
debugger steps through them and finds every value under its name. Where a device is simulated each
operation is launched there instead.
"""

from __future__ import annotations

import inspect
from bisect import bisect_left
from collections.abc import Sequence
from itertools import count
from types import FunctionType
from typing import Any

from s2sad.backends.generated import PythonExecutable
from s2sad.core import simulation
from s2sad.core.location import Location
from s2sad.ir import plain
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.marks import mark
from s2sad.ir.printer import Constants, print_text

#: Numbers the programs of a title.
_numbers: dict[str, count[int]] = {}


def build(function: Function, title: str) -> StepwiseExecutable:
    """Executable of `function` that runs operation by operation.

    Parameters
    ----------
    function : Function
    title : str
        What it is, for tracebacks: ``"grad of rnn.Net.construct"``.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f64
    >>> program = build(build_function(lambda x: p.add(x, x), [f64[2]], names=["x"]), "twice")
    >>> program.file, program.run([np.ones(2)])
    ('<s2sad twice>', (array([2., 2.]),))
    """
    return StepwiseExecutable(function, title)


class StepwiseExecutable(PythonExecutable):
    """A function of the IR as the Python that people read.

    Attributes
    ----------
    generated : function
        The Python function itself: what a debugger takes for a breakpoint.
    """

    def __init__(self, function: Function, title: str) -> None:
        number = next(_numbers.setdefault(title, count(1)))
        file = f"<s2sad {title}>" if number == 1 else f"<s2sad {title}, {number}>"
        constants = Constants(f"{function.name}.npz")
        text = print_text(function, style="source", constants=constants)
        super().__init__(function, file, text, {}, _places(function, text))
        names = self.namespace.values()
        marked = next(x for x in names if isinstance(x, FunctionType) and hasattr(x, "ir"))
        self.generated = inspect.unwrap(marked)
        self._constants = constants.arrays

    def compute(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        if simulation.chosen is not None:
            with simulation.launching():
                return evaluate(self.function, arrays)
        token = plain.constants.set(self._constants)
        try:
            results = self.generated(*arrays)
        finally:
            plain.constants.reset(token)
        return results if isinstance(results, tuple) else (results,)

    @property
    def overwrites(self) -> frozenset[int]:
        return frozenset()


def _places(function: Function, text: str) -> dict[int, Location]:
    """The location that the mark at the end of each line stands for.

    A line of the backward sweep may have the mark of one of the forward sweep: both are gone
    through in order.
    """
    known: dict[str, list[tuple[int, Location]]] = {}
    for number, operation in enumerate(function.walk()):
        if operation.loc is not None:
            marked = f"#{mark(operation.loc)}"
            known.setdefault(marked, []).append((number, operation.loc))
    found, at = {}, 0
    for number, line in enumerate(text.splitlines(), 1):
        places = known.get(_mark_in(line), ())
        if places:
            later = bisect_left(places, at, key=lambda place: place[0])
            at, found[number] = places[min(later, len(places) - 1)]
    return found


def _mark_in(line: str) -> str:
    return "#@" + line.rpartition("#@")[2]
