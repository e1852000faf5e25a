"""How do worker processes compute, and how is nothing of them left behind?

They are forked, so functions need not be pickled. Tasks and rows are, since a row may hold any
object, but only between a program and processes of its own: no pickle comes from a file or from
elsewhere. Arrays go through memory that has no name: nothing in ``/dev/shm`` outlives a process
that is killed. A worker whose parent is gone reads the end of its pipe, and ends.

Each has one task at a time. The parent sends the next one only after it has taken the answer, so
neither can wait for the other to read. docs/decisions/0014-dataset-workers.md weighs this.
"""

from __future__ import annotations

import mmap
import multiprocessing
import pickle
import random
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence, Sized
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from s2sad.core.diagnostics import S2sadError, annotate, fail
from s2sad.dataset import draws

#: Bytes that a worker and its parent share, each way. What does not fit takes the pipe.
ARENA = 32 << 20
#: Seconds below which a task is too small, and above which it is too large.
QUICK, SLOW = 0.01, 0.1
#: How many times the usual number of rows a task has at most.
MOST = 32


class Arena:
    """Memory through which arrays go from one process to another, with a message for the rest.

    Attributes
    ----------
    size : int
        Bytes of the arrays that were put or taken last.
    """

    def __init__(self, size: int = ARENA) -> None:
        self._memory = mmap.mmap(-1, size)  # shared with children, without a name
        self.size = 0

    def put(self, value: Any) -> bytes:
        """What is to be sent, so that `take` gives `value` on the other side."""
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps(value, 5, buffer_callback=buffers.append)
        places: list[Any] = []
        end = 0
        for buffer in buffers:
            raw = buffer.raw()
            if end + raw.nbytes > len(self._memory):
                places.append(bytes(raw))
                continue
            self._memory[end : end + raw.nbytes] = raw
            places.append((end, raw.nbytes))
            end += raw.nbytes
        self.size = sum(buffer.raw().nbytes for buffer in buffers)
        return pickle.dumps((data, places), 5)

    def take(self, message: bytes) -> Any:
        """The value that was put; it owns its memory."""
        data, places = pickle.loads(message)
        buffers = [bytearray(x) if isinstance(x, bytes) else self._copied(*x) for x in places]
        self.size = sum(map(len, buffers))
        return pickle.loads(data, buffers=buffers)

    def _copied(self, start: int, size: int) -> bytearray:
        with memoryview(self._memory) as view:
            return bytearray(view[start : start + size])

    def close(self) -> None:
        self._memory.close()


def require_fork() -> None:
    """E0712 where the system cannot fork, or not safely."""
    if sys.platform != "linux":
        raise fail(
            "E0712", f"worker processes are forked, which is not safe on {sys.platform}",
            help="leave out python_multiprocessing: threads do the work then",
        )  # fmt: skip


