"""What do `raise` and `assert` do?

Where no tensor decides whether they are reached they are Python's own while compiling: the
exception goes to who called the compiled function, with a note that says where it was raised. Where
data decide, or something was printed before, the program raises the same exception when it runs.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import RAISABLE, fail, note_raised
from s2sad.frontend import effects
from s2sad.frontend.branches import divide
from s2sad.frontend.exits import Exit, Leaving
from s2sad.frontend.expressions import data_condition, evaluate, evaluate_test, is_tensor, truth
from s2sad.frontend.frame import Frame
from s2sad.frontend.texts import Text, fields_of, text_of
from s2sad.ir import builder as builders
from s2sad.ir.graph import Operation, Value


def raise_(frame: Frame, node: Any) -> Leaving:
    """``raise exception`` (E0101 without one, E0104 for one that no program can raise)."""
    if node.exc is None:
        if frame.session.handled:
            raise frame.session.handled[-1]
        raise fail("E0101", "`raise` without an exception cannot be compiled")
    error = evaluate(frame, node.exc)
    error = error() if isinstance(error, type) and issubclass(error, Exception) else error
    if not isinstance(error, Exception):
        raise fail("E0304", f"`raise` takes an exception, got a {type(error).__name__}")
    cause = None if node.cause is None else evaluate(frame, node.cause)
    if not _is_certain(frame, error):
        if cause is not None:
            raise fail(
                "E0104", "an exception that a program raises has no cause: `from` cannot be "
                "compiled here", help="leave `from` out",
            )  # fmt: skip
        return _raise_at_run_time(frame, error)
    note_raised(error)
    if node.cause is not None:
        raise error from cause
    raise error


def assert_(frame: Frame, node: Any) -> Leaving:
    """``assert test, message``: the message is looked at where the test does not hold."""
    with frame.at(node.test):
        test = evaluate_test(frame, node.test)
        condition = data_condition(frame, test)

    def failed(inner: Frame) -> Leaving:
        error = AssertionError(*([] if node.msg is None else [evaluate(inner, node.msg)]))
        if not _is_certain(inner, error):
            return _raise_at_run_time(inner, error)
        note_raised(error)
        raise error

    if condition is not None:
        return divide(frame, condition, lambda inner: None, failed)
    return None if truth(test) else failed(frame)


def _is_certain(frame: Frame, error: Exception) -> bool:
    """Whether `error` is raised whatever the data are, and before the program does anything."""
    if effects.has_any(frame.session) or any(map(_shows_data, error.args)):
        return False
    call: Frame | None = frame
    while call is not None:
        if call.is_fork:
            return False
        call = call.called_by
    return True


def _shows_data(argument: Any) -> bool:
    return isinstance(argument, Text) or is_tensor(argument)


def _raise_at_run_time(frame: Frame, error: Exception) -> Exit:
    """Let the program raise `error` here (E0104 where it cannot)."""
    kind = type(error).__name__
    if RAISABLE.get(kind) is not type(error):
        raise fail(
            "E0104", f"{kind} is an exception that no program can raise when it runs",
            help="raise a builtin exception, such as ValueError, or check where the function is "
            "called",
        )  # fmt: skip
    if len(error.args) > 1:
        raise fail(
            "E0104", "a program raises exceptions that are made of one text, got "
            f"{len(error.args)} arguments", help=f'join them: {kind}(f"...")',
        )  # fmt: skip
    if not error.args:
        effects.emit(frame.session, p.raise_, kind=kind)
        return Exit("raise")
    (argument,) = error.args
    if isinstance(error, KeyError) and not isinstance(argument, (str, Text)):
        raise fail("E0104", "a program raises a KeyError with a text only", help='KeyError(f"...")')
    text, values = fields_of(text_of(argument))
    given = map(builders.current().value, values)
    effects.emit(frame.session, p.raise_, *given, kind=kind, message=text)
    return Exit("raise")


def require_step(frame: Frame, step: Value) -> None:
    """Let the program raise what `range` does, where a step that is data is 0."""
    if isinstance(step.owner, Operation) and step.owner.prim is p.const:
        return
    error = ValueError("range() arg 3 must not be zero")
    divide(
        frame, p.not_equal(step, 0), lambda inner: None,
        lambda inner: _raise_at_run_time(inner, error),
    )  # fmt: skip


def is_exception(kind: Any) -> bool:
    """Whether `kind` is a class of exceptions, which compiled code may make to raise them."""
    return isinstance(kind, type) and issubclass(kind, Exception)
