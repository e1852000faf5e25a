"""What does a run of a program tell of how long its steps took?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from s2sad.backends.base import Executable
from s2sad.ir.graph import Operation

#: Something that a thread did, from when to when in nanoseconds, for which step.
EVENT = np.dtype(
    [("begun", np.int64), ("ended", np.int64), ("step", np.int32), ("thread", np.int32)]
)
#: Events of one run that are kept one by one; what comes behind is in the sums alone.
ROOM = 16384


@dataclass(frozen=True)
class Timed:
    """A step of a program whose time is measured.

    Attributes
    ----------
    kernel : str
        What computes it.
    operation : Operation
    is_whole : bool
        Whether it does all that the operation has to do; else it is one of several steps.
    """

    kernel: str
    operation: Operation
    is_whole: bool = True


@dataclass(frozen=True)
class Timings:
    """Where the time of one run went, in nanoseconds of `time.perf_counter_ns`.

    Attributes
    ----------
    executable : Executable
    steps : sequence of Timed or None
        By number; None for those that take no time worth measuring.
    calls, spent, busy : numpy.ndarray of int64
        Of each step how often it ran, how long it took, and how long threads were busy with it.
    threads : numpy.ndarray of int64
        Of each thread how long it was busy; the first is the one that called.
    events : numpy.ndarray of `EVENT`
        The first of them.
    lost : int
        How many came behind.
    begun, ended : int
        Of the run.
    """

    executable: Executable
    steps: Sequence[Timed | None]
    calls: np.ndarray
    spent: np.ndarray
    busy: np.ndarray
    threads: np.ndarray
    events: np.ndarray
    lost: int
    begun: int
    ended: int
