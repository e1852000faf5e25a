"""What do a program that runs many steps and its host hand to one another meanwhile?

Batches go in, by a ring; results of steps come out, by another; and the host may ask for the end.
A `Channel` has both sides: the host's, of whose methods only `wait` waits, and the program's. Each
is for one thread.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.ir.primitive import as_run_time
from s2sad.ir.types import Type, type_of

#: Batches that wait at a time, and results of steps, if nothing else is said.
BATCHES, REPORTS = 4, 64

#: Those that programs reach here, by name; a thread of its own has those of its context.
_channels: ContextVar[Mapping[str, Channel]] = ContextVar(
    "channels", default=MappingProxyType({})
)  # fmt: skip


class Channel:
    """Two bounded rings between a program and its host, and what the last good step left.

    Parameters
    ----------
    batches : int
        That wait at most.
    reports : int
        Results of steps that wait at most: then the program waits for the host.

    Examples
    --------
    >>> channel = Channel()
    >>> channel.put([np.zeros(2)])
    True
    >>> channel.close()
    >>> from s2sad.ir.types import f64
    >>> channel.next((f64[2],)), channel.next((f64[2],))
    ((array([0., 0.]),), None)
    """

    def __init__(self, batches: int = BATCHES, reports: int = REPORTS) -> None:
        self._steps = 0
        self._state: tuple[Any, ...] | None = None
        self._is_finished = False
        self._batches: deque[tuple[Any, ...]] = deque()
        self._reports: deque[tuple[Any, ...]] = deque()
        self._most = batches, reports
        self._is_closed = self._is_stopped = False
        self._changed = threading.Condition()

    @classmethod
    def over(cls, batches: Iterable[Sequence[Any]]) -> Channel:
        """A channel that holds all of `batches` from the beginning, and every report."""
        given = list(batches)
        channel = cls(max(len(given), 1), max(len(given), 1))
        for batch in given:
            channel.put(batch)
        channel.close()
        return channel

    # ---- the host's side -------------------------------------------------------------------

    @property
    def steps(self) -> int:
        """How many steps have ended."""
        return self._steps

    @property
    def state(self) -> tuple[Any, ...] | None:
        """As the last step that ended has left it, where a step may fail; None before the first."""
        return self._state

    @property
    def is_finished(self) -> bool:
        """Whether the program has ended."""
        return self._is_finished

    @property
    def has_room(self) -> bool:
        """Whether `put` takes a batch."""
        return len(self._batches) < self._most[0] and not self._is_closed

    def put(self, arrays: Sequence[Any]) -> bool:
        """Give a batch, whose memory nobody writes into any more; False where there is no room."""
        with self._changed:
            if not self.has_room:
                return False
            self._batches.append(tuple(map(_read_only, arrays)))
            self._changed.notify_all()
            return True

    def close(self) -> None:
        """Say that no batch comes any more: the program ends after the last one."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def stop(self) -> None:
        """Let the program end at the end of its step, whatever waits; from any thread."""
        with self._changed:
            self._is_closed = self._is_stopped = True
            self._changed.notify_all()

    def reports(self) -> list[tuple[np.ndarray, ...]]:
        """Results of the steps that have ended since the last call, in order."""
        with self._changed:
            found = list(self._reports)
            self._reports.clear()
            self._changed.notify_all()
            return found

    def wait(self, seconds: float) -> None:
        """Wait until there is a report, or room for a batch, or the program has ended."""

        def is_over() -> bool:
            return bool(self._reports) or self._is_finished or self.has_room

        with self._changed:
            self._changed.wait_for(is_over, seconds)

    # ---- the program's side ----------------------------------------------------------------

    def next(self, types: Sequence[Type]) -> tuple[np.ndarray, ...] | None:
        """The next batch, waited for; None at the end, or when the host asks for it.

        Raises
        ------
        S2sadError
            E0303 if the batch has other types.
        """
        with self._changed:
            self._changed.wait_for(lambda: bool(self._batches) or self._is_closed)
            if self._is_stopped or not self._batches:
                return None
            batch = self._batches.popleft()
            self._changed.notify_all()
        require_types(batch, types)
        return batch

    def report(self, values: Sequence[Any]) -> None:
        """Hand out copies of the results of a step; waits for room."""
        copies = tuple(np.array(as_run_time(value), order="C") for value in values)
        with self._changed:
            self._changed.wait_for(lambda: len(self._reports) < self._most[1])
            self._reports.append(copies)
            self._changed.notify_all()

    def keep(self, state: Sequence[Any]) -> None:
        """Say that a step has ended, and what it has left; nothing is copied."""
        self._state = tuple(state)
        self._steps += 1

    def finish(self) -> None:
        """Say that the program has ended."""
        with self._changed:
            self._is_finished = True
            self._changed.notify_all()


def require_types(batch: Sequence[Any], types: Sequence[Type]) -> None:
    """E0303 unless a batch has these types."""
    found = tuple(map(type_of, batch))
    if found != tuple(types):
        raise fail("E0303", f"the batch is {found}, expected {tuple(types)}")


def _read_only(array: Any) -> np.ndarray:
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


@contextmanager
def serving(name: str, channel: Channel) -> Iterator[Channel]:
    """Let programs that run inside, in this thread, reach `channel` as the queue `name`.

    Raises
    ------
    S2sadError
        E0512 if one of that name is served already.
    """
    known = _channels.get()
    if name in known:
        raise fail("E0512", f"a queue called {name!r} is served already")
    token = _channels.set(MappingProxyType({**known, name: channel}))
    try:
        yield channel
    finally:
        _channels.reset(token)


def served(name: str) -> Channel:
    """The channel that programs reach as the queue `name` (E0512 where there is none)."""
    found = _channels.get().get(name)
    if found is None:
        raise fail("E0512", f"no queue is called {name!r}", help="run it inside of `serving`")
    return found
