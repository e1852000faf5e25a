"""Is a text Python, and where not?"""

from __future__ import annotations

import ast
from typing import Any

import gast

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.location import Location
from s2sad.frontend import refusals
from s2sad.tools.checking.sources import Source


def parsed(source: Source) -> Any:
    """The tree of a file, if Python takes it (E0108, or E0103)."""
    if "\0" in source.text:
        raise _null(source)
    try:
        ast.parse(source.text)
    except SyntaxError as error:
        raise _syntax(source, error, in_bytes=False) from None
    except (MemoryError, RecursionError):
        raise refusals.too_deep(Location(source.file, 1, 0)) from None
    try:
        compile(source.text, source.file, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise _syntax(source, error, in_bytes=True) from None
    return gast.parse(source.text)


def _syntax(source: Source, error: SyntaxError, *, in_bytes: bool) -> S2sadError:
    """E0108 for what Python says; its parser counts characters, what comes after it bytes."""
    lines = source.text.split("\n")

    def column(line: int, offset: int | None) -> int:
        count = max((offset or 1) - 1, 0)
        text = lines[line - 1] if line <= len(lines) else ""
        return min(count, len(text.encode())) if in_bytes else len(text[:count].encode())

    line = min(error.lineno or 1, len(lines))
    start, end, last = column(line, error.offset), None, error.end_lineno or line
    if error.end_offset and error.end_offset > 0 and line <= last <= len(lines):
        end = column(last, error.end_offset)
    is_empty = end is None or (last, end) <= (line, start)
    place = Location(
        source.file, line, start, None, None if is_empty else end,
        None if is_empty or last == line else last,
    )  # fmt: skip
    return fail("E0108", f"Python cannot read this: {error.msg}", location=place)


def _null(source: Source) -> S2sadError:
    """E0108 for a character that Python refuses without saying where it stands."""
    before = source.text.partition("\0")[0]
    column = len(before.rpartition("\n")[2].encode())
    place = Location(source.file, before.count("\n") + 1, column)
    return fail("E0108", "Python cannot read this: a null character", location=place)
