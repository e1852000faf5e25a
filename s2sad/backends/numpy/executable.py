"""How is an emitted NumPy program run, and how does an error in it name the user's line?"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.backends.base import Executable
from s2sad.backends.numpy.emit import Program, emit
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.location import Location
from s2sad.ir.graph import Function
from s2sad.ir.primitive import as_run_time
from s2sad.ir.types import type_of

_numbers = itertools.count()


def build(function: Function) -> NumpyExecutable:
    """Executable of `function` on NumPy.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f64
    >>> build(build_function(lambda x: p.add(x, 1.0), [f64[2]])).run([np.zeros(2)])
    (array([1., 1.]),)
    """
    return NumpyExecutable(function, emit(function))


class NumpyExecutable(Executable):
    """A function of the IR as a Python function that calls NumPy."""

    def __init__(self, function: Function, program: Program) -> None:
        self.function = function
        self._program = program
        self._file = f"<s2sad numpy {function.title or function.name} {next(_numbers)}>"
        self._types = function.input_types
        names = dict(program.names)
        exec(compile(program.text, self._file, "exec"), names)
        self._call = names[program.name]
        linecache.cache[self._file] = (
            len(program.text), None, program.text.splitlines(True), self._file
        )  # fmt: skip
        weakref.finalize(self, linecache.cache.pop, self._file, None)

    def run(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """Results for `inputs`.

        Raises
        ------
        S2sadError
            E0303 when an input has another type than compiled for; E05 and E07 from
            operations that fail, located at the user's line.
        """
        inputs = [as_run_time(x) for x in inputs]
        found = tuple(type_of(x) for x in inputs)
        if found != self._types:
            raise fail("E0303", f"{self.function.name} takes {self._types}, got {found}")
        try:
            with np.errstate(all="ignore"):
                results = self._call(*inputs)
        except S2sadError as error:
            raise self._located(error) from None
        return tuple(as_run_time(x) for x in results)

    def _located(self, error: S2sadError) -> S2sadError:
        """`error` with the location of the operation that raised it."""
        found = error.diagnostic
        place = self._place(error)
        if found.location is not None or place is None:
            return error
        located = replace(found, location=place)
        return fail(
            located.code, located.message, location=place, label=located.label,
            notes=located.notes, help=located.help,
        )  # fmt: skip

    def _place(self, error: BaseException) -> Location | None:
        trace, place = error.__traceback__, None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self._file:
                place = self._program.places.get(trace.tb_lineno, place)
            trace = trace.tb_next
        return place

    @property
    def source(self) -> str:
        return self._program.text

    @property
    def kernels(self) -> tuple[str, ...]:
        return tuple(op.prim.name for op in self.function.walk() if not op.regions)
