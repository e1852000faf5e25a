"""What does a statement do, when some of it is known while compiling?

Branches and loops on static values leave no trace in the IR: only the taken side is compiled,
and a static loop is written out, unless it is a `for` over a range whose passes differ in numbers
only. On tensor data they become regions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import gast
import numpy as np

from s2sad import prims as p
from s2sad.core import location as locations
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.frontend import refusals
from s2sad.frontend.branches import branch
from s2sad.frontend.carried import fork, stored_names, write_back, written_now
from s2sad.frontend.containers import renewed, require_own
from s2sad.frontend.expressions import (
    BINARY,
    TARGETS,
    Range,
    bind,
    data_condition,
    evaluate,
    is_tensor,
    item_of_tensor,
    operate,
    static_iterable,
    truth,
)
from s2sad.frontend.frame import Frame
from s2sad.frontend.index import VaryingRange
from s2sad.frontend.kept import Outcome, keep_inner, try_to_keep
from s2sad.frontend.loops import for_loop, scratch, while_loop
from s2sad.frontend.raising import assert_, raise_
from s2sad.frontend.shown import point_out
from s2sad.frontend.static import as_python
from s2sad.frontend.writes import assign_attribute, assign_item
from s2sad.ir import builder as builders


class Exit:
    """Why a block ended early: ``return`` with its value, ``break`` or ``continue``."""

    def __init__(self, kind: str, value: Any = None, node: Any = None) -> None:
        self.kind = kind
        self.value = value
        self.node = node
        self.place = locations.current.get()


TARGETS.update({gast.Subscript: assign_item, gast.Attribute: assign_attribute})

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
                raise refusals.construct(statement)
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
    old = evaluate(frame, as_read(node.target))
    value = evaluate(frame, node.value)
    if isinstance(old, (list, dict)):  # which changes, as other names of it see
        require_own(frame, old)
        as_python(getattr(operator, f"i{BINARY[type(node.op)]}"), old, value)
        return
    try:
        new = operate(frame, BINARY[type(node.op)], old, value)
    except S2sadError as error:
        point_out(error, frame.location(node), [(node.target, old), (node.value, value)])
        raise
    bind(frame, node.target, new)


def as_read(target: Any) -> Any:
    """The target of an assignment as an expression that reads it."""
    fields = {name: getattr(target, name) for name in (*target._fields, *target._attributes)}
    return type(target)(**{**fields, "ctx": gast.Load()})


@executes(gast.Return)
def _return(frame: Frame, node: Any) -> Exit:
    value = None if node.value is None else evaluate(frame, node.value)
    return Exit("return", value, node.value)


@executes(gast.Expr)
def _expression(frame: Frame, node: Any) -> None:
    evaluate(frame, node.value)


executes(gast.Raise)(raise_)
executes(gast.Assert)(assert_)


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
        test = evaluate(frame, node.test)
        condition = data_condition(frame, test)
        if condition is None:
            is_true = frame.session.trail.take(node, truth(test))
            return execute(frame, node.body if is_true else node.orelse)
        branch(
            frame, condition, lambda inner: to_the_end(inner, node.body),
            lambda inner: to_the_end(inner, node.orelse), [*node.body, *node.orelse],
        )  # fmt: skip
    return None


def to_the_end(frame: Frame, statements: list[Any]) -> None:
    """Execute a region's statements, which may not be left early (E0104)."""
    leaving = execute(frame, statements)
    if leaving is not None:
        raise refusals.leaving(leaving.kind, leaving.place, locations.current.get())


@executes(gast.For)
def _for(frame: Frame, node: Any) -> Exit | None:
    items = evaluate(frame, node.iter)
    if isinstance(items, Range):
        return _counted(frame, node, items)

    indices, item, item_of_all = passes_of(items)

    def run(inner: Frame, index: Any) -> None:
        bind(inner, node.target, item(index))
        to_the_end(inner, node.body)

    if isinstance(indices, VaryingRange):
        keep_inner(frame, node, indices, run)
        return execute(frame, node.orelse)
    may_stay = isinstance(indices, range)
    for place, index in enumerate(indices):
        if may_stay and place < 2:  # as a whole, or from its second pass on
            outcome = try_to_keep(frame, node, indices[place:], run)
            if outcome is Outcome.KEPT:
                break
            may_stay = outcome is Outcome.LATER
        bind(frame, node.target, item(index) if may_stay else item_of_all(index))
        leaving = execute(frame, node.body)
        if leaving is not None and leaving.kind == "return":
            return leaving
        if leaving is not None and leaving.kind == "break":
            return None
    return execute(frame, node.orelse)


