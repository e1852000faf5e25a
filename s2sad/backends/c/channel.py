"""How does the host reach the queue of a program of C?"""

from __future__ import annotations

import ctypes
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.ir.graph import Function
from s2sad.ir.types import TensorType, Type
from s2sad.prims.channel import BATCHES, REPORTS, Channel, require_types
from s2sad.prims.queue import queue_keep, queue_next, queue_report

_POINTER, _COUNT = ctypes.c_void_p, ctypes.c_int64
#: Results and arguments of the functions of the unit.
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "new": (_POINTER, [ctypes.c_int32, ctypes.c_int32, _POINTER] * 2),
    "free": (None, [_POINTER]),
    "has_room": (ctypes.c_int, [_POINTER]),
    "put": (ctypes.c_int, [_POINTER, _POINTER]),
    "taken": (_COUNT, [_POINTER]),
    "close": (None, [_POINTER]),
    "stop": (None, [_POINTER]),
    "take_report": (ctypes.c_int, [_POINTER, _POINTER, _POINTER]),
    "wait": (None, [_POINTER, ctypes.c_double]),
    "finish": (None, [_POINTER]),
    "is_finished": (ctypes.c_int, [_POINTER]),
    "steps": (_COUNT, [_POINTER]),
    "kept": (_POINTER, [_POINTER, ctypes.c_int32]),
    "next": (ctypes.c_int, [_POINTER, _POINTER, _POINTER]),
    "report": (ctypes.c_int, [_POINTER, _POINTER]),
    "keep": (ctypes.c_int, [_POINTER, ctypes.c_int32, _POINTER, _POINTER]),
}


class QueueChannel(Channel):
    """A channel whose rings are the runtime's: kernels use them without Python.

    Parameters
    ----------
    library : ctypes.CDLL
        That holds the unit ``queue``.
    function : Function
        The program, with one queue.
    batches, reports : int
        That wait at most.

    Attributes
    ----------
    pointer : int
        The queue, for kernels.
    """

    def __init__(
        self, library: ctypes.CDLL, function: Function,
        batches: int = BATCHES, reports: int = REPORTS,
    ) -> None:  # fmt: skip
        self._library = library
        for name, (result, arguments) in _SIGNATURES.items():
            called = getattr(library, f"s2_queue_{name}")
            called.restype, called.argtypes = result, arguments
        self._types, self._results, self._kept = _types_in(function)
        values, results = map(_sizes, (self._types, self._results))
        self.pointer = library.s2_queue_new(
            batches, len(self._types), values, reports, len(self._results), results
        )
        if not self.pointer:
            raise MemoryError("no memory is left for the queue of a program")
        weakref.finalize(self, library.s2_queue_free, self.pointer)
        self._held: deque[tuple[np.ndarray, ...]] = deque()  # arrays that the program may yet read
        self._first = 0  # number of the first batch in it

    def _call(self, name: str, *args: Any) -> Any:
        return getattr(self._library, f"s2_queue_{name}")(self.pointer, *args)

    # ---- the host's side -------------------------------------------------------------------

    @property
    def steps(self) -> int:
        return self._call("steps")

    @property
    def state(self) -> tuple[Any, ...] | None:
        found = [self._call("kept", i) for i in range(len(self._kept))]
        if not self.steps or not all(found):
            return None
        return tuple(_copy_of(at, t) for at, t in zip(found, self._kept, strict=True))

    @property
    def is_finished(self) -> bool:
        return bool(self._call("is_finished"))

    @property
    def has_room(self) -> bool:
        return bool(self._call("has_room"))

    def put(self, arrays: Sequence[Any]) -> bool:
        require_types(arrays, self._types)
        held = tuple(np.asarray(array, order="C") for array in arrays)
        while self._first < self._call("taken"):
            self._held.popleft()
            self._first += 1
        if self._call("put", _addresses(held)):
            return False
        self._held.append(held)
        return True

    def close(self) -> None:
        self._call("close")

    def stop(self) -> None:
        self._call("stop")

    def reports(self) -> list[tuple[np.ndarray, ...]]:
        found, number = [], _COUNT()
        while True:
            arrays = tuple(map(_empty, self._results))
            if self._call("take_report", ctypes.byref(number), _addresses(arrays)):
                return found
            found.append(arrays)

    def wait(self, seconds: float) -> None:
        self._call("wait", seconds)

    # ---- the program's side, where the host computes a step ----------------------------------

    def next(self, types: Sequence[Type]) -> tuple[np.ndarray, ...] | None:
        values, more = tuple(map(_empty, self._types)), ctypes.c_uint8()
        self._call("next", _addresses(values), ctypes.byref(more))
        return values if more.value else None

    def report(self, values: Sequence[Any]) -> None:
        self._call("report", _addresses([np.asarray(value, order="C") for value in values]))

    def keep(self, state: Sequence[Any]) -> None:
        arrays = [np.asarray(value, order="C") for value in state]
        if self._call("keep", len(arrays), _addresses(arrays), _sizes(self._kept)):
            raise MemoryError("no memory is left for what a step has left")

    def finish(self) -> None:
        self._call("finish")


def _types_in(function: Function) -> tuple[tuple[TensorType, ...], ...]:
    """Types of a batch, of the results of a step, and of what it leaves."""
    found = {op.prim: op for op in function.walk()}
    return (
        tuple(v.tensor_type for v in found[queue_next].results[2:]),
        tuple(v.tensor_type for v in found[queue_report].operands[1:]),
        tuple(v.tensor_type for v in found[queue_keep].results[1:]),
    )


def _empty(type_: TensorType) -> np.ndarray:
    return np.empty(type_.shape, type_.dtype.storage)  # type: ignore[arg-type]


def _copy_of(address: int, type_: TensorType) -> np.ndarray:
    array = _empty(type_)
    ctypes.memmove(array.ctypes.data, address, array.nbytes)
    return array


def _sizes(types: Sequence[TensorType]) -> Any:
    return (ctypes.c_int64 * max(len(types), 1))(*(t.nbytes for t in types))


def _addresses(arrays: Sequence[np.ndarray]) -> Any:
    return (ctypes.c_void_p * max(len(arrays), 1))(*(array.ctypes.data for array in arrays))
