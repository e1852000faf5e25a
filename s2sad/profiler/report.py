"""Where did the time go: by kernel, and by line of the user's source?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TextIO

from s2sad.core.columns import table
from s2sad.core.location import Location
from s2sad.profiler.record import Entry, Part, Record

#: Letters of the longest bar.
WIDTH = 20
#: Rows of a table that is printed; files have all.
MOST_ROWS = 20
#: For what no line of source is known.
NOWHERE = "(no line)"


@dataclass
class Row:
    """A kernel, or a line.

    Attributes
    ----------
    name : str
    program : str
    place : Location or None
        Where most of its time comes from.
    calls : int
    forward, backward : float
        Nanoseconds.
    busy : float
        Nanoseconds of threads.
    nbytes : float
        That were read and written.
    flops : float or None
        None where that is not known of all of it.
    """

    name: str
    program: str = ""
    place: Location | None = None
    calls: int = 0
    forward: float = 0.0
    backward: float = 0.0
    busy: float = 0.0
    nbytes: float = 0.0
    flops: float | None = 0.0

    @property
    def spent(self) -> float:
        return self.forward + self.backward

    def add(self, entry: Entry, forward: float, backward: float) -> None:
        """What a part of `entry` took, by the sweep that it is of."""
        share = forward + backward
        self.forward += entry.spent * forward
        self.backward += entry.spent * backward
        self.busy += entry.busy * share
        self.nbytes += entry.calls * entry.work.nbytes * share
        if self.flops is not None:
            flops = entry.work.flops
            self.flops = None if flops is None else self.flops + entry.calls * flops * share


def by_kernel(record: Record) -> list[Row]:
    """A row for each kernel of each program, and for each kind of operation; the longest first."""
    rows: dict[tuple[str, str], Row] = {}
    longest: dict[tuple[str, str], int] = {}
    for entry in record.entries():
        key = entry.program, entry.kernel
        row = rows.setdefault(key, Row(entry.kernel, entry.program))
        row.calls += entry.calls
        for part in entry.parts:
            row.add(entry, *_sweeps(part))
        if entry.spent >= longest.get(key, 0):
            longest[key] = entry.spent
            row.place = max(entry.parts, key=lambda part: part.share).place
    return _sorted(rows.values())


def by_line(record: Record) -> list[Row]:
    """A row for each line of source; the longest first.

    What one kernel does for several lines is split by how many numbers it looks at for each.
    """
    rows: dict[tuple[str, int] | None, Row] = {}
    for entry in record.entries():
        met = set()
        for part in entry.parts:
            key = None if part.place is None else (part.place.file, part.place.line)
            row = rows.setdefault(key, Row(line_of(part.place), place=part.place))
            row.add(entry, *_sweeps(part))
            if key not in met:
                row.calls += entry.calls
            met.add(key)
    return _sorted(rows.values())


def _sweeps(part: Part) -> tuple[float, float]:
    """The share of `part` in the forward sweep, and in the backward one."""
    return (0.0, part.share) if part.is_adjoint else (part.share, 0.0)


def _sorted(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (-row.spent, row.name))


def line_of(place: Location | None) -> str:
    """``net.py:12``, as seen from the working directory where that is shorter."""
    if place is None:
        return NOWHERE
    relative = os.path.relpath(place.file) if os.path.isabs(place.file) else place.file
    file = min(place.file, relative, key=len)
    return f"{file}:{place.line}"


# ---- as text -------------------------------------------------------------------------------------

HEADS = {
    "calls": "calls", "total": "total ms", "share": "share", "bar": "", "forward": "forward ms",
    "backward": "backward ms", "busy": "threads", "moved": "MB", "rate": "GB/s", "flops": "MFLOP",
    "speed": "GFLOP/s",
}  # fmt: skip


def cells(row: Row, whole: float, block: str) -> list[str]:
    """What stands in a row under `HEADS`; `block` is what bars are made of."""
    share = row.spent / whole if whole else 0.0
    seconds = row.spent * 1e-9
    bar = (block * round(WIDTH * share)).ljust(WIDTH)
    busy = f"{row.busy / row.spent:.1f}" if row.spent else ""
    return [
        str(row.calls), _ms(row.spent), f"{100 * share:.1f}%", bar,
        _ms(row.forward), _ms(row.backward), busy, f"{row.nbytes * 1e-6:.3g}",
        _rate(row.nbytes, seconds), "" if row.flops is None else f"{row.flops * 1e-6:.3g}",
        _rate(row.flops, seconds),
    ]  # fmt: skip


def _ms(nanoseconds: float) -> str:
    return f"{nanoseconds * 1e-6:.3f}" if nanoseconds else ""


def _rate(count: float | None, seconds: float) -> str:
    return f"{count * 1e-9 / seconds:.2f}" if count and seconds else ""


def _rows(rows: Sequence[Row], head: str, whole: float, block: str) -> list[str]:
    shown = rows[:MOST_ROWS]
    several = len({row.program for row in rows}) > 1
    lines = [
        [
            row.name, row.program if several else "",
            line_of(row.place) if head == "kernel" else "", *cells(row, whole, block),
        ]
        for row in shown
    ]  # fmt: skip
    found = table([head, "program", "line", *HEADS.values()], lines, left=3)
    if len(rows) > len(shown):
        rest = sum(row.spent for row in rows[MOST_ROWS:])
        found.append(f"... and {len(rows) - len(shown)} more, {_ms(rest) or '0'} ms")
    return found


def text(record: Record, stream: TextIO | None = None) -> str:
    """The report as a person reads it, in letters that `stream` (standard output) can show."""
    block = _block(sys.stdout if stream is None else stream)
    kernels, lines = by_kernel(record), by_line(record)
    whole = sum(row.spent for row in kernels)
    parts = [_summary(record, whole)]
    if kernels:
        parts.append("\n".join(_rows(kernels, "kernel", whole, block)))
        parts.append("\n".join(_rows(lines, "source", whole, block)))
    return "\n\n".join(parts)


def _block(stream: TextIO) -> str:
    try:
        "█".encode(getattr(stream, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return "#"
    return "█"


def _summary(record: Record, whole: float) -> str:
    runs = sum(ran.runs for ran in record.programs.values())
    single = sum(entry.calls for entry in record.eager.values())
    said = [
        f"{_counted(len(record.programs), 'program')} ran {_counted(runs, 'time')}, "
        f"{_counted(single, 'operation')} by themselves",
        f"kernels {_ms(whole) or '0'} ms, programs and operations {_ms(record.spent) or '0'} ms, "
        f"in all {_ms(record.watched) or '0'} ms",
    ]
    threads = record.threads()
    if record.spent:
        shares = (f"{100 * busy / record.spent:.0f}%" for busy in threads.tolist())
        said.append(f"busy of that time, the calling thread and each worker: {', '.join(shares)}")
    if record.lost:
        said.append(f"{record.lost} events are in the sums, but not in the trace")
    return "\n".join(said)


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'s' * (count != 1)}"


# ---- as tables for other programs ----------------------------------------------------------------


def details(rows: Sequence[Row]) -> list[list[str]]:
    """Heads and rows with all digits, in microseconds."""
    heads = [
        "Name", "Program", "Line", "Calls", "Total Time(us)", "Forward Time(us)",
        "Backward Time(us)", "Busy Time(us)", "Bytes", "FLOPs",
    ]  # fmt: skip
    found = [heads]
    for row in rows:
        times = (row.spent, row.forward, row.backward, row.busy)
        flops = "" if row.flops is None else str(round(row.flops))
        found.append([
            row.name, row.program, line_of(row.place), str(row.calls),
            *(f"{ns / 1000:.3f}" for ns in times), str(round(row.nbytes)), flops,
        ])  # fmt: skip
    return found
