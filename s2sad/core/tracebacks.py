"""Which frames does the traceback of an error show? The user's, and where s2sad was entered.

Between those lie dozens of s2sad's own, which say nothing about the program that is wrong: the
text of the error has the user's line, and the calls that led there. `S2SAD_TRACEBACK=full` in the
environment keeps them. So does a fault of s2sad itself, and any exception that it did not expect.
"""

from __future__ import annotations

import os
from types import TracebackType

from s2sad.core.diagnostics import Diagnostic
from s2sad.core.location import is_of_python, is_own

#: Environment variable that is ``full`` to see every frame.
VARIABLE = "S2SAD_TRACEBACK"


def shorten(error: BaseException) -> None:
    """Drop the frames of s2sad below the one that handles `error` now, which is about to go on.

    Frames of the user's code, which may run while compiling, stay, and so does generated code.
    """
    head = error.__traceback__
    if head is not None and _is_users(error) and os.environ.get(VARIABLE) != "full":
        head.tb_next = _outside(head.tb_next)


def _is_users(error: BaseException) -> bool:
    """Whether `error` speaks of the user's program."""
    found = getattr(error, "diagnostic", None)
    return isinstance(found, Diagnostic) and not found.code.startswith("E09")


def _outside(trace: TracebackType | None) -> TracebackType | None:
    """`trace` without frames of s2sad, and of Python's library where s2sad called it."""
    kept: list[TracebackType] = []
    is_ours = True
    while trace is not None:
        if not is_of_python(trace.tb_frame.f_code.co_filename):
            is_ours = is_own(trace.tb_frame)
        if not is_ours:
            kept.append(trace)
        trace = trace.tb_next
    for each in reversed(kept):
        each.tb_next, trace = trace, each
    return trace
