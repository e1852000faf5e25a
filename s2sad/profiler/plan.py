"""Which steps of a training does a profiler record?"""

from __future__ import annotations

from enum import Enum
from typing import Any

from s2sad.core.diagnostics import fail


class ProfilerAction(Enum):
    """What a profiler does in one step."""

    NONE = 0
    WARM_UP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class schedule:  # noqa: N801 - MindSpore's name
    """The action of each step: skip, then in turns wait, warm up and record.

    Parameters
    ----------
    wait : int
        Steps of each turn in which nothing is done.
    active : int
        Steps that are recorded; at the end of the last one the handler is called.
    warmup : int
        Steps in between, whose times are not kept.
    repeat : int
        Turns; 0 for no end.
    skip_first : int
        Steps before the first turn.

    Raises
    ------
    S2sadError
        E0303 for what is no number of steps, E0404 for a negative one, or `active` below 1.

    Examples
    --------
    >>> plan = schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [plan(step).name for step in range(5)]
    ['NONE', 'WARM_UP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """

    def __init__(
        self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0
    ) -> None:
        self.wait = _count("wait", wait)
        self.active = _count("active", active, least=1)
        self.warmup = _count("warmup", warmup)
        self.repeat = _count("repeat", repeat)
        self.skip_first = _count("skip_first", skip_first)

    def __call__(self, step: int) -> ProfilerAction:
        """The action of step number `step`, from 0."""
        step = _count("a step", step) - self.skip_first
        turn = self.wait + self.warmup + self.active
        if step < 0 or 0 < self.repeat <= step // turn:
            return ProfilerAction.NONE
        place = step % turn
        if place < self.wait:
            return ProfilerAction.NONE
        if place < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        return ProfilerAction.RECORD if place < turn - 1 else ProfilerAction.RECORD_AND_SAVE

    def to_dict(self) -> dict[str, int]:
        """Its parameters."""
        return {name: getattr(self, name) for name in _NAMES}

    def __repr__(self) -> str:
        return f"schedule({', '.join(f'{k}={v}' for k, v in self.to_dict().items())})"


_NAMES = ("wait", "active", "warmup", "repeat", "skip_first")


def always(step: int) -> ProfilerAction:
    """Record each step."""
    return ProfilerAction.RECORD


def _count(name: str, value: Any, least: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise fail("E0303", f"{name} is a number of steps, got {value!r}")
    if value < least:
        raise fail("E0404", f"{name} is {least} or more, got {value}")
    return value
