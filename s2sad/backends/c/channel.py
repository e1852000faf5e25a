"""How does the host reach the queue of a program of C?"""

from __future__ import annotations

import ctypes
import functools
import weakref
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from s2sad.ir.graph import Function
from s2sad.ir.types import TensorType, Type
from s2sad.prims.channel import BATCHES, REPORTS, Channel, require_types
from s2sad.prims.queue import queue_keep, queue_next, queue_report

_POINTER, _COUNT = ctypes.c_void_p, ctypes.c_int64
#: Bytes of the results of steps for which memory is taken at a time.
SMALL = 1024
#: Batches that wait at most where they are small, and bytes up to which more than `BATCHES` do:
#: each time that the two sides take turns costs as much as a short step.
MOST, FEW = 32, 1 << 20
#: What `s2_queue_counts` counts.
_TAKEN, _WRITTEN, _FINISHED = range(3)
#: Where in an array NumPy has the address of its elements: behind what every object has.
_ADDRESS = object.__basicsize__
#: Results and arguments of the functions of the unit.
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "new": (_POINTER, [ctypes.c_int32, ctypes.c_int32, _POINTER] * 2),
    "free": (None, [_POINTER]),
    "has_room": (ctypes.c_int, [_POINTER]),
    "put": (ctypes.c_int, [_POINTER, _POINTER]),
    "taken": (_COUNT, [_POINTER]),
    "close": (None, [_POINTER]),
    "stop": (None, [_POINTER]),
    "counts": (_POINTER, [_POINTER]),
    "take_reports": (_COUNT, [_POINTER, _COUNT, _POINTER]),
    "wait": (None, [_POINTER, ctypes.c_double]),
    "finish": (None, [_POINTER]),
    "is_finished": (ctypes.c_int, [_POINTER]),
    "steps": (_COUNT, [_POINTER]),
    "kept": (_POINTER, [_POINTER, ctypes.c_int32]),
    "next": (ctypes.c_int, [_POINTER, _POINTER, _POINTER]),
    "report": (ctypes.c_int, [_POINTER, _POINTER]),
    "keep": (ctypes.c_int, [_POINTER, ctypes.c_int32, _POINTER]),
}


#: Types of a batch, of the results of a step, and of what it leaves.
HandedOver = tuple[tuple[TensorType, ...], ...]


