"""How is a place in the source shown: its line with a caret, and the calls that led there?

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
    """The user's line with its caret, and the calls around it.

    Parameters
    ----------
    innermost : Location
    label : str
        Stands beside the caret.
    scope : str
        Of the Cell to which `innermost` belongs: ``"Net/fc:Dense"``.
    """
    inner, place = users(innermost)
    lines = [f"  --> {place.file}:{place.line}:{place.column}"]
    text = linecache.getline(place.file, place.line).rstrip()
    if text:
        margin = " " * len(str(place.line))
        before, under = split(text, place)
        caret = "^" * max(1, _width(under))
        lines += [
            f"{margin} |",
            f"{place.line} | {text}",
            f"{margin} | {_blank(before)}{caret} {label}".rstrip(),
        ]
    inside = [f"   = inside {_cell(scope)}{x.file}:{x.line}:{x.column}" for x in inner[:1]]
    return lines + inside + _calls(list(place.chain())[1:])


def _cell(scope: str) -> str:
    """The Cell of a scope, from the one on that was called first: ``"fc.2 (Dense), "``."""
    if not scope:
        return ""
    cells = [part.rpartition(":") for part in scope.split("/")]
    path = ".".join(name or kind for name, _, kind in cells[1:])
    return f"{path} ({cells[-1][2]}), " if path else f"{cells[0][2]}, "


def split(text: str, place: Location) -> tuple[str, str]:
    """What stands before the place in its line, and the place itself; columns count bytes."""
    raw = text.encode()
    stop = place.end_column if place.end_column is not None else place.column + 1
    before, under = raw[: place.column], raw[place.column : stop]
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
