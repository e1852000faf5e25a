"""What has the simulated device done, what does it hold, and how long would a device take?

Names of memory are MindSpore's; those of counters and timelines are ours. Before anything has run
on ``device_target="Ascend"`` all numbers are 0.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from s2sad.backends.ascend.device.costs import Timeline, chrome_trace, plot, table
from s2sad.backends.ascend.device.session import Counters
from s2sad.backends.ascend.target.ledger import ledger
from s2sad.core.diagnostics import fail
from s2sad.core.elsewhere import missing
from s2sad.ir.archive import write_whole

__all__ = [
    "Counters", "Timeline", "device_counters", "empty_cache", "max_memory_allocated",
    "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats", "memory_summary",
    "plot", "reset_device_counters", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats", "synchronize", "table", "timeline", "write_trace",
]  # fmt: skip


def device_counters() -> Counters:
    """What the device and its host have done since the counters began at 0.

    Returns
    -------
    Counters
        `interactions` are what the host has to do before the device goes on: in graph mode a call
        of a program, in a sink one for all its steps (1,000 at most), in PyNative mode the launch
        of each kernel. `setups` are calls of graphs that initialize sinks, `steps` calls of
        programs in graph mode and steps of sinks, `queue_items` batches that came through a queue,
        `launches` kernels, `streams` those in use at most at a time.

    Examples
    --------
    >>> device_counters().interactions >= 0
    True
    """
    told = ledger()
    with told.lock:
        return replace(told.counters)


def reset_device_counters() -> None:
    """Let counters and the timeline begin at 0; what lies in the device's memory stays.

    Examples
    --------
    >>> reset_device_counters()
    >>> device_counters().steps, timeline().seconds
    (0, 0.0)
    """
    ledger().reset()


def timeline(name: str | None = None, steps: int | None = None) -> Timeline:
    """Who worked when since the counters began at 0, by the cost model of the simulated device.

    It compares forms of running with each other, and predicts no device: nothing was measured.

    Parameters
    ----------
    name : str, optional
        Of the form; by default ``"pynative"``, ``"graph"``, ``"sink"`` or, of several of these,
        ``"mixed"``.
    steps : int, optional
        How many steps it shows, which only the program knows in PyNative mode.

    Returns
    -------
    Timeline
        A copy. `table` and `plot` show several of them side by side, `write_trace` writes them.

    Raises
    ------
    S2sadError
        E0404 for fewer than 1 step.

    Examples
    --------
    >>> reset_device_counters()
    >>> timeline("before").form
    'before'
    """
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 1):
        raise fail("E0404", f"a timeline shows 1 step or more, got {steps!r}")
    told = ledger()
    with told.lock:
        found = copy.copy(told.line)
        found.events = list(found.events)
    found.form = name or found.form
    found.steps = steps or found.steps
    return found


def write_trace(lines: Sequence[Timeline], path: str | Path) -> None:
    """Write timelines side by side for chrome://tracing or Perfetto.

    Parameters
    ----------
    lines : sequence of Timeline
    path : str or Path
        Of a file of JSON.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_trace([timeline()], f"{folder}/trace.json")
    """
    data = chrome_trace(lines).encode()
    write_whole(Path(path), lambda file: file.write(data))


# Memory


def memory_allocated() -> int:
    """Bytes that tensors take in the device's memory now.

    Examples
    --------
    >>> memory_allocated() <= max_memory_allocated()
    True
    """
    return memory_stats()["total_allocated_memory"]


def max_memory_allocated() -> int:
    """Bytes that they took at most, values on the way of programs included.

    What kernels take to work in is not known, and not counted.
    """
    return memory_stats()["max_allocated_memory"]


def memory_reserved() -> int:
    """Bytes up to the end of the last block that was ever taken: with the gaps between blocks."""
    return memory_stats()["total_reserved_memory"]


def max_memory_reserved() -> int:
    """Bytes that were reserved at most."""
    return memory_stats()["max_reserved_memory"]


def memory_stats() -> dict[str, Any]:
    """All that is known of the device's memory, by MindSpore's keys.

    Examples
    --------
    >>> sorted(memory_stats())[:3]
    ['common_mem_pool_stats', 'max_allocated_memory', 'max_reserved_memory']
    """
    told = ledger()
    with told.lock:
        told.forget()
        memory = told.memory
        return {
            "total_reserved_memory": memory.reach,
            "total_allocated_memory": memory.used,
            "total_idle_memory": memory.reach - memory.used,
            "total_eager_free_memory": 0,
            "max_reserved_memory": max(told.most_reserved, memory.reach),
            "max_allocated_memory": memory.peak,
            "common_mem_pool_stats": memory.pool_stats(is_persistent=False),
            "persistent_mem_pool_stats": memory.pool_stats(is_persistent=True),
        }


def memory_summary() -> str:
    """The peak, and what was in memory then, the largest first.

    Examples
    --------
    >>> memory_summary().startswith("peak ")
    True
    """
    told = ledger()
    with told.lock:
        return told.memory.report()


def reset_max_memory_allocated() -> None:
    """Let the peak be what is allocated now."""
    told = ledger()
    with told.lock:
        told.forget()
        told.memory.begin_peak()


def reset_max_memory_reserved() -> None:
    """Let the most that was reserved be what is reserved now."""
    ledger().most_reserved = 0


def reset_peak_memory_stats() -> None:
    """Both of them.

    Examples
    --------
    >>> reset_peak_memory_stats()
    >>> max_memory_allocated() == memory_allocated()
    True
    """
    reset_max_memory_allocated()
    reset_max_memory_reserved()


def empty_cache() -> None:
    """Reserve no more than up to the last block that is in use.

    Examples
    --------
    >>> empty_cache()
    >>> memory_reserved() >= memory_allocated()
    True
    """
    told = ledger()
    with told.lock:
        told.forget()
        told.most_reserved = max(told.most_reserved, told.memory.reach)
        told.memory.reach = told.memory.end


def synchronize() -> None:
    """Let the host wait until the device has done all that was launched, on the timeline.

    Numbers are there in any case.

    Examples
    --------
    >>> synchronize()
    """
    ledger().synchronize()


def __getattr__(name: str) -> object:
    raise missing("s2sad.runtime", name, __all__)
