"""Has anything changed that compiled code may have read from Cells and Parameters?

One counter for the whole process: as long as it stands still, no attribute of any Cell was set
or deleted, no training flag changed, and no Parameter got another name or another
`requires_grad`. Guards compare it first. What it does not see: containers changed in place,
attributes of classes, and writes past ``__setattr__``.
"""

from __future__ import annotations

from itertools import count as numbers

_numbers = numbers(1)
_count = 0


def count() -> int:
    """A number that is another one after each change in this process."""
    return _count


def note() -> None:
    """Count one more change, after it was made: a thread that asked in between must ask again."""
    global _count
    _count = next(_numbers)  # no number twice, whichever thread comes first
