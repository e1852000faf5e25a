"""What do ``with`` and ``try`` do in compiled code? Their part is done while compiling.

A context manager is entered and left while compiling, so it may touch no tensor. Exceptions that a
`try` catches are those of what is computed while compiling: its body may not compute with tensors,
since what such operations raise, they raise when the program runs.
"""

from __future__ import annotations

from typing import Any

import gast

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.shown import shown
from s2sad.frontend import effects, objects, scopes
from s2sad.frontend.branches import go_on
from s2sad.frontend.exits import Leaving, Open
from s2sad.frontend.expressions import CALL, bind, evaluate, holds_tensor
from s2sad.frontend.frame import Frame, Unbound
from s2sad.frontend.statements import execute, executes
from s2sad.frontend.static import as_python
from s2sad.ir import builder as builders

#: Errors of s2sad that say what Python itself would: these a `try` may catch.
OF_PYTHON = ("E0201", "E0210", "E0220", "E0302", "E0501")
IN_TRY = "test the condition with `if`, or move the `try` to where the function is called"


@executes(gast.With)
def _with(frame: Frame, node: Any) -> Leaving:
    return _enter(frame, node, list(node.items))


def _enter(frame: Frame, node: Any, managers: list[Any]) -> Leaving:
    if not managers:
        return execute(frame, node.body)
    first, *rest = managers
    with frame.at(first.context_expr):
        manager = evaluate(frame, first.context_expr)
        value = _method(frame, manager, "__enter__")
        if holds_tensor(value):
            raise fail(
                "E0101", "a context manager that gives a tensor cannot be compiled",
                label=shown(value), help="compute the tensor before the `with`",
            )  # fmt: skip
    if first.optional_vars is not None:
        bind(frame, first.optional_vars, value)
    try:
        leaving = _enter(frame, node, rest)
    except Exception as error:
        is_caught = _method(frame, manager, "__exit__", type(error), error, error.__traceback__)
        if is_caught and not isinstance(error, S2sadError):
            return None
        raise
    _method(frame, manager, "__exit__", None, None, None)
    return leaving


def _method(frame: Frame, manager: Any, name: str, *args: Any) -> Any:
    """``manager.name(*args)``: the user's is read, Python's own is run."""
    if not hasattr(type(manager), name):
        message = f"{shown(manager)} is no context manager: it has no {name}"
        raise fail("E0304", message)
    written = objects.users_method(manager, name)
    if written is not None:
        return CALL[0](frame, written, [manager, *args], {})
    frame.session.guards.is_complete = False
    return as_python(getattr(type(manager), name), manager, *args)


@executes(gast.Try)
def _try(frame: Frame, node: Any) -> Leaving:
    if not node.finalbody:
        return _catch(frame, node)
    before = effects.last(frame.session)
    try:
        leaving = _catch(frame, node)
    except S2sadError as error:
        if error.code in OF_PYTHON:
            last = execute(frame, node.finalbody)
            if last is not None:
                return last
        raise
    except Exception:
        last = execute(frame, node.finalbody)
        if last is not None:
            return last
        raise
    if isinstance(leaving, Open) or effects.last(frame.session) is not before:
        raise fail(
            "E0101", "a `finally` behind what data decide, or what raises or prints when the "
            "program runs, cannot be compiled", location=frame.location(node), help=IN_TRY,
        )  # fmt: skip
    return execute(frame, node.finalbody) or leaving


def _catch(frame: Frame, node: Any) -> Leaving:
    region = builders.current().region
    before, written = len(region.operations), _written(frame)
    try:
        leaving = execute(frame, node.body)
    except Exception as error:
        handler = _handler_for(frame, node, error)
        _require_untouched(frame, node, before, written)
        if handler is None:
            raise
        return _handle(frame, handler, error)
    if node.handlers:
        _require_untouched(frame, node, before, written)
    return go_on(leaving, frame, lambda inner: execute(inner, node.orelse))


def _written(frame: Frame) -> dict[int, Any]:
    return {key: capture.written for key, capture in frame.session.captures.items()}


def _require_untouched(frame: Frame, node: Any, before: int, written: dict[int, Any]) -> None:
    """Refuse a `try` whose body computes with tensors (E0101)."""
    count = len(builders.current().region.operations)
    same = all(
        capture.written is written.get(key) for key, capture in frame.session.captures.items()
    )
    if count != before or not same:
        raise fail(
            "E0101", "exceptions cannot be caught in compiled code, but those of a body that "
            "computes with no tensor", location=frame.location(node), help=IN_TRY,
        )  # fmt: skip


def _handler_for(frame: Frame, node: Any, error: Exception) -> Any:
    """The handler that takes `error`; None where there is none."""
    if isinstance(error, S2sadError) and error.code not in OF_PYTHON:
        return None
    for handler in node.handlers:
        if handler.type is None:
            return handler
        with frame.at(handler.type):
            kinds = evaluate(frame, handler.type)
            if as_python(isinstance, error, kinds):
                return handler
    return None


def _handle(frame: Frame, handler: Any, error: Exception) -> Leaving:
    if handler.name is not None:
        bind(frame, handler.name, error)
    frame.session.handled.append(error)
    try:
        leaving = execute(frame, handler.body)
    finally:
        frame.session.handled.pop()
    if handler.name is not None:
        why = f"`{handler.name.id}` is known in its `except` only"
        scopes.assign(frame, handler.name.id, Unbound(why, frame.location(handler)))
    return leaving