class Processes:
    """Some processes that compute one function of one argument each, in turn.

    Parameters
    ----------
    function : callable
    count : int
    """

    def __init__(self, function: Callable[[Any], Any], count: int) -> None:
        self.window = count
        self._turn = 0
        self._times, self._rows = 1, 0
        self._workers: list[_Worker] = []
        for _ in range(count):
            ends = [worker.connection for worker in self._workers]
            self._workers.append(_Worker(function, ends))

    def sized(self, usual: int) -> int:
        """More rows where tasks are quickly done, as each costs messages and waiting for a turn."""
        self._rows = usual * self._times
        return self._rows

    def _learn(self, rows: int, seconds: float, size: int) -> None:
        """Hear how long a task of `rows` took, and how many bytes it had."""
        if rows != self._rows:  # the rest of something, or its size is no longer given
            return
        if seconds > SLOW or size > ARENA // 2:
            self._rows, self._times = 0, max(1, self._times // 2)
        elif seconds < QUICK and size < ARENA // 8:
            self._rows, self._times = 0, min(MOST, self._times * 2)

    def submit(self, task: Sized) -> _Answer:
        """Have `task` computed; answers have to be asked for in the order of tasks."""
        worker = self._workers[self._turn % len(self._workers)]
        self._turn += 1
        worker.send(task)
        return _Answer(worker, partial(self._learn, len(task)))

    def stop(self) -> None:
        """Have them all end, whatever they do."""
        for worker in self._workers:
            worker.stop()

    def close(self) -> None:
        """End them all, and give back what they had."""
        self.stop()
        for worker in self._workers:
            worker.close()
        self._workers = []


class _Worker:
    """The parent's side of a process."""

    def __init__(self, function: Callable[[Any], Any], others: Sequence[Connection]) -> None:
        context = multiprocessing.get_context("fork")
        self.connection, theirs = context.Pipe()
        self._there, self._back = Arena(), Arena()
        arguments = (function, theirs, self._there, self._back, [*others, self.connection])
        self.process = context.Process(target=_work, args=arguments, daemon=True)
        with warnings.catch_warnings():
            # From 3.12 on a fork beside threads warns. Workers run nothing that threads hold.
            warnings.filterwarnings("ignore", r".*fork\(\)", DeprecationWarning)
            self.process.start()
        theirs.close()

    def send(self, task: Any) -> None:
        try:
            self.connection.send_bytes(self._there.put(task))
        except OSError as error:
            raise self._ended() from error

    def answer(self) -> Any:
        try:
            message = self.connection.recv_bytes()
        except (EOFError, OSError) as error:
            raise self._ended() from error
        return self._back.take(message)

    @property
    def size(self) -> int:
        """Bytes of arrays in the last task or its answer, of which there were more."""
        return max(self._there.size, self._back.size)

    def _ended(self) -> Exception:
        self.process.join(1)
        return fail(
            "E0714", f"a worker process ended with exit code {self.process.exitcode}",
            help="less memory for a batch, or python_multiprocessing=False, may mend it",
        )  # fmt: skip

    def stop(self) -> None:
        if self.process.is_alive():
            self.process.terminate()

    def close(self) -> None:
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()
        self.connection.close()
        self._there.close()
        self._back.close()


class _Answer:
    """What a process answers to one task; it is asked for once."""

    def __init__(self, worker: _Worker, learn: Callable[[float, int], None]) -> None:
        self._worker: _Worker | None = worker
        self._learn = learn

    def result(self) -> Any:
        worker, self._worker = self._worker, None
        assert worker is not None
        value, error, seconds = worker.answer()
        self._learn(seconds, worker.size)
        if error is not None:
            raise error
        return value

    def drop(self) -> None:
        """Let the worker be free for the next task, whatever it answers to this one."""
        if self._worker is not None:
            with suppress(S2sadError):  # that it ended is said to whoever sends it the next one
                self._worker.answer()
            self._worker = None


def _work(
    function: Callable[[Any], Any], connection: Connection, there: Arena, back: Arena,
    others: Sequence[Connection],
) -> None:  # fmt: skip
    """Compute until the pipe ends: what a worker process does."""
    _here["is_worker"] = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:
        other.close()  # or a parent that is gone would go unnoticed
    try:
        while True:
            task = there.take(connection.recv_bytes())
            begun = time.monotonic()
            answer = (*_computed(function, task), time.monotonic() - begun)
            print(end="", flush=True)  # what functions printed: the process is ended from outside
            connection.send_bytes(back.put(answer))
    except (EOFError, OSError):  # the parent is gone, and everything with it
        return


def _computed(function: Callable[[Any], Any], task: Any) -> tuple[Any, Exception | None]:
    try:
        found = function(task)
    except Exception as error:
        return None, portable(error)
    if getattr(found, "error", None) is not None:  # of the row after those that are there
        found.error = portable(found.error)
    return found, None


def portable(error: Exception) -> Exception:
    """`error` with its traceback as a note; as E0714 where it cannot be sent."""
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    text = "in a worker process:\n" + "".join(lines).rstrip()
    sent: Exception
    try:
        sent = pickle.loads(pickle.dumps(error))
    except Exception:  # its class may raise whatever it likes
        sent = fail("E0714", f"{type(error).__name__}: {error}")
    sent.__notes__ = list(getattr(error, "__notes__", []))  # type: ignore[attr-defined]
    annotate(sent, text)
    return sent


#: Whether this process is a worker. In any other one, ``numpy.random`` is its owner's.
_here = {"is_worker": False}


def seed_row() -> None:
    """In a worker, let ``numpy.random`` and `random` draw what belongs to the present row."""
    if _here["is_worker"]:
        seed = draws.row_seed()
        np.random.seed(seed)
        random.seed(seed)
