"""What is an iterator in compiled code? Items that are known by now, to be gone through once.

Python's own would do, were a branch or a loop on data not read several times, or once for all of
its passes: what such a region takes from an iterator that was made around it, Python would take
once a pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir import builder as builders


class Once:
    """What `map`, `zip` and generator expressions give.

    Attributes
    ----------
    what : str
        What it is called in messages.
    """

    def __init__(self, items: Iterable[Any], what: str) -> None:
        self.what = what
        self._items = iter(list(items))
        self._region = builders.current().region

    def __iter__(self) -> Iterator[Any]:
        if builders.current().region is not self._region:
            raise fail(
                "E0104", f"what {self.what} gave around a branch or a loop on data cannot be gone "
                "through in it", help="make a list of it before: items = list(...)",
            )  # fmt: skip
        return self._items

    def __repr__(self) -> str:
        return f"<{self.what}>"

    def __len__(self) -> int:
        raise TypeError(f"object of type {self.what!r} has no len()")

    def __bool__(self) -> bool:
        return True
