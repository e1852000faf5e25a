"""How is a place in the source shown: its lines with carets, and the calls that led there?

What a user reads first is the innermost line of theirs; a place inside of s2sad stands below it.
"""

from __future__ import annotations

import linecache
import unicodedata
from dataclasses import replace
from itertools import groupby

from s2sad.core import location as locations
from s2sad.core.location import Location

#: Of a chain of calls, as many are shown at either end.
CALLS_SHOWN = 8
#: Of an expression over more lines, the first ones are shown, and the last.
LINES_SHOWN = 6


def users(place: Location) -> tuple[list[Location], Location]:
    """The innermost place of the user's, after those inside s2sad that were reached from it."""
    inner = []
    for each in place.chain():
        if not each.is_own:
            return inner, each
        inner.append(each)
    return [], place


def reached(place: Location) -> Location:
    """`place`, called from the user's line that runs now where all of it is s2sad's own."""
    if not all(each.is_own for each in place.chain()):
        return place
    outside = locations.caller()
    known = outside is not None and not outside.file.startswith("<")
    return _called_from(place, outside) if known else place


def _called_from(place: Location, outside: Location | None) -> Location:
    outer = outside if place.caller is None else _called_from(place.caller, outside)
    return replace(place, caller=outer)


def excerpt(innermost: Location, label: str = "", scope: str = "") -> list[str]:
    """The user's lines with their carets, and the calls around them.

    Parameters
    ----------
    innermost : Location
    label : str
        Stands beside the last caret.
    scope : str
        Of the Cell to which `innermost` belongs: ``"Net/fc:Dense"``.
    """
    inner, place = users(innermost)
    lines = [f"  --> {place.file}:{place.line}:{place.column}"]
    shown = _marked(place)
    if shown:
        width = len(str(place.end_line or place.line))
        lines.append(f"{' ' * width} |")
        for number, text, caret in shown:
            lines.append(f"{number:>{width}} | {text}")
            lines += [f"{' ' * width} | {caret}"] if caret else []
        lines[-1] = f"{lines[-1]} {label}".rstrip()
    inside = [f"   = inside {_cell(scope)}{x.file}:{x.line}:{x.column}" for x in inner[:1]]
    return lines + inside + _calls(list(place.chain())[1:])


def _cell(scope: str) -> str:
    """The Cell of a scope, from the one on that was called first: ``"fc.2 (Dense), "``."""
    if not scope:
        return ""
    cells = [part.rpartition(":") for part in scope.split("/")]
    path = ".".join(name or kind for name, _, kind in cells[1:])
    return f"{path} ({cells[-1][2]}), " if path else f"{cells[0][2]}, "


def _marked(place: Location) -> list[tuple[int | str, str, str]]:
    """Number, text and carets of each line of the place that has text."""
    last = place.end_line or place.line
    texts = [(i, linecache.getline(place.file, i).rstrip()) for i in range(place.line, last + 1)]
    found: list[tuple[int | str, str, str]] = []
    for number, text in texts:
        if text:
            before, under = split(text, place, number)
            found.append((number, text, _blank(before) + "^" * max(1, _width(under))))
    if len(found) > LINES_SHOWN:
        found[LINES_SHOWN - 2 : -1] = [("", "...", "")]
    return found


def split(text: str, place: Location, line: int | None = None) -> tuple[str, str]:
    """What stands before the place in a line of it, and the place itself; columns count bytes.

    Parameters
    ----------
    text : str
        That of the line, without white space at its end.
    place : Location
    line : int, optional
        The line's number; the first one's, unless it is given.
    """
    raw, last = text.encode(), place.end_line or place.line
    line = place.line if line is None else line
    start = place.column if line == place.line else len(raw) - len(raw.lstrip())
    stop = len(raw)
    if line == last:
        stop = place.end_column if place.end_column is not None else place.column + 1
    before, under = raw[:start], raw[start:stop]
    return before.decode(errors="ignore"), under.decode(errors="ignore")


def _width(text: str) -> int:
    """Columns that a terminal gives to `text`: two for East Asian wide, none for combining."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def _blank(text: str) -> str:
    """White space as wide as `text`; its tabs stay, since a terminal chooses their width."""
    return "\t".join(" " * _width(part) for part in text.split("\t"))


def _calls(callers: list[Location]) -> list[str]:
    """A line a call, innermost first; the middle of a long chain is left out.

    Calls from one place, of which recursion has many, share a line.
    """
    places = groupby(f"{c.file}:{c.line}:{c.column}" for c in callers)
    counted = [(place, len(list(calls))) for place, calls in places]
    lines = [
        f"   = called at {place}" + (f", {count} times" if count > 1 else "")
        for place, count in counted
    ]
    left_out = len(lines) - 2 * CALLS_SHOWN
    if left_out <= 1:
        return lines
    return [*lines[:CALLS_SHOWN], f"   = ... {left_out} more calls", *lines[-CALLS_SHOWN:]]
