"""How is it said what is wrong in files: to people, to programs, to editors?

All forms say the same findings. What is asked for goes to standard output, and nothing else does;
which files could not be read goes to standard error as well.
"""

from __future__ import annotations

import json
import linecache
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad.core.diagnostics import Diagnostic, S2sadError
from s2sad.core.location import Location
from s2sad.tools.checking.findings import findings
from s2sad.tools.checking.sarif import end_of, sarif
from s2sad.tools.checking.sources import sources
from s2sad.tools.tables import show


@dataclass(frozen=True)
class Report:
    """What was found.

    Attributes
    ----------
    files : int
        How many were read.
    with_some : int
        In how many of them something was found.
    found : list of Diagnostic
    unreadable : list of str
        Why others could not be.
    """

    files: int
    with_some: int
    found: list[Diagnostic]
    unreadable: list[str]


def check_files(paths: Sequence[str], form: str) -> int:
    """Say what is wrong in files and in folders of files.

    Parameters
    ----------
    paths : sequence of str
        See `sources`.
    form : {"text", "json", "sarif"}

    Returns
    -------
    int
        0 where nothing was found, 1 where something was, 2 where a file could not be read.
    """
    linecache.checkcache()
    failures: list[S2sadError] = []
    found = [findings(each) for each in sources(paths, failures.append)]
    return say(report_of(found, failures), form)


def say(report: Report, form: str) -> int:
    """Write a report in a form of `FORMS`; the exit code, see `check_files`."""
    for text in report.unreadable:
        show(_printable(text, sys.stderr), "red", sys.stderr)
    show(_printable(FORMS[form](report), sys.stdout))
    return 2 if report.unreadable else int(bool(report.found))


def report_of(found: Sequence[list[Diagnostic]], failures: Sequence[S2sadError]) -> Report:
    """The report of what was found in each file that was read, and of those that were not."""
    texts = [f"[{each.code}] {each.diagnostic.message}" for each in failures]
    everything = [each for some in found for each in some]
    return Report(len(found), sum(map(bool, found)), everything, texts)


def _printable(text: str, stream: Any) -> str:
    """`text` with an escape for each character that `stream` cannot write."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _text(report: Report) -> str:
    return "\n\n".join([*(each.render() for each in report.found), _summary(report)])


def _summary(report: Report) -> str:
    files = _count(report.files, "file")
    if not report.found:
        return f"nothing found in {files}"
    return f"{_count(len(report.found), 'problem')} in {report.with_some} of {files}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _json(report: Report) -> str:
    data = {
        "version": 1,
        "files": report.files,
        "findings": [_as_data(each) for each in report.found],
        "unreadable": report.unreadable,
    }
    return json.dumps(data, indent=2)


def _as_data(found: Diagnostic) -> dict[str, Any]:
    """A finding by the names that `Diagnostic` and `Location` have."""
    assert found.location is not None
    place, *callers = found.location.chain()
    return {
        "code": found.code, "message": found.message, **_place(place), "label": found.label,
        "notes": list(found.notes), "help": found.help,
        "callers": [_place(each) for each in callers],
    }  # fmt: skip


def _place(place: Location) -> dict[str, Any]:
    line, column = end_of(place)
    return {
        "file": place.file, "line": place.line, "column": place.column,
        "end_line": line, "end_column": column,
    }  # fmt: skip


def _sarif(report: Report) -> str:
    return json.dumps(sarif(report.found, report.unreadable), indent=2)


#: How a report is written.
FORMS: dict[str, Callable[[Report], str]] = {"text": _text, "json": _json, "sarif": _sarif}
