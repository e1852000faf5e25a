"""How is an emitted NumPy program run?"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from s2sad.backends.generated import PythonExecutable
from s2sad.backends.numpy.emit import Program, emit
from s2sad.backends.numpy.kernel import read_only
from s2sad.backends.numpy.profile import Clock, current
from s2sad.backends.timings import Timed
from s2sad.core import recording
from s2sad.ir.graph import Function

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


class NumpyExecutable(PythonExecutable):
    """A function of the IR as a Python function that calls NumPy."""

    def __init__(self, function: Function, program: Program) -> None:
        file = f"<s2sad numpy {function.title or function.name} {next(_numbers)}>"
        super().__init__(function, file, program.text, program.names, program.places)
        self._call = self.namespace[program.name]
        self._overwrites = program.overwrites

        self._timed = [Timed(op.prim.name, op) for op in program.timed]

    def run(self, inputs: Sequence[Any], *, given: Collection[int] = ()) -> tuple[Any, ...]:
        recorder = recording.active
        if recorder is None:
            return super().run(inputs, given=given)
        timed = self._telling
        clock = Clock(len(timed._timed))
        token = current.set(clock)
        try:
            with recording.inside():
                results = super(NumpyExecutable, timed).run(inputs, given=given)
        finally:
            current.reset(token)
        recorder.program(clock.timings(self, timed._timed))
        return results

    @functools.cached_property
    def _telling(self) -> NumpyExecutable:
        """The same, which tells how long each operation took."""
        return NumpyExecutable(self.function, emit(self.function, is_timed=True))

    def compute(self, arrays: Sequence[Any]) -> tuple[Any, ...]:
        return self._call(*arrays)

    def prepare(self, arrays: list[Any], given: Collection[int]) -> None:
        for index in self._overwrites:
            if index in given:
                _separate(arrays, index)
            else:
                arrays[index] = read_only(arrays[index])

    @property
    def overwrites(self) -> frozenset[int]:
        return self._overwrites


def _separate(arrays: list[Any], index: int) -> None:
    """Let no other input share memory with input `index`, which is overwritten."""
    for i, other in enumerate(arrays):
        is_other = i != index and isinstance(other, np.ndarray)
        if is_other and np.may_share_memory(other, arrays[index]):
            arrays[i] = other.copy()
