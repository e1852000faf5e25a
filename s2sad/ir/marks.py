r"""How do the location and the scope of an operation stand in a dump?

As a comment at the end of its line, innermost place first::

    #@ rnn.py:8:26 < net.py:12:15 in network/rnn.Cell

A file or a scope with characters that could be taken for the grammar's own is quoted as Python
quotes strings. Without a location the scope stands alone: ``#@ in network``.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from s2sad.core.location import Location

_PLAIN_FILE = re.compile(r"[\w./\\<>-]+")
_PLAIN_SCOPE = re.compile(r"[\w./\\<>:()\[\]-]+")
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_PLACE = re.compile(rf"(?P<file>{_PLAIN_FILE.pattern}|{_QUOTED}):(?P<line>\d+):(?P<column>\d+)")
_SCOPE = re.compile(rf"in (?P<scope>{_PLAIN_SCOPE.pattern}|{_QUOTED})")


def mark(location: Location | None, scope: str = "") -> str | None:
    """Text after the ``#`` for an operation; None where there is nothing to say.

    Examples
    --------
    >>> mark(Location("rnn.py", 8, 26, Location("my net.py", 12, 15)), "network")
    "@ rnn.py:8:26 < 'my net.py':12:15 in network"
    """
    parts = ["@"]
    if location is not None:
        places = (f"{_written(p.file, _PLAIN_FILE)}:{p.line}:{p.column}" for p in location.chain())
        parts.append(" < ".join(places))
    if scope:
        parts.append(f"in {_written(scope, _PLAIN_SCOPE)}")
    return " ".join(parts) if len(parts) > 1 else None


def read_mark(text: str) -> tuple[Location | None, str]:
    """Location and scope of what `mark` gives.

    Raises
    ------
    ValueError
        The text is no mark.

    Examples
    --------
    >>> place, scope = read_mark("@ rnn.py:8:26 in network")
    >>> place.file, place.line, place.column, scope
    ('rnn.py', 8, 26, 'network')
    """
    rest = text.removeprefix("@").strip()
    places: list[tuple[str, int, int]] = []
    while found := _PLACE.match(rest):
        places.append((_meant(found["file"]), int(found["line"]), int(found["column"])))
        rest = rest[found.end() :].lstrip()
        if not rest.startswith("< "):
            break
        rest = rest[2:].lstrip()
    scope = ""
    if found := _SCOPE.fullmatch(rest):
        scope, rest = _meant(found["scope"]), ""
    if rest or not (places or scope) or not text.startswith("@"):
        raise ValueError(f"not a location: {rest or text}")
    location: Location | None = None
    for place in reversed(places):
        location = Location(*place, caller=location)
    return location, scope


@lru_cache(maxsize=1024)
def _written(text: str, plain: re.Pattern[str]) -> str:
    return text if plain.fullmatch(text) else repr(text)


def _meant(text: str) -> str:
    if text[0] not in "'\"":
        return text
    try:
        return ast.literal_eval(text)
    except SyntaxError as error:  # an escape that is none
        raise ValueError(f"not a string: {text}") from error
