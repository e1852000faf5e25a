"""Who wants to know how long things take?

At most one recorder listens at a time, to the whole process. What runs programs and operations
looks for it, which costs next to nothing where there is none.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol
from weakref import WeakSet

from s2sad.core.diagnostics import fail


class Recorder(Protocol):
    """What is told of programs and operations that ran, by whichever thread ran them."""

    def program(self, timings: Any) -> None:
        """A program ran; `timings` are of `backends.timings`."""

    def primitive(
        self, name: str, operands: Sequence[Any], results: Sequence[Any], begun: int, ended: int
    ) -> None:
        """An operation ran by itself, from `begun` to `ended` of `time.perf_counter_ns`."""


#: Who listens now.
active: Recorder | None = None
_changing = threading.Lock()
#: Those that may begin or end to listen at some step of a training.
_expected: WeakSet[object] = WeakSet()
#: Whether something runs here that tells of itself as a whole.
_is_inside: ContextVar[bool] = ContextVar("inside", default=False)


def begin(recorder: Recorder) -> None:
    """Let `recorder` listen.

    Raises
    ------
    S2sadError
        E0715 where another one does.
    """
    global active
    with _changing:
        if active is not None:
            raise fail("E0715", "another profiler runs in this process", help="stop it first")
        active = recorder


def end(recorder: Recorder) -> None:
    """Let it listen no more, if it does."""
    global active
    with _changing:
        if active is recorder:
            active = None


def expect(who: object, wanted: bool) -> None:
    """Let steps run one by one as long as `who` lives, or until he does not want that any more.

    For who decides between two steps whether to listen, which is too late where both are sunk.
    """
    (_expected.add if wanted else _expected.discard)(who)


def is_expected() -> bool:
    """Whether somebody may begin or end to listen after the step that comes."""
    return bool(_expected)


@contextmanager
def inside() -> Iterator[None]:
    """What runs here is part of something that will be told of as a whole."""
    token = _is_inside.set(True)
    try:
        yield
    finally:
        _is_inside.reset(token)


def told(
    recorder: Recorder, name: str, operands: Sequence[Any], run: Callable[[], tuple[Any, ...]]
) -> tuple[Any, ...]:
    """What `run` gives; `recorder` is told of it, unless it is part of something larger."""
    if _is_inside.get():
        return run()
    begun = time.perf_counter_ns()
    with inside():
        results = run()
    recorder.primitive(name, operands, results, begun, time.perf_counter_ns())
    return results
