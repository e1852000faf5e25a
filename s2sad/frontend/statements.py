"""What does a statement do, when some of it is known while compiling?

Straight code, and branches and loops on static values, which leave no trace in the IR: only the
taken side is compiled, and a static loop is written out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2sad.core.diagnostics import fail
from s2sad.frontend.expressions import (
    BINARY,
    bind,
    describe,
    evaluate,
    operate,
    static_iterable,
    truth,
)
from s2sad.frontend.frame import Frame


class Exit:
    """Why a block ended early: ``return`` with its value, ``break`` or ``continue``."""

    def __init__(self, kind: str, value: Any = None) -> None:
        self.kind = kind
        self.value = value


STATEMENTS: dict[type, Callable[[Frame, Any], Exit | None]] = {}


def executes(*kinds: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the function that executes statements of `kinds`."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        STATEMENTS.update(dict.fromkeys(kinds, function))
        return function

    return register


def execute(frame: Frame, statements: list[Any]) -> Exit | None:
    """Execute `statements` in order; an `Exit` when one ends the block early."""
    for statement in statements:
        with frame.at(statement):
            handler = STATEMENTS.get(type(statement))
            if handler is None:
                raise fail("E0101", f"{describe(statement)} cannot be compiled yet")
            leaving = handler(frame, statement)
        if leaving is not None:
            return leaving
    return None


@executes(gast.Assign)
def _assign(frame: Frame, node: Any) -> None:
    value = evaluate(frame, node.value)
    for target in node.targets:
        bind(frame, target, value)


@executes(gast.AnnAssign)
def _annotated(frame: Frame, node: Any) -> None:
    if node.value is not None:
        bind(frame, node.target, evaluate(frame, node.value))


@executes(gast.AugAssign)
def _augmented(frame: Frame, node: Any) -> None:
    if not isinstance(node.target, gast.Name):
        raise fail("E0101", "augmented assignment to an item or attribute cannot be compiled yet")
    old = frame.lookup(node.target.id)
    if isinstance(old, (list, dict, set)):
        raise fail("E0101", "augmented assignment to a container cannot be compiled yet")
    value = operate(frame, BINARY[type(node.op)], old, evaluate(frame, node.value))
    bind(frame, node.target, value)


@executes(gast.Return)
def _return(frame: Frame, node: Any) -> Exit:
    return Exit("return", None if node.value is None else evaluate(frame, node.value))


@executes(gast.Expr)
def _expression(frame: Frame, node: Any) -> None:
    evaluate(frame, node.value)


@executes(gast.Pass)
def _pass(frame: Frame, node: Any) -> None:
    return None


@executes(gast.Break)
def _break(frame: Frame, node: Any) -> Exit:
    return Exit("break")


@executes(gast.Continue)
def _continue(frame: Frame, node: Any) -> Exit:
    return Exit("continue")


@executes(gast.If)
def _if(frame: Frame, node: Any) -> Exit | None:
    with frame.at(node.test):
        taken = truth(evaluate(frame, node.test))
    return execute(frame, node.body if taken else node.orelse)


@executes(gast.For)
def _for(frame: Frame, node: Any) -> Exit | None:
    for item in static_iterable(evaluate(frame, node.iter)):
        bind(frame, node.target, item)
        leaving = execute(frame, node.body)
        if leaving is not None and leaving.kind == "return":
            return leaving
        if leaving is not None and leaving.kind == "break":
            return None
    return execute(frame, node.orelse)


@executes(gast.While)
def _while(frame: Frame, node: Any) -> Exit | None:
    while truth(evaluate(frame, node.test)):
        leaving = execute(frame, node.body)
        if leaving is not None and leaving.kind == "return":
            return leaving
        if leaving is not None and leaving.kind == "break":
            return None
    return execute(frame, node.orelse)
