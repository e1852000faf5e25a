"""Does the simulated device run programs now, and which operations does the host launch by itself?

In PyNative mode that is each operation of the user's, also those of a gradient that runs line by
line. What such an operation is made of, what the compiler computes, and what a program of the CPU
does is no launch.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Choice(NamedTuple):
    """How the device is simulated.

    Attributes
    ----------
    values : bool
        Whether numbers are what the device computes from its graph files, not what the CPU does.
    sink_form : {"engine", "while"}
    memory : float
        Bytes that the device has at most.
    """

    values: bool = False
    sink_form: str = "engine"
    memory: float = float("inf")


#: How, where the simulated device is the target; None elsewhere.
chosen: Choice | None = None
#: Whether operations on arrays are launched as well; None: those on Tensors are.
_launches: ContextVar[bool | None] = ContextVar("launches", default=None)


def choose(choice: Choice | None) -> None:
    """Let programs run on the simulated device from now on, or no more."""
    global chosen
    chosen = choice


def is_launched(of_tensors: bool) -> bool:
    """Whether an operation on Tensors, or on arrays, is launched on the device by itself."""
    if chosen is None:
        return False
    launches = _launches.get()
    return of_tensors if launches is None else launches


@contextmanager
def launching() -> Iterator[None]:
    """What runs here is the user's program, operation by operation."""
    with _set(_launches.get() is not False):
        yield


@contextmanager
def on_host() -> Iterator[None]:
    """What runs here is the host's own, or a part of something that the device is told of."""
    with _set(False):
        yield


@contextmanager
def _set(value: bool) -> Iterator[None]:
    token = _launches.set(value)
    try:
        yield
    finally:
        _launches.reset(token)
