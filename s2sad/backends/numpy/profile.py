"""How does a program of NumPy tell where its time goes?

A second form of the program, emitted when someone asks, looks at the clock around each operation.
"""

from __future__ import annotations

import time
from contextvars import ContextVar

import numpy as np

from s2sad.backends.base import Executable
from s2sad.backends.timings import EVENT, ROOM, Timed, Timings

now = time.perf_counter_ns
#: What the present run notes.
current: ContextVar[Clock] = ContextVar("clock")


def note(step: int, begun: int) -> None:
    """The operation of that number has ended."""
    current.get().note(step, begun, now())


class Clock:
    """What one run notes."""

    def __init__(self, steps: int) -> None:
        self.calls = np.zeros(steps, np.int64)
        self.spent = np.zeros(steps, np.int64)
        self.events: list[tuple[int, int, int, int]] = []
        self.lost = 0
        self.begun = now()

    def note(self, step: int, begun: int, ended: int) -> None:
        """An operation ran."""
        self.calls[step] += 1
        self.spent[step] += ended - begun
        if len(self.events) < ROOM:
            self.events.append((begun, ended, step, 0))
        else:
            self.lost += 1

    def timings(self, executable: Executable, steps: list[Timed]) -> Timings:
        """What was noted until now."""
        ended = now()
        return Timings(
            executable, steps, self.calls, self.spent, self.spent, self.spent.sum(keepdims=True),
            np.array(self.events, EVENT), self.lost, self.begun, ended,
        )  # fmt: skip
