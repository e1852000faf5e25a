"""May shapes of different rank meet in arithmetic?

They may, unless the setting `strict_broadcast` of the context, or of `compile`, says no: see
`s2sad.ops.called`. What is asked at each call of `ops` is `ASKED` alone, which is empty as long as
nobody wants to know.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: As many items as there are reasons to look closer: the context, and compilations that are strict.
ASKED: list[bool] = []


class _Here(threading.local):
    forced: bool | None = None


_HERE = _Here()
_BY_CONTEXT: list[bool] = []


def set_default(is_strict: bool) -> None:
    """What holds where nothing else is said: the setting of the context."""
    if is_strict != bool(_BY_CONTEXT):
        for reasons in (_BY_CONTEXT, ASKED):
            reasons.append(True) if is_strict else reasons.pop()


def is_strict() -> bool:
    """Whether shapes of different rank are refused here."""
    return bool(_BY_CONTEXT) if _HERE.forced is None else _HERE.forced


@contextmanager
def forced(value: bool | None) -> Iterator[None]:
    """Let `is_strict` be `value` in this thread, until the block ends; None changes nothing."""
    if value is None:
        yield
        return
    outer, _HERE.forced = _HERE.forced, value
    if value:
        ASKED.append(True)
    try:
        yield
    finally:
        _HERE.forced = outer
        if value:
            ASKED.pop()
