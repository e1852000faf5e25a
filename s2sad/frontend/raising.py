"""What do `raise` and `assert` do that are reached while compiling?

Where no tensor decides whether they are reached they are Python's own: the exception goes to who
called the compiled function, with a note that says where it was raised.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail, note_raised
from s2sad.frontend.expressions import data_condition, evaluate, truth
from s2sad.frontend.frame import Frame


def raise_(frame: Frame, node: Any) -> None:
    """``raise exception`` (E0104 where data decide, E0101 without one)."""
    _require_certain(frame, "`raise`")
    if node.exc is None:
        raise fail("E0101", "`raise` without an exception cannot be compiled")
    error = evaluate(frame, node.exc)
    error = error() if isinstance(error, type) and issubclass(error, Exception) else error
    if not isinstance(error, Exception):
        raise fail("E0304", f"`raise` takes an exception, got a {type(error).__name__}")
    note_raised(error)
    if node.cause is not None:
        raise error from evaluate(frame, node.cause)
    raise error


def assert_(frame: Frame, node: Any) -> None:
    """``assert test, message`` (E0104 where data decide)."""
    with frame.at(node.test):
        test = evaluate(frame, node.test)
        if data_condition(frame, test) is not None:
            raise fail(
                "E0104", "`assert` on tensor data cannot be compiled yet",
                help="assert outside of compiled code, or on shapes and dtypes",
            )  # fmt: skip
    if truth(test):
        return
    _require_certain(frame, "`assert`")
    error = AssertionError(*([] if node.msg is None else [evaluate(frame, node.msg)]))
    note_raised(error)
    raise error


def _require_certain(frame: Frame, what: str) -> None:
    """Refuse what is reached only if data say so: it would be raised while compiling."""
    call: Frame | None = frame
    while call is not None:
        if call.is_fork:
            raise fail(
                "E0104", f"{what} under a condition on tensor data cannot be compiled yet",
                help="check where the function is called",
            )  # fmt: skip
        call = call.called_by


def is_exception(kind: Any) -> bool:
    """Whether `kind` is a class of exceptions, which compiled code may make to raise them."""
    return isinstance(kind, type) and issubclass(kind, Exception)
