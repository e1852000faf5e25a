"""Which files does a profile become, and where do they lie?

The folders and the names of the first two are MindSpore's, so that scripts find them.
"""

from __future__ import annotations

import csv
import io
import json
import os
import socket
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir.archive import write_whole
from s2sad.profiler.record import Record
from s2sad.profiler.report import by_kernel, by_line, details, text
from s2sad.profiler.trace import trace

TRACE, KERNELS = "trace_view.json", "kernel_details.csv"
LINES, MEMORY, REPORT = "source_lines.csv", "memory_record.csv", "report.txt"


def folder_for(output: Path, worker: str | None = None) -> Path:
    """A folder below `output` for one profile, with the time in its name; not made yet."""
    name = worker or f"{socket.gethostname()}_{os.getpid()}"
    moment = datetime.now().strftime("%Y%m%d%H%M%S%f")[:-3]
    return output / f"{name}_{moment}_ascend_ms" / "ASCEND_PROFILER_OUTPUT"


def write(
    record: Record, folder: Path, *, with_memory: bool, pretty: bool = False,
    metadata: dict[str, Any] | None = None,
) -> None:  # fmt: skip
    """Write all files of `record` into `folder`, which is made.

    Raises
    ------
    S2sadError
        E0604 where they cannot be written.
    """
    texts = {
        TRACE: json.dumps(trace(record, metadata), indent=1 if pretty else None),
        KERNELS: _csv(details(by_kernel(record))),
        LINES: _csv(details(by_line(record))),
        REPORT: text(record, io.TextIOWrapper(io.BytesIO(), "utf-8")) + "\n",
    }
    if with_memory:
        texts[MEMORY] = _csv(memory(record))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise fail("E0604", f"the profile cannot be written: {error}") from error
    for name, content in texts.items():
        write_whole(folder / name, lambda file, content=content: file.write(content.encode()))


def memory(record: Record) -> list[list[str]]:
    """Heads and rows: what a run of each program needs, in bytes."""
    heads = ["Program", "Inputs", "Constants", "Results", "Peak"]
    found = [heads]
    for ran in record.programs.values():
        report = ran.executable.memory_report()
        sizes = (report.inputs, report.constants, report.results, report.peak)
        found.append([ran.title, *map(str, sizes)])
    return found


def _csv(rows: Sequence[Sequence[str]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()
