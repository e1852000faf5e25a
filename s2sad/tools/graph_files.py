"""What would Huawei's graph engine not take of files that hold graphs for it?"""

from __future__ import annotations

import linecache
from collections.abc import Sequence

from s2sad.backends.ascend.checking import Finding, check
from s2sad.backends.ascend.decoding import read_model
from s2sad.core.diagnostics import Diagnostic, S2sadError
from s2sad.core.location import Location
from s2sad.tools.checking.reports import report_of, say


def check_models(paths: Sequence[str], form: str) -> int:
    """Say what is wrong in graph files.

    Parameters
    ----------
    paths : sequence of str
    form : {"text", "json", "sarif"}

    Returns
    -------
    int
        0 where nothing was found, 1 where something was, 2 where a file could not be read.
    """
    linecache.checkcache()
    found: list[list[Diagnostic]] = []
    failures: list[S2sadError] = []
    for path in paths:
        try:
            model = read_model(path, keeps_twins=True)
        except S2sadError as error:
            failures.append(error)
        else:
            found.append([_diagnostic(each, path) for each in check(model)])
    return say(report_of(found, failures), form)


def _diagnostic(found: Finding, path: str) -> Diagnostic:
    """A finding at the user's line where the file says it, else at the file."""
    message = f"{found.where}: {found.rule}: {found.what}"
    place = _line(found.source)
    notes = () if place is None else (f"in the graph file {path}",)
    place = place or _whole(path)
    return Diagnostic("E0610", message, place, notes=notes, help=found.help or None)


def _line(source: str) -> Location | None:
    """A line of a program, all of it, from ``"net.py:12"``."""
    file, _, number = source.rpartition(":")
    if not file or not (number.isascii() and number.isdigit() and 0 < len(number) < 9):
        return None
    text = linecache.getline(file, int(number)).rstrip().encode()
    return Location(file, int(number), len(text) - len(text.lstrip()), None, len(text) or None)


def _whole(path: str) -> Location:
    """A graph file, which has no lines: none of its bytes are shown as text."""
    linecache.cache[path] = (0, None, [], path)
    return Location(path, 1, 0)
