"""What does one iterator have: its seed, its workers, and a place for each step?"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from s2sad.dataset.processes import Processes

#: What shards draw from where nobody set a seed: all of them have to draw the same order.
SHARED_SEED = 0

#: Seconds below which tasks of threads take turns.
QUICK = 0.002

#: How the names of all threads of data sets begin.
THREADS = "s2sad-dataset"


def is_own_thread() -> bool:
    """Whether a thread of a data set runs this, which cannot wait for the others.

    The collector of garbage runs in any thread, and may find an iterator that nobody holds.
    """
    return threading.current_thread().name.startswith(THREADS)


class Answer(Protocol):
    """What becomes of a task."""

    def result(self) -> Any: ...
    def drop(self) -> object: ...


class Pool(Protocol):
    """Who computes the tasks of a step; `window` of them may be under way.

    `sized` says how many rows a task should have, of which `usual` is the number to begin with.
    """

    window: int

    def sized(self, usual: int) -> int: ...
    def submit(self, task: Any) -> Answer: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...


class _Now:
    """An answer that is computed when it is asked for."""

    def __init__(self, function: Callable[[Any], Any], task: Any) -> None:
        self.function, self.task = function, task

    def result(self) -> Any:
        return self.function(self.task)

    def drop(self) -> None:
        """Nothing was begun."""


class Serial:
    """Computes in the thread that asks."""

    window = 1

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def sized(self, usual: int) -> int:
        return usual

    def submit(self, task: Any) -> _Now:
        return _Now(self.function, task)

    def stop(self) -> None:
        """It has nothing."""

    def close(self) -> None:
        """It has nothing."""


class _Later:
    """An answer from a thread."""

    def __init__(self, future: Any) -> None:
        self.result, self.drop = future.result, future.cancel


class Threads:
    """Computes in threads: good where NumPy, Pillow or files do the work, all without the GIL.

    Quick tasks take turns: two threads would hand Python's lock to and fro at each call of NumPy,
    which costs more than such a call.
    """

    def __init__(self, function: Callable[[Any], Any], count: int) -> None:
        self.window = 2 * count
        self.function = function
        self._turn = threading.Lock()
        self._are_quick = True
        self._executor = ThreadPoolExecutor(count, thread_name_prefix=THREADS)

    def sized(self, usual: int) -> int:
        return usual

    def submit(self, task: Any) -> _Later:
        return _Later(self._executor.submit(self._computed, task))

    def _computed(self, task: Any) -> Any:
        with self._turn if self._are_quick else nullcontext():
            begun = time.monotonic()
            found = self.function(task)
            self._are_quick = time.monotonic() - begun < QUICK
        return found

    def stop(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        self._executor.shutdown(wait=not is_own_thread())


class Run:
    """One iterator's seed and workers.

    Attributes
    ----------
    seed : int
    is_repeatable : bool
        Whether somebody chose the seed.
    is_serial : bool
        Everything is done in the thread that asks.
    """

    def __init__(self, seed: int | None, is_serial: bool = False) -> None:
        self.is_repeatable = seed is not None
        self.seed = int.from_bytes(os.urandom(4), "little") if seed is None else seed
        self.is_serial = is_serial
        self._pools: dict[tuple[int, ...], Pool] = {}

    def open(self, path: tuple[int, ...], function: Callable[[Any], Any], workers: Workers) -> None:
        """Have workers for the step at `path`; it has to be done before threads begin."""
        pool: Pool
        if self.is_serial or (workers.count == 1 and not workers.are_processes):
            pool = Serial(function)
        elif workers.are_processes:
            pool = Processes(function, workers.count)
        else:
            pool = Threads(function, workers.count)
        self._pools[path] = pool

    def pool(self, path: tuple[int, ...]) -> Pool:
        return self._pools[path]

    def stop(self) -> None:
        """Let all workers come to an end: whoever waits for one of them gets an error."""
        for pool in self._pools.values():
            pool.stop()

    def close(self) -> None:
        """End all workers."""
        for pool in self._pools.values():
            pool.close()
        self._pools = {}


@dataclass(frozen=True)
class Workers:
    """How many a step has, and of which kind."""

    count: int = 1
    are_processes: bool = False


@dataclass(frozen=True)
class Place:
    """A step of the pipeline of a run, in one epoch.

    Attributes
    ----------
    run : Run
    path : tuple of int
        Which input of which input of the last step it is.
    epoch : int
        How often the step was begun before.
    """

    run: Run
    path: tuple[int, ...] = ()
    epoch: int = 0

    def input(self, index: int = 0, epoch: int | None = None) -> Place:
        """The place of an input of this step."""
        return Place(self.run, (*self.path, index), self.epoch if epoch is None else epoch)

    def key(self) -> np.ndarray:
        """Of Philox: other numbers for each place."""
        return self._key(self.run.seed)

    def shared_key(self) -> np.ndarray:
        """One that all shards have."""
        return self._key(self.run.seed if self.run.is_repeatable else SHARED_SEED)

    def _key(self, seed: int) -> np.ndarray:
        words = (len(self.path), *self.path, self.epoch)
        return np.random.SeedSequence(seed, spawn_key=words).generate_state(2, np.uint64)

    def rng(self) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=self.key()))

    def shared_rng(self) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=self.shared_key()))

    @property
    def pool(self) -> Pool:
        return self.run.pool(self.path)


def in_order(pool: Pool, tasks: Iterator[Any]) -> Iterator[Any]:
    """The answers to `tasks` in their order, of which as many are under way as `pool` likes.

    An error of `tasks` comes after the answers to those before it.
    """
    pending: deque[Answer] = deque()
    failure: Exception | None = None
    try:
        while True:
            try:
                task = next(tasks)
            except StopIteration:
                break
            except Exception as error:
                failure = error
                break
            if len(pending) < pool.window:
                pending.append(pool.submit(task))
                continue
            answer = pending.popleft().result()
            pending.append(pool.submit(task))  # before others look at the answer: workers go on
            yield answer
        while pending:
            yield pending.popleft().result()
    finally:
        for answer in pending:
            answer.drop()
    if failure is not None:
        raise failure
