"""How does a run in C tell where its time goes?"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable

import numpy as np

from s2sad.backends.c.emit import Program
from s2sad.backends.timings import EVENT, ROOM, Timed, Timings
from s2sad.core import recording

#: ``S2_MOST_THREADS`` of ``s2sad.h``.
MOST_THREADS = 512


class _Profile(ctypes.Structure):
    """``s2_profile``."""

    _fields_ = (
        ("begun", ctypes.c_int64), ("ended", ctypes.c_int64), ("calls", ctypes.c_void_p),
        ("spent", ctypes.c_void_p), ("busy", ctypes.c_void_p), ("threads", ctypes.c_void_p),
        ("events", ctypes.c_void_p), ("room", ctypes.c_int64), ("n_events", ctypes.c_int64),
        ("step", ctypes.c_int32),
    )  # fmt: skip


class Clock:
    """What one run notes.

    Attributes
    ----------
    address : int
        Of the structure, for the runtime.
    """

    def __init__(self, steps: int) -> None:
        self._sums = np.zeros((3, max(1, steps)), np.int64)
        self._threads = np.zeros(MOST_THREADS, np.int64)
        self._events = np.empty(ROOM, EVENT)
        arrays = (*self._sums, self._threads, self._events)
        self._profile = _Profile(0, 0, *(array.ctypes.data for array in arrays), ROOM, 0, 0)
        self.address = ctypes.addressof(self._profile)

    def timings(self, executable: object, steps: list[Timed | None], begun: int) -> Timings:
        """What was noted; the clock of C is set to that of Python, by which it `begun`."""
        profile = self._profile
        events = self._events[: min(ROOM, profile.n_events)].copy()
        shift = begun - profile.begun
        events["begun"] += shift
        events["ended"] += shift
        calls, spent, busy = self._sums
        count = len(np.trim_zeros(self._threads, "b"))
        return Timings(
            executable, steps, calls, spent, busy, self._threads[:count], events,  # type: ignore
            max(0, profile.n_events - ROOM), begun, profile.ended + shift,
        )  # fmt: skip


def profiled(
    executable: object, program: Program, steps: list[Timed | None],
    watch: Callable[[int | None], None], run: Callable[[], None],
) -> Timings:  # fmt: skip
    """Run it, while `watch` has let the runtime note where its time goes."""
    clock = Clock(len(program.table.rows))
    watch(clock.address)
    begun = time.perf_counter_ns()
    try:
        with recording.inside():
            run()
    finally:
        watch(None)
    return clock.timings(executable, steps, begun)


def timed_steps(program: Program) -> list[Timed | None]:
    """The steps of `program` that are measured: kernels, and what the host computes."""
    found: list[Timed | None] = []
    seen = set()
    for row, step in zip(program.table.rows, program.layout.steps, strict=True):
        operation = step.operation
        if row.op not in ("CALL", "HOST") or operation is None:
            found.append(None)
            continue
        name = row.kernel or f"{operation.prim.name} (Python)"
        found.append(Timed(name, operation, operation not in seen))
        seen.add(operation)
    return found
