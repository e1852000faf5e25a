"""How does a record become a trace that Perfetto and ``chrome://tracing`` open?

It has Chrome's Trace Event Format: complete events (``ph`` is ``X``) in microseconds, and metadata
that names the process and its threads.
"""

from __future__ import annotations

from typing import Any

from s2sad.profiler.record import Entry, Happened, Record
from s2sad.profiler.report import line_of


def trace(record: Record, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    """The trace as an object of JSON; times count from the first event on."""
    happened = sorted(record.happened(), key=lambda event: (event.begun, -event.ended))
    start = min((event.begun for event in happened), default=0)
    events = [_event(event, start, record.pid) for event in happened]
    return {
        "traceEvents": [*_names(record), *events],
        "displayTimeUnit": "ms",
        "otherData": {"producer": "s2sad", **(metadata or {})},
    }


def _names(record: Record) -> list[dict[str, Any]]:
    """Names of the process and of its threads."""
    found = [_meta("process_name", record.pid, 0, name="s2sad")]
    for number, name in sorted(record.names.items()):
        found.append(_meta("thread_name", record.pid, number, name=name))
        found.append(_meta("thread_sort_index", record.pid, number, sort_index=number))
    return found


def _meta(what: str, pid: int, thread: int, **args: Any) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": pid, "tid": thread, "ts": 0, "args": args}


def _event(event: Happened, start: int, pid: int) -> dict[str, Any]:
    return {
        "name": event.name, "cat": event.kind, "ph": "X", "pid": pid, "tid": event.thread,
        "ts": (event.begun - start) / 1000, "dur": (event.ended - event.begun) / 1000,
        "args": {} if event.entry is None else _arguments(event.entry),
    }  # fmt: skip


def _arguments(entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = {"bytes": entry.work.nbytes}
    if entry.work.flops is not None:
        found["flops"] = entry.work.flops
    for name, is_adjoint in (("forward", False), ("backward", True)):
        parts = [part.place for part in entry.parts if part.is_adjoint is is_adjoint]
        lines = dict.fromkeys(line_of(place) for place in parts)
        if lines:
            found[name] = list(lines)
    if entry.program:
        found["program"] = entry.program
    return found
