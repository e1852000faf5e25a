"""How is a program of C run on arrays of NumPy?"""

from __future__ import annotations

import ctypes
import functools
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from s2sad.backends.base import Executable, MemoryReport, nbytes
from s2sad.backends.c.channel import HandedOver, QueueChannel, address_of, handed_over
from s2sad.backends.c.emit import Program, Unit, emit
from s2sad.backends.c.handed import HandedProgram
from s2sad.backends.c.profile import profiled, timed_steps
from s2sad.backends.c.programs import library_of
from s2sad.backends.c.queue import queues
from s2sad.backends.c.runtime import load_runtime
from s2sad.backends.timings import Timed
from s2sad.core import location as locations
from s2sad.core import recording
from s2sad.core.diagnostics import fail, locate
from s2sad.ir.graph import Function, Operation
from s2sad.ir.loops import is_loop
from s2sad.ir.primitive import as_run_time
from s2sad.ir.types import StackType, StackValue, TensorType, Token, Type, type_of
from s2sad.prims.channel import Channel, served

_HOST = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_int32,
    ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int32),
)  # fmt: skip
_FAILED, _NO_MEMORY = 1, 2


def build(function: Function) -> CExecutable:
    """Executable of `function` in C.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f64
    >>> build(build_function(lambda x: p.add(x, 1.0), [f64[2]])).run([np.zeros(2)])
    (array([1., 1.]),)
    """
    return compile_many([function])[0]


def compile_many(functions: Sequence[Function]) -> list[CExecutable]:
    """Executables of `functions`, compiled as one file."""
    unit = emit(functions)
    library = library_of(unit)
    return [CExecutable(unit, program, library) for program in unit.programs]


class CExecutable(Executable):
    """A function of the IR as a program of C."""

    def __init__(self, unit: Unit, program: Program, library: ctypes.CDLL) -> None:
        self.function = program.function
        self._unit = unit
        self._program = program
        self._library = library  # its code must stay
        self._inputs = self.function.input_types
        self._outputs = self.function.result_types
        self._runs = _Runs(program, library)
        self._queue_names = queues(self.function.walk())

    def run(self, inputs: Sequence[Any], *, given: Collection[int] = ()) -> tuple[Any, ...]:
        """Results for `inputs`; see `Executable.run`.

        Raises
        ------
        S2sadError
            E0303 when an input has another type than compiled for; E05 and E07 from
            operations that fail, located at the user's line.
        MemoryError
            When the program finds no memory.
        """
        arrays = [_as_input(x) for x in inputs]
        if len(arrays) != len(self._inputs) or not all(map(_is_of, arrays, self._inputs)):
            found = tuple(map(type_of, arrays))
            raise fail("E0303", f"{self.function.name} takes {self._inputs}, got {found}")
        taken = {i: self.function.donates[i] for i in self._program.layout.overwrites if i in given}
        if taken and _overlap(arrays):
            for index in taken:
                _separate(arrays, index)
        outputs: list[Any] = [_empty(type_) for type_ in self._outputs]
        for index, result in taken.items():
            outputs[result] = arrays[index]
        run = self._runs.take()
        queues = self._queues()
        try:
            if recording.active is None:
                self._once(run, queues, arrays, outputs)
            else:
                once = functools.partial(self._once, run, queues, arrays, outputs)
                self._tell(recording.active, run, once)
            for number, slot in self._program.layout.stack_results.items():
                outputs[number] = run.stack(slot.number, self._outputs[number])
        finally:
            self._runs.give_back(run)
        return tuple(outputs)

    def _once(
        self, run: _Run, queues: Sequence[QueueChannel], arrays: Sequence[Any], outputs: list[Any]
    ) -> None:  # fmt: skip
        """Run, and save what the last step of a sink has left where the next one fails."""
        if queues:
            run.serve([channel.pointer for channel in queues])
        try:
            run.once(arrays, outputs)
        except BaseException:
            if not run.is_torn:
                for channel in queues:
                    channel.save()
            raise

    def _tell(self, recorder: recording.Recorder, run: _Run, once: Callable[[], None]) -> None:
        """Run it `once`, and tell `recorder` where the time went."""
        recorder.program(profiled(self, self._program, self._timed, run.watch, once))

    @functools.cached_property
    def _timed(self) -> list[Timed | None]:
        return timed_steps(self._program)

    def channel(self) -> Channel:
        """Of the runtime, for a program that takes its batches from a queue."""
        if not self._queue_names:
            return super().channel()
        return QueueChannel(load_runtime(), self.function, types=self._handed_over)

    @functools.cached_property
    def _handed_over(self) -> HandedOver:
        return handed_over(self.function)

    def _queues(self) -> list[QueueChannel]:
        """The queues that are served now, in the order of the program's numbers (E0304, E0512)."""
        channels = [served(name) for name in self._queue_names]
        for name, channel in zip(self._queue_names, channels, strict=True):
            if not isinstance(channel, QueueChannel):
                raise fail(
                    "E0304", f"the queue {name!r} of a program of C is served by another channel",
                    help="serve what `channel` of its executable gives",
                )  # fmt: skip
        return channels  # type: ignore[return-value]

    @property
    def overwrites(self) -> frozenset[int]:
        return frozenset(self._program.layout.overwrites)

    @property
    def source(self) -> str:
        return self._unit.text

    @property
    def kernels(self) -> tuple[str, ...]:
        return self._program.kernels

    def memory_report(self) -> MemoryReport:
        """Bytes that a run needs: the peak is what the arena holds, and what is given."""
        function, layout = self.function, self._program.layout
        inputs = sum(map(nbytes, function.args))
        results = sum(map(nbytes, function.results))
        constants = sum(array.nbytes for array in self._program.constants)
        return MemoryReport(inputs, constants, results, inputs + constants + results + layout.arena)


