"""What is a value called in print?

A user's name where there is one, made unique by ``_1``; else ``c0, c1, ...`` for constants and
``t0, t1, ...`` for the rest, in program order. The same program gets the same names, and names
that were printed are given again when the text was read: printing is idempotent.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable
from itertools import count

from s2sad.ir import types
from s2sad.ir.graph import AUTOMATIC

#: Names that a dump uses for other things than its values.
RESERVED = frozenset({*types.__all__, *keyword.kwlist, "__debug__", "p", "range"})

_NO_WORD = re.compile(r"\W+")
_NUMBERED = re.compile(r"_\d+$")


def identifier(hint: str) -> str:
    """`hint` as a Python identifier, in the form in which Python reads identifiers.

    Examples
    --------
    >>> identifier("net.layers[0].w"), identifier("2nd"), identifier("x")
    ('net_layers_0_w', '_2nd', 'x')
    """
    text = unicodedata.normalize("NFKC", hint)
    if text.isidentifier():
        return text
    text = _NO_WORD.sub("_", text).strip("_")
    text = unicodedata.normalize("NFKC", text if text[:1].isidentifier() else f"_{text}")
    return text if text.isidentifier() else "_"


def by_number(name: str) -> tuple[str, int]:
    """Sorts ``t2`` before ``t10``."""
    start = name.rstrip("0123456789")
    return start, int(name[len(start) :] or -1)


class Names:
    """Gives out names, none twice and none of those `reserved`.

    Examples
    --------
    >>> names = Names(["x"])
    >>> names.unique("x"), names.unique("x"), names.automatic("t"), names.automatic("t")
    ('x_1', 'x_2', 't0', 't1')
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(RESERVED)
        self._taken.update(reserved)
        self._numbers: dict[str, count[int]] = {}

    def unique(self, hint: str) -> str:
        """`hint` itself where it is free, else the first free of ``hint_1``, ``hint_2``, ..."""
        name = identifier(hint)
        if AUTOMATIC.fullmatch(name):  # read back, it would be no name
            name += "_"
        if name in self._taken:
            return self.numbered(_NUMBERED.sub("", name) + "_", first=1)
        self._taken.add(name)
        return name

    def automatic(self, letter: str) -> str:
        """The next name for a value without one: ``t0``."""
        return self.numbered(letter, first=0)

    def numbered(self, start: str, *, first: int) -> str:
        """`start` with the next number under which it is free."""
        numbers = self._numbers.setdefault(start, count(first))
        name = next(name for name in (f"{start}{n}" for n in numbers) if name not in self._taken)
        self._taken.add(name)
        return name
