"""What ran while a profile was taken, and how long did each part of it take?"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from s2sad.backends.base import Executable
from s2sad.backends.generated import source_of
from s2sad.backends.timings import Timed, Timings
from s2sad.core import location as locations
from s2sad.core.location import Location
from s2sad.ir.graph import Operation
from s2sad.passes.work import Work, parts_of, weight, work_of

#: Events that are kept one by one; what comes behind is in the sums alone.
MOST_EVENTS = 1_000_000


class Part(NamedTuple):
    """A share of a kernel's time, and what it is for.

    Attributes
    ----------
    place : Location or None
        Of the user's source.
    is_adjoint : bool
        Whether it is a step of the backward sweep.
    share : float
    """

    place: Location | None
    is_adjoint: bool
    share: float


@dataclass
class Entry:
    """A kernel of a program, or an operation that ran by itself, and what it took in all.

    Attributes
    ----------
    program : str
        Of which it is; empty where it ran by itself.
    kernel : str
    work : Work
        Of one call.
    parts : list of Part
    calls, spent, busy : int
        How often it ran, and how many nanoseconds: from beginning to end, and those that threads
        were busy with it.
    """

    program: str
    kernel: str
    work: Work
    parts: list[Part]
    calls: int = 0
    spent: int = 0
    busy: int = 0


@dataclass
class Ran:
    """A program that ran.

    Attributes
    ----------
    title : str
    executable : Executable
    entries : list of Entry or None
        By step.
    runs, spent : int
    threads : numpy.ndarray
        Nanoseconds that each thread was busy; the first is whichever called.
    """

    title: str
    executable: Executable
    entries: list[Entry | None]
    runs: int = 0
    spent: int = 0
    threads: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64))


class Happened(NamedTuple):
    """Something in the trace: in which thread, from when to when.

    `thread` is the number of one of Python's in the order in which they came, or one of the pool's
    from `POOL` on.
    """

    name: str
    kind: str
    thread: int
    begun: int
    ended: int
    entry: Entry | None


#: Where the numbers of the pool's threads begin.
POOL = 1000


class Record:
    """What ran, as a `core.recording.Recorder`.

    Attributes
    ----------
    programs : dict of int to Ran
        By identity of the executable.
    eager : dict of key to Entry
        Operations that ran by themselves.
    steps : list of (int, int, int)
        Of the user's: number, begin and end.
    windows : list of (int, int)
        When it listened.
    lost : int
        Events that are in the sums alone.
    names : dict of int to str
        Of threads.
    """

    def __init__(self) -> None:
        self.programs: dict[int, Ran] = {}
        self.eager: dict[Any, Entry] = {}
        self.steps: list[tuple[int, int, int]] = []
        self.windows: list[tuple[int, int]] = []
        self.lost = 0
        self.names: dict[int, str] = {}
        self.pid = os.getpid()
        self._kept = 0
        self._runs: list[tuple[Ran, int, int, int, np.ndarray]] = []
        self._single: list[Happened] = []
        self._numbers: dict[threading.Thread, int] = {}
        self._lock = threading.Lock()

    # ---- what is told ----------------------------------------------------------------------

    def program(self, timings: Timings) -> None:
        """Add a run of a program."""
        with self._lock:
            ran = self.programs.get(id(timings.executable))
            if ran is None:
                ran = self.programs[id(timings.executable)] = self._new(timings)
            ran.runs += 1
            ran.spent += timings.ended - timings.begun
            ran.threads = _added(ran.threads, timings.threads)
            for step in np.flatnonzero(timings.calls):
                entry = ran.entries[step]
                assert entry is not None
                entry.calls += int(timings.calls[step])
                entry.spent += int(timings.spent[step])
                entry.busy += int(timings.busy[step])
            room = max(0, MOST_EVENTS - self._kept)
            events = timings.events[:room]
            self._kept += len(events)
            self.lost += timings.lost + len(timings.events) - len(events)
            thread = self._thread()
            self._runs.append((ran, thread, timings.begun, timings.ended, events))

    def primitive(
        self, name: str, operands: Sequence[Any], results: Sequence[Any], begun: int, ended: int
    ) -> None:
        """Add an operation that ran by itself."""
        place = locations.caller()
        if place is not None:
            place = source_of(place)
        is_adjoint = place is not None and place.is_adjoint
        spent = ended - begun
        moved = sum(getattr(x, "nbytes", 0) for x in (*operands, *results))
        with self._lock:
            key = name, place, is_adjoint, moved
            if key not in self.eager:
                parts = [Part(place and place.of_user, is_adjoint, 1.0)]
                self.eager[key] = Entry("", name, Work(moved, None), parts)
            entry = self.eager[key]
            entry.calls += 1
            entry.spent += spent
            entry.busy += spent
            if self._kept >= MOST_EVENTS:
                self.lost += 1
                return
            self._kept += 1
            self._single.append(Happened(name, "operation", self._thread(), begun, ended, entry))

    def _new(self, timings: Timings) -> Ran:
        function = timings.executable.function
        base = function.title or function.name
        titles = {ran.title for ran in self.programs.values()}
        number, title = 1, base
        while title in titles:
            number += 1
            title = f"{base} ({number})"
        entries = [None if step is None else _entry(title, step) for step in timings.steps]
        return Ran(title, timings.executable, entries)

    def _thread(self) -> int:
        """Number of this thread."""
        thread = threading.current_thread()
        if thread not in self._numbers:
            self._numbers[thread] = number = len(self._numbers)
            self.names[number] = thread.name
        return self._numbers[thread]

    # ---- what was told ---------------------------------------------------------------------

    def entries(self) -> Iterator[Entry]:
        """All that ran at least once."""
        for ran in self.programs.values():
            yield from (entry for entry in ran.entries if entry is not None and entry.calls)
        yield from self.eager.values()

    def happened(self) -> Iterator[Happened]:
        """All events that were kept, in no order."""
        for number, begun, ended in self.steps:
            yield Happened(f"step {number}", "step", 0, begun, ended, None)
        for ran, thread, begun, ended, events in self._runs:
            yield Happened(ran.title, "program", thread, begun, ended, None)
            for event in events:
                yield self._event(ran, thread, event)
        yield from self._single

    def _event(self, ran: Ran, thread: int, event: np.ndarray) -> Happened:
        entry = ran.entries[int(event["step"])]
        assert entry is not None
        worker = int(event["thread"])
        if worker:
            thread = POOL + worker
            self.names[thread] = f"worker {worker}"
        return Happened(
            entry.kernel, "kernel", thread, int(event["begun"]), int(event["ended"]), entry
        )

    @property
    def watched(self) -> int:
        """Nanoseconds for which it listened."""
        return sum(ended - begun for begun, ended in self.windows)

    @property
    def spent(self) -> int:
        """Nanoseconds that programs, and operations by themselves, took."""
        programs = sum(ran.spent for ran in self.programs.values())
        return programs + sum(entry.spent for entry in self.eager.values())

    def threads(self) -> np.ndarray:
        """Nanoseconds that each thread was busy; the first stands for all of Python's."""
        found = np.array([sum(entry.spent for entry in self.eager.values())], np.int64)
        for ran in self.programs.values():
            found = _added(found, ran.threads)
        return found


def now() -> int:
    """The clock of all that is recorded."""
    return time.perf_counter_ns()


def _entry(title: str, step: Timed) -> Entry:
    operations = parts_of(step.operation)
    weights = [weight(operation) for operation in operations]
    whole = sum(weights)
    shares = zip(operations, weights, strict=True)
    parts = [_part(operation, count / whole) for operation, count in shares]
    work = work_of(step.operation) if step.is_whole else Work(0, 0)
    return Entry(title, step.kernel, work, parts)


def _part(operation: Operation, share: float) -> Part:
    place = operation.loc
    return Part(place and place.of_user, place is not None and place.is_adjoint, share)


def _added(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    if len(one) < len(other):
        one, other = other, one
    total = one.copy()
    total[: len(other)] += other
    return total