_POINTER = ctypes.c_void_p
#: Results and arguments of the functions of the runtime that run a program.
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "run_new": (_POINTER, [_POINTER, _POINTER]),
    "run_free": (None, [_POINTER]),
    "run_once": (ctypes.c_int, [_POINTER] * 5),
    "run_place": (_POINTER, [_POINTER, ctypes.c_int32]),
    "run_rest": (None, [_POINTER]),
    "run_serve": (None, [_POINTER, _POINTER]),
    "run_profile": (None, [_POINTER, _POINTER]),
    "run_failed": (ctypes.c_int32, [_POINTER]),
    "run_stack": (_POINTER, [_POINTER, ctypes.c_size_t]),
    "stack_push": (ctypes.c_int, [_POINTER, _POINTER]),
    "stack_at": (_POINTER, [_POINTER, ctypes.c_int64]),
    "stack_count": (ctypes.c_int64, [_POINTER]),
}


@functools.cache
def _runtime() -> ctypes.CDLL:
    """The runtime, which knows what its functions take."""
    runtime = load_runtime()
    for name, (result, arguments) in _SIGNATURES.items():
        called = getattr(runtime, f"s2_{name}")
        called.restype, called.argtypes = result, arguments
    return runtime


class _Runs:
    """Memory for runs of a program: as many as ever ran at one time."""

    def __init__(self, program: Program, library: ctypes.CDLL) -> None:
        self._program = program
        self._handed = HandedProgram(program, library) if program.is_open else None
        self._address = self._handed.address if self._handed else ctypes.addressof(
            ctypes.c_char.in_dll(library, f"s2_program_{program.number}")
        )  # fmt: skip
        self._idle: list[_Run] = []

    def take(self) -> _Run:
        """One that nobody uses; `list.pop` is one step for threads."""
        try:
            return self._idle.pop()
        except IndexError:
            return _Run(self._program, self._address)

    def give_back(self, run: _Run) -> None:
        """Let others use it."""
        run.rest()
        self._idle.append(run)


