"""How does generated Python run, so that tracebacks show it and an error names the user's line?

What every target has in common whose program is Python: text that `linecache` holds as long as the
program lives, lines that know which place in the user's source they come from.
"""

from __future__ import annotations

import linecache
import weakref
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.backends.base import Executable
from s2sad.core import location as locations
from s2sad.core.diagnostics import fail, locate
from s2sad.core.location import Location
from s2sad.ir.graph import Function
from s2sad.ir.primitive import Form, as_run_time
from s2sad.ir.types import StackValue, TensorType, Type, type_of

#: Forms of operations that are statements of Python, or nothing at all.
STATEMENTS = (Form.IF, Form.WHILE, Form.FOR, Form.CONST)

#: The executables that live, by the names of their files.
_by_file: weakref.WeakValueDictionary[str, PythonExecutable] = weakref.WeakValueDictionary()


def source_of(place: Location) -> Location | None:
    """Where the user's source has what stands at `place`, if that is in a generated program."""
    executable = _by_file.get(place.file)
    return place if executable is None else executable.places.get(place.line)


class PythonExecutable(Executable):
    """A function of the IR as a Python function over arrays.

    Attributes
    ----------
    function : Function
    file : str
        Under this name tracebacks and debuggers find the text, as long as the executable lives.
    namespace : dict of str to object
        What the text defines, and what its free names are bound to.
    places : mapping of int to Location
        Line of the text to the source it comes from.
    """

    def __init__(
        self, function: Function, file: str, text: str, names: Mapping[str, Any],
        places: Mapping[int, Location],
    ) -> None:  # fmt: skip
        self.function = function
        self.file = file
        self.namespace = {"__name__": file, **names}
        self._text = text
        self.places = places
        self._types = function.input_types
        exec(compile(text, file, "exec"), self.namespace)
        _by_file[file] = self
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        weakref.finalize(self, linecache.cache.pop, file, None)

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
        self.prepare(arrays, given)
        token = locations.current.set(None)  # errors come from places of the program
        try:
            with np.errstate(all="ignore"):
                results = self.compute(arrays)
        except Exception as error:
            locate(error, self._place(error))
            raise
        finally:
            locations.current.reset(token)
        return tuple(map(_as_result, results))

    @abstractmethod
    def compute(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """Results for `arrays`, which are checked and prepared."""

    def prepare(self, arrays: list[Any], given: Collection[int]) -> None:
        """Make `arrays` fit for a program that writes into its inputs; by default it does not."""

    def _place(self, error: BaseException) -> Location | None:
        """Where the user's source has what raised `error`: by the innermost line that knows."""
        trace, place = error.__traceback__, None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.file:
                place = self.places.get(trace.tb_lineno, place)
            trace = trace.tb_next
        return place

    @property
    def source(self) -> str:
        return self._text

    @property
    def kernels(self) -> tuple[str, ...]:
        return tuple(op.prim.name for op in self.function.walk() if op.prim.form not in STATEMENTS)


def _is_of(value: Any, type: Type) -> bool:  # noqa: A002
    if isinstance(type, TensorType) and isinstance(value, np.ndarray):
        return value.dtype == type.dtype.storage and value.shape == type.shape
    return type_of(value) == type


def _as_result(value: Any) -> Any:
    if isinstance(value, StackValue) and not value.element.shape:
        value[:] = map(np.asarray, value)
    return as_run_time(value)
