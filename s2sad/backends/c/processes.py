"""How are other programs run so that none of them outlives a failure or Ctrl-C?

Each is the head of a group of its own, with all that it starts; a group goes as a whole.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO

#: Seconds between two looks at programs that run.
PAUSE = 0.002


@dataclass(frozen=True)
class Finished:
    """A program that ended.

    Attributes
    ----------
    command : tuple of str
    code : int
        0 where all went well; None where it was stopped, for it took too long.
    text : str
        What it wrote.
    """

    command: tuple[str, ...]
    code: int | None
    text: str


def run(command: Sequence[str], *, timeout: float) -> Finished:
    """Run one program to its end.

    Raises
    ------
    OSError
        Where it cannot be started.

    Examples
    --------
    >>> import sys
    >>> run([sys.executable, "-c", "print(1)"], timeout=60).text.strip()
    '1'
    """
    return run_all([command], timeout=timeout)[0]


def run_all(
    commands: Sequence[Sequence[str]],
    *,
    timeout: float,
    jobs: int = 1,
    done: Callable[[Finished], object] = lambda finished: None,
) -> list[Finished]:
    """Run programs to their ends, in any order.

    Parameters
    ----------
    commands : sequence of sequences of str
        Program and arguments; no shell sees them.
    timeout : float
        Seconds that each may take.
    jobs : int
        How many may run at once.
    done : callable
        Called with each that has ended. When it raises, those that still run are stopped.

    Returns
    -------
    list of Finished
        As `commands` are.
    """
    waiting = deque(enumerate(commands))
    running: dict[int, _Running] = {}
    found: dict[int, Finished] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                number, command = waiting.popleft()
                running[number] = _Running(command, timeout)
            for number in [number for number, each in running.items() if each.has_ended()]:
                found[number] = running.pop(number).finished()
                done(found[number])
            if running:
                time.sleep(PAUSE)
    finally:
        for each in running.values():
            each.drop()
    return [found[number] for number in range(len(commands))]


class _Running:
    """A program that was started, and until when it may run."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self.command = tuple(command)
        self.until = time.monotonic() + timeout
        self.is_late = False
        self.output: IO[bytes] = tempfile.TemporaryFile()
        try:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=self.output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        except BaseException:
            self.output.close()
            raise

    def has_ended(self) -> bool:
        if self.process.poll() is None and time.monotonic() > self.until:
            self.is_late = True
            self.kill()
        return self.process.poll() is not None

    def finished(self) -> Finished:
        with self.output:
            self.output.seek(0)
            text = self.output.read().decode(errors="replace")
        return Finished(self.command, None if self.is_late else self.process.returncode, text)

    def drop(self) -> None:
        """End it; nobody asks what it wrote."""
        with self.output:
            self.kill()

    def kill(self) -> None:
        """End it, with all that it started."""
        if self.process.poll() is None:
            if sys.platform == "win32":
                self.process.kill()
            else:
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
