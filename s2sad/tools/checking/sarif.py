"""What is wrong in files, as SARIF 2.1.0: what editors and code hosts read.

The form is that of the OASIS standard, "Static Analysis Results Interchange Format (SARIF) Version
2.1.0". Columns count from 1, in units of UTF-16; files that were given relative to the present
folder are relative references.
"""

from __future__ import annotations

import linecache
import os
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

import s2sad
from s2sad.core.diagnostics import Diagnostic
from s2sad.core.location import Location
from s2sad.tools.explain import pages, title

VERSION = "2.1.0"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(found: Sequence[Diagnostic], unreadable: Sequence[str]) -> dict[str, Any]:
    """A log of one run.

    Parameters
    ----------
    found : sequence of Diagnostic
        Each with a location.
    unreadable : sequence of str
        Why files could not be read; the run did not succeed then.
    """
    codes = sorted({each.code for each in found})
    notes = [{"level": "error", "message": {"text": text}} for text in unreadable]
    driver = {"name": "s2sad", "version": s2sad.__version__, "rules": [_rule(x) for x in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "invocations": [
            {"executionSuccessful": not unreadable, "toolExecutionNotifications": notes}
        ],
        "results": [_result(each, codes.index(each.code)) for each in found],
    }
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    """What `s2sad explain` says of a code."""
    page = pages()[code]
    return {
        "id": code,
        "shortDescription": {"text": title(page)},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": "error"},
    }


def _result(found: Diagnostic, rule: int) -> dict[str, Any]:
    assert found.location is not None
    place, *callers = found.location.chain()
    return {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": _text(found)},
        "locations": [{"physicalLocation": _physical(place)}],
        "relatedLocations": [
            {"id": i, "physicalLocation": _physical(each), "message": {"text": "called here"}}
            for i, each in enumerate(callers)
        ],
    }


def _text(found: Diagnostic) -> str:
    label = f" ({found.label})" if found.label else ""
    lines = [f"{found.message}{label}", *(f"note: {note}" for note in found.notes)]
    return "\n".join([*lines, f"help: {found.help}"] if found.help else lines)


def _physical(place: Location) -> dict[str, Any]:
    line, column = end_of(place)
    return {
        "artifactLocation": {"uri": uri_of(place.file)},
        "region": {
            "startLine": place.line, "startColumn": _units(place.file, place.line, place.column),
            "endLine": line, "endColumn": _units(place.file, line, column),
        },
    }  # fmt: skip


def uri_of(file: str) -> str:
    """A path as a reference: absolute ones as ``file:``, others relative to the present folder.

    Examples
    --------
    >>> uri_of("my nets/größe#1.py")
    'my%20nets/gr%C3%B6%C3%9Fe%231.py'
    """
    if os.path.isabs(file):
        return Path(file).as_uri()
    return quote(os.fsencode(PurePath(file).as_posix()))


def end_of(place: Location) -> tuple[int, int]:
    """Line and column, in bytes, behind a place; one character where it is a point."""
    if place.end_column is not None:
        return place.end_line or place.line, place.end_column
    rest = _line(place.file, place.line).encode()[place.column :].decode(errors="ignore")
    return place.line, place.column + len(rest[:1].encode())


def _units(file: str, line: int, column: int) -> int:
    """A column from 0 in bytes as SARIF counts it: from 1, in units of UTF-16."""
    before = _line(file, line).encode()[:column].decode(errors="ignore")
    return len(before.encode("utf-16-le")) // 2 + 1


def _line(file: str, line: int) -> str:
    return linecache.getline(file, line).rstrip("\r\n")