class QueueChannel(Channel):
    """A channel whose rings are the runtime's: kernels use them without Python.

    Parameters
    ----------
    library : ctypes.CDLL
        That holds the unit ``queue``.
    function : Function
        The program, with one queue.
    batches, reports : int
        That wait at most; by default, the more batches the smaller they are.
    types : tuple of tuple of TensorType, optional
        What `handed_over` gives, where that is known.

    Attributes
    ----------
    pointer : int
        The queue, for kernels.
    """

    def __init__(
        self, library: ctypes.CDLL, function: Function,
        batches: int | None = None, reports: int = REPORTS, types: HandedOver | None = None,
    ) -> None:  # fmt: skip
        functions = _functions(library)
        self._types, self._results, self._kept = types or handed_over(function)
        self._state: tuple[np.ndarray, ...] | None = None
        self._most = room_for(self._types) if batches is None else batches
        values, results = map(_sizes, (self._types, self._results))
        self.pointer = functions["new"](
            self._most, len(self._types), values, reports, len(self._results), results
        )
        if not self.pointer:
            raise MemoryError("no memory is left for the queue of a program")
        weakref.finalize(self, functions["free"], self.pointer)
        self._bound = {name: partial(f, self.pointer) for name, f in functions.items()}
        self._put, self._take_reports = self._bound["put"], self._bound["take_reports"]
        self._counts = (_COUNT * 3).from_address(self._call("counts"))
        self._batch = [(t.dtype.storage, t.shape) for t in self._types]
        self._report = [(t.shape, t.dtype.storage) for t in self._results]
        size = sum(t.nbytes for t in self._results)  # type: ignore[misc]
        self._at_once = SMALL // size if 0 < size <= SMALL else 1  # reports with one memory
        self._held: deque[tuple[np.ndarray, ...]] = deque()  # arrays that the program may yet read
        self._first = 0  # number of the first batch in it
        self._seen = 0  # reports
        self._is_closed = False

    def _call(self, name: str, *args: Any) -> Any:
        return self._bound[name](*args)

    # ---- the host's side -------------------------------------------------------------------

    @property
    def steps(self) -> int:
        return self._call("steps")

    @property
    def state(self) -> tuple[Any, ...] | None:
        return self._state

    def save(self) -> None:
        """Take over what the last step that ended has left: its memory goes to another run."""
        found = [self._call("kept", i) for i in range(len(self._kept))]
        if self.steps:
            self._state = tuple(_copy_of(at, t) for at, t in zip(found, self._kept, strict=True))

    @property
    def is_finished(self) -> bool:
        return self._counts[_FINISHED] != 0 and bool(self._call("is_finished"))

    @property
    def has_room(self) -> bool:
        waiting = self._first + len(self._held) - self._counts[_TAKEN]
        return waiting < self._most and not self._is_closed

    def put(self, arrays: Sequence[Any]) -> bool:
        held = tuple([np.asarray(array, order="C") for array in arrays])
        if [(array.dtype, array.shape) for array in held] != self._batch:
            require_types(arrays, self._types)
        taken = self._counts[_TAKEN]
        while self._first < taken:
            self._held.popleft()
            self._first += 1
        if self._put(_addresses(held)):
            return False
        self._held.append(held)
        return True

    def close(self) -> None:
        self._is_closed = True
        self._call("close")

    def stop(self) -> None:
        self._is_closed = True
        self._call("stop")

    def reports(self) -> list[tuple[np.ndarray, ...]]:
        found: list[tuple[np.ndarray, ...]] = []
        while count := min(self._counts[_WRITTEN] - self._seen, self._at_once):
            blocks = [np.empty((count, *shape), dtype) for shape, dtype in self._report]
            self._take_reports(count, _addresses(blocks))
            self._seen += count
            found += [tuple([block[i, ...] for block in blocks]) for i in range(count)]
        return found

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
        self._state = tuple(np.asarray(value, order="C") for value in state)
        self._call("keep", 0, None)

    def finish(self) -> None:
        self._call("finish")


def room_for(types: Sequence[TensorType]) -> int:
    """How many batches of these types may wait.

    Examples
    --------
    >>> from s2sad.ir.types import f32
    >>> room_for([f32[64, 8], f32[64]]), room_for([f32[64, 4096]]), room_for([f32[4096, 4096]])
    (32, 4, 4)
    """
    size: int = sum(t.nbytes for t in types)  # type: ignore[misc]
    return max(BATCHES, min(MOST, FEW // max(size, 1)))


@functools.cache
def _functions(library: ctypes.CDLL) -> dict[str, Any]:
    """Those of the unit, by name."""
    found = {}
    for name, (result, arguments) in _SIGNATURES.items():
        found[name] = called = getattr(library, f"s2_queue_{name}")
        called.restype, called.argtypes = result, arguments
    return found


def handed_over(function: Function) -> HandedOver:
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


def address_of(array: np.ndarray) -> int:
    """Where `array` lies, read where NumPy's ABI has it: many times as fast as its attributes.

    Examples
    --------
    >>> array = np.arange(3.0)[1:]
    >>> address_of(array) == array.ctypes.data
    True
    """
    return _POINTER.from_address(id(array) + _ADDRESS).value  # type: ignore[return-value]


def _addresses(arrays: Sequence[np.ndarray]) -> Any:
    return _pointers([address_of(array) for array in arrays])


def _pointers(addresses: Sequence[Any]) -> Any:
    return (_POINTER * max(len(addresses), 1))(*addresses)
