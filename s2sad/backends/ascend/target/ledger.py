"""What has the simulated device done so far, how much does it hold, and how long would that take?

One device belongs to the process. An array is on it from when the host first hands it over, or the
device makes it, until nobody holds it any more, as memory is on a device for the life of a tensor.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from s2sad.backends.ascend.device.costs import Clock, Step, Timeline
from s2sad.backends.ascend.device.memory import Block, Memory, capacity_of
from s2sad.backends.ascend.device.session import Counters
from s2sad.core import simulation, storage

#: The chip.
SOC_VERSION = "Ascend910B1"


class _Held(NamedTuple):
    """An array on the device, under its identity."""

    key: int
    array: weakref.ref[np.ndarray]
    block: Block


class Ledger:
    """What is known of the device.

    Attributes
    ----------
    counters : Counters
    memory : Memory
    line : Timeline
    most_reserved : int
        Bytes that were reserved at most, before `Memory.reach` was set back.
    lock : RLock
        Held by whoever tells or asks.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.memory = Memory(capacity())
        self._held: dict[int, _Held] = {}
        self._gone: deque[_Held] = deque()  # appended to at any time, within any operation
        self.most_reserved = 0
        self.reset()

    def reset(self) -> None:
        """Count from zero; what lies in memory stays."""
        with self.lock:
            self.counters = Counters()
            self.line = Timeline("nothing")
            self._clock = Clock(self.line)

    # What lies in memory

    def bring(self, arrays: Sequence[Any], names: Sequence[str], *, copies: bool = True) -> int:
        """Let `arrays` be on the device; the bytes that were not, which the host copies first.

        Tokens and stacks are no arrays of the device.

        Raises
        ------
        S2sadError
            E0718 where the memory is full.
        """
        with self.lock:
            new = [self._hold(x, name, "input") for x, name in zip(arrays, names, strict=True)]
            if copies and sum(new):
                self._clock.bring(sum(new))
            return sum(new)

    def settle(self, arrays: Sequence[Any], name: str, kind: str = "result") -> None:
        """Let `arrays`, which the device has made, be on it."""
        with self.lock:
            for array in arrays:
                self._hold(array, name, kind)

    def leave(self, arrays: Sequence[Any]) -> None:
        """Let `arrays` be on the device no more: it has written others over them."""
        with self.lock:
            for array in filter(_is_array, arrays):
                held = self._held.get(id(storage.owner(array)))
                if held is not None and held.array() is storage.owner(array):
                    self._release(held)

    def _hold(self, array: Any, name: str, kind: str) -> int:
        """The bytes that `array` takes, if it was not there."""
        self.forget()
        if not _is_array(array):
            return 0
        owner = storage.owner(array)
        known = self._held.get(id(owner))
        if known is not None and known.array() is owner:
            return 0
        if known is not None:
            self._release(known)
        block = self.memory.take(name, owner.nbytes, kind)
        reference = weakref.ref(owner, lambda _: self._gone.append(held))
        held = self._held[id(owner)] = _Held(id(owner), reference, block)
        return owner.nbytes

    def forget(self) -> None:
        """Give back the memory of arrays that nobody holds any more."""
        while self._gone:
            self._release(self._gone.popleft())

    def _release(self, held: _Held) -> None:
        if self._held.get(held.key) is held:
            del self._held[held.key]
            self.memory.release(held.block)

    @contextmanager
    def reserved(self, name: str, nbytes: int) -> Iterator[None]:
        """`nbytes` more are in use while this runs (E0718 where they are not there)."""
        with self.lock:
            self.forget()
            self.memory.claim(name, nbytes)
        try:
            yield
        finally:
            with self.lock:
                self.memory.used -= nbytes

    # What it does

    def launched(self, step: Step) -> None:
        """The host has launched the operators of `step` one by one."""
        with self.lock:
            self._begin("pynative")
            self._clock.launch(step)
            self._count(len(step.launches), len(step.launches), streams=1)

    def called(self, step: Step) -> None:
        """The host has called a graph of one step."""
        with self.lock:
            self._begin("graph")
            self._clock.call(step)
            self._count(1, len(step.launches), steps=1, streams=1)

    def sunk(self, steps: Sequence[Step], *, around: int, streams: int) -> None:
        """The host has called a graph of many steps, whose batches came from a queue.

        Parameters
        ----------
        steps : sequence of Step
        around : int
            Kernels that belong to no step.
        streams : int
        """
        with self.lock:
            self._begin("sink")
            self._clock.sink(steps)
            launches = around + sum(len(step.launches) for step in steps)
            self._count(1, launches, steps=len(steps), streams=streams)
            self.counters.queue_items += len(steps)

    def synchronize(self) -> None:
        """The host waits for all that it has launched."""
        with self.lock:
            self._clock.synchronize()

    def prepared(self) -> None:
        """The host has called a graph that initializes."""
        with self.lock:
            self.counters.setups += 1

    def _begin(self, form: str) -> None:
        known = self.line.form
        self.line.form = form if known in ("nothing", form) else "mixed"

    def _count(self, interactions: int, launches: int, *, streams: int, steps: int = 0) -> None:
        self.counters.interactions += interactions
        self.counters.launches += launches
        self.counters.steps += steps
        self.counters.streams = max(self.counters.streams, streams)
        self.line.steps = self.counters.steps


def capacity() -> int:
    """Bytes that the device has, as the context limits them."""
    most = capacity_of(SOC_VERSION)
    choice = simulation.chosen
    return most if choice is None else int(min(choice.memory, most))


_ledgers: list[Ledger] = []
_making = threading.Lock()


def ledger() -> Ledger:
    """That of this process."""
    with _making:
        if not _ledgers:
            _ledgers.append(Ledger())
    found = _ledgers[0]
    if simulation.chosen is not None:
        found.memory.capacity = capacity()
    return found


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray)