def passes_of(items: Any) -> tuple[Any, Callable[[Any], Any], Callable[[Any], Any]]:
    """What a loop over `items` goes through, and what its variable is then.

    Through a tensor it goes by numbers, so it may stay a loop: its slices are read one by one, or,
    where they all are, at once.
    """
    if is_tensor(items) and items.ndim and isinstance(items.shape[0], int):
        rows = builders.current().value(items)
        slices = cache(lambda: static_iterable(rows))
        indices = range(items.shape[0])
        return indices, lambda i: item_of_tensor(rows, i), lambda i: slices()[i]
    return static_iterable(items), lambda item: item, lambda item: item


def _counted(frame: Frame, node: Any, items: Range) -> Exit | None:
    """A loop whose bounds depend on data."""

    def run(inner: Frame, index: Any) -> None:
        bind(inner, node.target, index)
        to_the_end(inner, node.body)

    outside = stored_names([node.target])
    for_loop(frame, items.bounds, run, node.body, outside)
    return execute(frame, node.orelse)


#: Passes of a static `while` beyond which it is taken for endless.
MAX_PASSES = 10_000


@executes(gast.While)
def _while(frame: Frame, node: Any) -> Exit | None:
    for _ in range(MAX_PASSES):
        with frame.at(node.test), scratch():
            test = evaluate(frame, node.test)
            is_data = data_condition(frame, test) is not None
        if is_data:
            return _while_on_data(frame, node)
        if not truth(test):
            return execute(frame, node.orelse)
        split = _exit_on_data(frame, node)
        if split is not None:
            return _while_until(frame, node, *split)
        leaving = execute(frame, node.body)
        if leaving is not None and leaving.kind == "return":
            return leaving
        if leaving is not None and leaving.kind == "break":
            return None

    raise fail(
        "E0106",
        f"this loop depends on no tensor and does not end within {MAX_PASSES} passes",
        help="let its condition depend on a tensor, or count to a smaller number",
    )


def _while_on_data(frame: Frame, node: Any) -> Exit | None:
    def test(inner: Frame) -> Any:
        with inner.at(node.test):
            value = evaluate(inner, node.test)
            condition = data_condition(inner, value)
            return builders.current().value(
                np.bool_(truth(value)) if condition is None else condition
            )

    while_loop(frame, test, lambda inner: to_the_end(inner, node.body), node.body)
    return execute(frame, node.orelse)


def _exit_on_data(frame: Frame, node: Any) -> tuple[list[Any], Any, list[Any]] | None:
    """``A; if c: break; B`` of a body, as A, the `if` and B, where c depends on data."""
    for place, statement in enumerate(node.body):
        if isinstance(statement, gast.If) and _is_exit(statement):
            inner, before = fork(frame), written_now(frame)
            with scratch():
                renewed(inner)
                leaving = execute(inner, node.body[:place])
                found = leaving is None and data_condition(inner, evaluate(inner, statement.test))
            write_back(frame, before)
            on_data = found is not None and found is not False
            return (node.body[:place], statement, node.body[place + 1 :]) if on_data else None
    return None


def _is_exit(node: Any) -> bool:
    return not node.orelse and len(node.body) == 1 and isinstance(node.body[0], gast.Break)


def _while_until(frame: Frame, node: Any, before: list[Any], leave: Any, after: list[Any]) -> None:
    """A loop that is left in its middle: what stands before that is run once more than the rest."""

    def test(inner: Frame) -> Any:
        to_the_end(inner, before)
        with inner.at(leave.test):
            condition = data_condition(inner, evaluate(inner, leave.test))
            return p.logical_not(condition)

    def run(inner: Frame) -> None:
        to_the_end(inner, [*before, *after])

    while_loop(frame, test, run, node.body)
    to_the_end(frame, before)