class _Run:
    """Memory for one run at a time, and what the host does in it."""

    def __init__(self, program: Program, address: int) -> None:
        self._runtime = runtime = _runtime()
        self._program = program
        constants = (ctypes.c_void_p * (len(program.constants) + 1))(
            *(array.ctypes.data for array in program.constants)
        )
        self._pointer = runtime.s2_run_new(address, constants)
        if not self._pointer:
            raise _no_memory(program)
        weakref.finalize(self, runtime.s2_run_free, self._pointer)
        places = ctypes.c_void_p * max(1, len(program.function.args))
        self._inputs = places()
        self._outputs = (ctypes.c_void_p * max(1, len(program.function.results)))()
        self._error: BaseException | None = None
        self._has_stacks = has_stacks(program)
        weak = weakref.ref(self)  # the callback must not keep what owns it

        def host(_: Any, place: int, p: Any, a: Any) -> int:
            this = weak()
            return 1 if this is None else this._compute(place, p, a)

        self._host = _HOST(host)

    def once(self, arrays: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Run on `arrays`, and write the results into `outputs`."""
        for number, array in enumerate(arrays):
            self._inputs[number] = self._address_of(array)
        for number, array in enumerate(outputs):
            self._outputs[number] = address_of(array) if isinstance(array, np.ndarray) else None
        self._error = None
        code = self._runtime.s2_run_once(
            self._pointer, self._inputs, self._outputs, self._host, None
        )
        if code:
            raise self._failure(code)

    @property
    def is_torn(self) -> bool:
        """Whether the step of a sink that failed had begun to write over its state."""
        step = self._runtime.s2_run_failed(self._pointer)
        return self._program.layout.is_torn(step)

    def serve(self, queues: Sequence[int]) -> None:
        """Let the run that comes reach `queues`."""
        self._queues = (ctypes.c_void_p * max(1, len(queues)))(*queues)
        self._runtime.s2_run_serve(self._pointer, self._queues)

    def watch(self, profile: int | None) -> None:
        """Let the runs that come note in the structure at `profile` where their time goes."""
        self._runtime.s2_run_profile(self._pointer, profile)

    def _address_of(self, value: Any) -> int | None:
        if isinstance(value, np.ndarray):
            return address_of(value)
        if isinstance(value, StackValue):
            return self._pushed(value)
        return None

    def rest(self) -> None:
        """Let go of what stacks hold."""
        if self._has_stacks:
            self._runtime.s2_run_rest(self._pointer)

    # ---- stacks ----------------------------------------------------------------------------

    def _pushed(self, value: StackValue) -> int:
        """A stack of the runtime with what `value` holds, which is used up."""
        stack = self._runtime.s2_run_stack(self._pointer, value.element.nbytes)
        for array in map(_as_input, value):
            if not stack or self._runtime.s2_stack_push(stack, array.ctypes.data):
                raise _no_memory(self._program)
        value.clear()
        return stack

    def stack(self, slot: int, type_: Type) -> StackValue:
        """What the stack in `slot` holds."""
        assert isinstance(type_, StackType)
        stack = self._runtime.s2_run_place(self._pointer, slot)
        element = type_.element
        arrays = [
            _array_at(self._runtime.s2_stack_at(stack, index), element).copy()
            for index in range(self._runtime.s2_stack_count(stack))
        ]
        return StackValue(element, arrays)

    # ---- the host --------------------------------------------------------------------------

    def _compute(self, place: int, p: Any, a: Any) -> int:
        """What C leaves to Python: an operation by its NumPy meaning."""
        try:
            operation = self._program.operations[place]
            inputs = [v for v in operation.operands if isinstance(v.type, TensorType)]
            count = len(inputs)
            arrays = iter([_array_at(p[a[i]], v.type) for i, v in enumerate(inputs)])
            results = _by_meaning(operation, _operands(operation, arrays))
            tensors = [r for r in results if isinstance(r, np.ndarray)]
            outputs = [v for v in operation.results if isinstance(v.type, TensorType)]
            for i, (value, result) in enumerate(zip(outputs, tensors, strict=True)):
                _array_at(p[a[count + i]], value.type)[...] = result
        except BaseException as error:  # C cannot raise it: `once` does, when the program is left
            self._error = error
            return 1
        return 0

    # ---- what went wrong -------------------------------------------------------------------

    def _failure(self, code: int) -> BaseException:
        """The error of the operation that failed, at its place in the user's source."""
        if code == _NO_MEMORY:
            return _no_memory(self._program)
        step = self._runtime.s2_run_failed(self._pointer)
        failed = self._program.layout.steps[step]
        operation = failed.operation
        assert operation is not None
        error = self._error or self._found_again(operation, failed.slots)
        locate(error, operation.loc)  # type: ignore[arg-type]
        return error

    def _found_again(self, operation: Operation, slots: Sequence[Any]) -> BaseException:
        """What the meaning of `operation` raises for the operands that made its kernel fail."""
        if is_loop(operation):
            return fail("E0404", "the step of `range` must not be 0", location=operation.loc)
        if any(isinstance(v.type, StackType) for v in operation.operands):
            return fail("E0502", "pop from an empty stack", location=operation.loc)
        inputs = [v for v in operation.operands if isinstance(v.type, TensorType)]
        arrays = iter([
            _array_at(self._runtime.s2_run_place(self._pointer, slot.number), value.type)
            for value, slot in zip(inputs, slots, strict=False)
        ])  # fmt: skip
        try:
            _by_meaning(operation, _operands(operation, arrays))
        except Exception as error:
            return error
        return fail("E0901", f"{operation.prim.name} failed in C, and does not by its meaning")


def has_stacks(program: Program) -> bool:
    """Whether a run of `program` makes stacks, or is given some."""
    is_given = any(isinstance(t, StackType) for t in program.function.input_types)
    return is_given or any(step.op == "STACK_NEW" for step in program.layout.steps)


def _by_meaning(operation: Operation, operands: Sequence[Any]) -> tuple[Any, ...]:
    types = tuple(value.type for value in operation.results)
    token = locations.current.set(operation.loc)  # errors come from places of the program
    try:
        return operation.prim.run(list(operands), dict(operation.attrs), types)
    finally:
        locations.current.reset(token)


def _operands(operation: Operation, arrays: Iterator[np.ndarray]) -> list[Any]:
    return [next(arrays) if isinstance(v.type, TensorType) else Token for v in operation.operands]


def _array_at(address: int | None, type_: Type) -> np.ndarray:
    """The tensor that lies at `address`, as an array over its memory."""
    assert isinstance(type_, TensorType)
    size = type_.nbytes
    assert isinstance(size, int)
    if not size or not address:
        return np.empty(type_.shape, type_.dtype.storage)  # type: ignore[arg-type]
    memory = (ctypes.c_char * size).from_address(address)
    return np.frombuffer(memory, type_.dtype.storage).reshape(type_.shape)  # type: ignore[arg-type]


def _as_input(value: Any) -> Any:
    """`value` as an array in the order of C, or as it is where it is none."""
    value = as_run_time(value)
    if isinstance(value, np.ndarray) and not (value.flags.c_contiguous and value.flags.aligned):
        return np.require(value.copy(order="C"), requirements="A")
    return value


def _is_of(value: Any, type_: Type) -> bool:
    if isinstance(type_, TensorType) and isinstance(value, np.ndarray):
        return value.dtype == type_.dtype.storage and value.shape == type_.shape
    return type_of(value) == type_


def _empty(type_: Type) -> Any:
    if isinstance(type_, TensorType):
        return np.empty(type_.shape, type_.dtype.storage)  # type: ignore[arg-type]
    return Token


def _overlap(arrays: Sequence[Any]) -> bool:
    """Whether any two of `arrays`, all contiguous, share memory."""
    spans = sorted((address_of(x), x.nbytes) for x in arrays if isinstance(x, np.ndarray))
    return any(one + size > other for (one, size), (other, _) in pairwise(spans))


def _separate(arrays: list[Any], index: int) -> None:
    """Let no other input share memory with input `index`, which is overwritten."""
    for i, other in enumerate(arrays):
        is_other = i != index and isinstance(other, np.ndarray)
        if is_other and np.may_share_memory(other, arrays[index]):
            arrays[i] = other.copy()


def _no_memory(program: Program) -> MemoryError:
    name = program.function.title or program.function.name
    return MemoryError(f"no memory is left for {name}: {program.layout.arena:,} bytes of arena")
