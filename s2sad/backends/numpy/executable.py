"""How is an emitted NumPy program run, and how does an error in it name the user's line?"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.backends.base import Executable
from s2sad.backends.numpy.emit import Program, emit
from s2sad.backends.numpy.kernel import read_only
from s2sad.core import location as locations
from s2sad.core.diagnostics import Diagnostic, S2sadError, fail, raised
from s2sad.core.location import Location
from s2sad.ir.graph import Function
from s2sad.ir.primitive import Form, as_run_time
from s2sad.ir.types import StackValue, TensorType, Type, type_of

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
    """A function of the IR as a Python function that calls NumPy.

    While it lives, tracebacks and debuggers find its text in `linecache`.
    """

    def __init__(self, function: Function, program: Program) -> None:
        self.function = function
        self._program = program
        self._file = f"<s2sad numpy {function.title or function.name} {next(_numbers)}>"
        self._types = function.input_types
        names = {"__name__": self._file, **program.names}
        exec(compile(program.text, self._file, "exec"), names)
        self._call = names[program.name]
        linecache.cache[self._file] = (
            len(program.text), None, program.text.splitlines(True), self._file
        )  # fmt: skip
        weakref.finalize(self, linecache.cache.pop, self._file, None)

    def run(self, inputs: Sequence[Any], *, given: Collection[int] = ()) -> tuple[Any, ...]:
        """Results for `inputs`; see `Executable.run`.

        Raises
        ------
        S2sadError
            E0303 when an input has another type than compiled for; E05 and E07 from
            operations that fail, located at the user's line.
        Exception
            What the program raises by itself, with the user's line as a note.
        """
        arrays = [as_run_time(x) for x in inputs]
        if len(arrays) != len(self._types) or not all(map(_is_of, arrays, self._types)):
            found = tuple(map(type_of, arrays))
            raise fail("E0303", f"{self.function.name} takes {self._types}, got {found}")
        for index in self._program.overwrites:
            if index in given:
                _separate(arrays, index)
            else:
                arrays[index] = read_only(arrays[index])
        token = locations.current.set(None)  # errors come from places of the program
        try:
            with np.errstate(all="ignore"):
                results = self._call(*arrays)
        except Exception as error:
            located = self._located(error)
            if located is None:
                raise
            raise located from None
        finally:
            locations.current.reset(token)
        return tuple(map(_as_result, results))

    def _located(self, error: Exception) -> Exception | None:
        """`error` with the place of the operation that raised it; None where it stays as it is."""
        found, place = getattr(error, "diagnostic", None), self._place(error)
        if not isinstance(found, Diagnostic) or found.location is not None or place is None:
            return None
        if not isinstance(error, S2sadError):  # raised by the program itself
            with locations.at(place):
                return raised(type(error).__name__, *error.args)
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
    def overwrites(self) -> frozenset[int]:
        return self._program.overwrites

    @property
    def source(self) -> str:
        return self._program.text

    @property
    def kernels(self) -> tuple[str, ...]:
        called = (Form.IF, Form.WHILE, Form.FOR, Form.CONST)
        return tuple(op.prim.name for op in self.function.walk() if op.prim.form not in called)


def _is_of(value: Any, type: Type) -> bool:  # noqa: A002
    if isinstance(type, TensorType) and isinstance(value, np.ndarray):
        return value.dtype == type.dtype.storage and value.shape == type.shape
    return type_of(value) == type


def _separate(arrays: list[Any], index: int) -> None:
    """Let no other input share memory with input `index`, which is overwritten."""
    for i, other in enumerate(arrays):
        is_other = i != index and isinstance(other, np.ndarray)
        if is_other and np.may_share_memory(other, arrays[index]):
            arrays[i] = other.copy()


def _as_result(value: Any) -> Any:
    if isinstance(value, StackValue) and not value.element.shape:
        value[:] = map(np.asarray, value)
    return as_run_time(value)
