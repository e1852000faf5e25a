"""What does a statement do, when some of it is known while compiling?

Branches and loops on static values leave no trace in the IR: only the taken side is compiled,
and a static loop is written out, unless it is a `for` over a range whose passes differ in numbers
only. On tensor data they become regions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import gast
import numpy as np

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.frontend import refusals
from s2sad.frontend.augmented import augment
from s2sad.frontend.branches import divide, go_on, turned
from s2sad.frontend.carried import changed_names, fork, stored_names, write_back, written_now
from s2sad.frontend.containers import renewed
from s2sad.frontend.exits import Exit, Leaving, NeverReturns, Open, goes_on
from s2sad.frontend.expressions import (
    TARGETS,
    Range,
    bind,
    data_condition,
    evaluate,
    evaluate_test,
    is_tensor,
    item_of_tensor,
    static_iterable,
    truth,
)
from s2sad.frontend.frame import Frame
from s2sad.frontend.index import VaryingRange
from s2sad.frontend.kept import Outcome, keep_inner, try_to_keep
from s2sad.frontend.liveness import liveness
from s2sad.frontend.loops import for_loop, scratch, while_loop
from s2sad.frontend.raising import assert_, raise_, require_step
from s2sad.frontend.scopes import with_test_inside
from s2sad.frontend.writes import assign_attribute, assign_item
from s2sad.ir import builder as builders
from s2sad.ir.dims import Symbolic

TARGETS.update({gast.Subscript: assign_item, gast.Attribute: assign_attribute})

STATEMENTS: dict[type, Callable[[Frame, Any], Leaving]] = {}


def executes(*kinds: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the function that executes statements of `kinds`."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        STATEMENTS.update(dict.fromkeys(kinds, function))
        return function

    return register


def execute(frame: Frame, statements: list[Any]) -> Leaving:
    """Execute `statements` in order; how the block is left, where that is before its end."""
    leaving: Leaving = None
    for statement in statements:
        leaving = go_on(leaving, frame, partial(_execute_one, node=statement))
        if not goes_on(leaving):
            break
    return leaving


def _execute_one(frame: Frame, node: Any) -> Leaving:
    with frame.at(node):
        handler = STATEMENTS.get(type(node))
        if handler is None:
            raise refusals.construct(node)
        return handler(frame, node)


@executes(gast.Assign)
def _assign(frame: Frame, node: Any) -> None:
    value = evaluate(frame, node.value)
    for target in node.targets:
        bind(frame, target, value)


@executes(gast.AnnAssign)
def _annotated(frame: Frame, node: Any) -> None:
    if node.value is not None:
        bind(frame, node.target, evaluate(frame, node.value))


executes(gast.AugAssign)(augment)


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
def _if(frame: Frame, node: Any) -> Leaving:
    with frame.at(node.test):
        test = evaluate_test(frame, node.test)
        condition = data_condition(frame, test)
        if condition is None:
            is_true = frame.session.trail.take(node, truth(test))
            return execute(frame, node.body if is_true else node.orelse)
        return divide(
            frame, condition, lambda inner: execute(inner, node.body),
            lambda inner: execute(inner, node.orelse), [*node.body, *node.orelse],
        )  # fmt: skip


@executes(gast.For)
def _for(frame: Frame, node: Any) -> Leaving:
    items = evaluate(frame, node.iter)
    if isinstance(items, Range):
        return _after(frame, node, _counted(frame, node, items))
    if is_tensor(items) and items.ndim and isinstance(items.shape[0], Symbolic):
        rows = builders.current().value(items)
        passes = _counted(frame, node, Range(rows.shape[0]), lambda i: item_of_tensor(rows, i))
        return _after(frame, node, passes)
    indices, item, item_of_all = passes_of(items)

    def run(inner: Frame, index: Any) -> Leaving:
        bind(inner, node.target, item(index))
        return execute(inner, node.body)

    if isinstance(indices, VaryingRange):
        return _after(frame, node, keep_inner(frame, node, indices, run))
    return _after(frame, node, _each(frame, node, indices, run, item_of_all))


def _after(frame: Frame, node: Any, leaving: Leaving) -> Leaving:
    """What follows a loop that was left so: its `else`, but for a `break`."""
    leaving = turned(leaving, "break", "stop")
    return turned(go_on(leaving, frame, lambda inner: execute(inner, node.orelse)), "stop")


def _each(
    frame: Frame, node: Any, indices: Any, run: Callable[[Frame, Any], Leaving],
    item_of_all: Callable[[Any], Any],
) -> Leaving:  # fmt: skip
    """A loop whose passes are known: one loop, as a whole or from its second pass on, or each."""
    outcome = Outcome.LATER if isinstance(indices, range) else Outcome.NEVER
    home = builders.current().region

    def one_pass(inner: Frame, place: int, index: Any) -> Leaving:
        nonlocal outcome
        if outcome is Outcome.LATER and place < 2:
            outcome, leaving = try_to_keep(inner, node, indices[place:], run)
            if outcome is Outcome.KEPT:
                return leaving
        if outcome is Outcome.LATER or builders.current().region is not home:
            return turned(run(inner, index), "continue")
        bind(inner, node.target, item_of_all(index))
        return turned(execute(inner, node.body), "continue")

    leaving: Leaving = None
    for place, index in enumerate(indices):
        leaving = go_on(leaving, frame, partial(one_pass, place=place, index=index))
        if outcome is Outcome.KEPT or not goes_on(leaving):
            break
    return leaving


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


def _counted(
    frame: Frame, node: Any, items: Range, item: Callable[[Any], Any] = lambda index: index
) -> Leaving:
    """A loop whose bounds depend on data; its variable is `item` of the index."""

    def run(inner: Frame, index: Any) -> Leaving:
        index.is_weak = not frame.strict  # what `range` gives are Python's ints
        bind(inner, node.target, item(index))
        return execute(inner, node.body)

    if not frame.strict:
        require_step(frame, items.bounds[2])
    return for_loop(frame, items.bounds, run, node.body, stored_names([node.target]))


#: Passes of a static `while` beyond which it is taken for endless.
MAX_PASSES = 10_000


@executes(gast.While)
def _while(frame: Frame, node: Any) -> Leaving:
    if frame.strict:
        return _while_of_a_dump(frame, node)
    known, node = node, with_test_inside(node)
    is_over = False

    def one_pass(inner: Frame) -> Leaving:
        nonlocal is_over
        test, has_effect = _probe(inner, node)
        is_over = True
        if test is None:
            return _after(inner, node, _while_on_data(inner, node, has_effect=has_effect))
        if has_effect:
            evaluate_test(inner, node.test)
        if not test:
            return execute(inner, node.orelse)
        if _only_data_end(inner, node):
            return _after(inner, node, _endless(inner, node, known))
        is_over = False
        leaving = turned(execute(inner, node.body), "continue")
        return turned(leaving, "break", "stop")

    leaving: Leaving = None
    for _ in range(MAX_PASSES):
        leaving = go_on(leaving, frame, one_pass)
        if is_over or not goes_on(leaving):
            return turned(leaving, "stop")
    raise fail(
        "E0106",
        f"this loop depends on no tensor and does not end within {MAX_PASSES} passes",
        help="let its condition depend on a tensor, or count to a smaller number",
    )


def _while_of_a_dump(frame: Frame, node: Any) -> Leaving:
    """``while True: A; if c: break; B``, in which A is what computes the condition."""
    place = next(i for i, each in enumerate(node.body) if _is_exit(each))
    before, leave, after = node.body[:place], node.body[place], node.body[place + 1 :]

    def test(inner: Frame) -> Any:
        execute(inner, before)
        with inner.at(leave.test):
            return p.logical_not(data_condition(inner, evaluate(inner, leave.test)))

    while_loop(frame, test, lambda inner: execute(inner, [*before, *after]), node.body)
    return execute(frame, before)


def _is_exit(node: Any) -> bool:
    return isinstance(node, gast.If) and isinstance(node.body[0], gast.Break)


def _probe(frame: Frame, node: Any) -> tuple[bool | None, bool]:
    """Whether a `while` goes on, None where data say so; and whether asking writes anything."""
    inner, before = fork(frame), written_now(frame)
    with frame.at(node.test), scratch():
        test = evaluate_test(inner, node.test)
        is_data = data_condition(inner, test) is not None
    after = written_now(frame)
    write_back(frame, before)
    has_effect = any(value is not before.get(key) for key, value in after.items())
    return None if is_data else truth(test), has_effect


def _while_on_data(frame: Frame, node: Any, *, has_effect: bool) -> Leaving:
    def test(inner: Frame) -> Any:
        with inner.at(node.test):
            value = evaluate_test(inner, node.test)
            condition = data_condition(inner, value)
            return builders.current().value(
                np.bool_(truth(value)) if condition is None else condition
            )

    def run(inner: Frame) -> Leaving:
        return execute(inner, node.body)

    def run_or_stop(inner: Frame) -> Leaving:
        return divide(inner, test(inner), run, lambda _: Exit("stop"), node.body)

    if has_effect:  # which a condition cannot have
        return while_loop(frame, None, run_or_stop, node.body)
    return while_loop(frame, test, run, node.body)


def _only_data_end(frame: Frame, node: Any) -> bool:
    """Whether a loop goes on until data say otherwise: no pass changes what its condition reads."""
    read = {each.id for each in gast.walk(node.test) if isinstance(each, gast.Name)}
    if read.intersection(changed_names(node.body)):
        return False
    session, inner, before = frame.session, fork(frame), written_now(frame)
    overwritten, made = dict(session.overwritten), dict(session.made)
    region = builders.current().region
    try:
        with scratch():
            renewed(inner, (region,))
            leaving = turned(execute(inner, node.body), "continue")
            if isinstance(leaving, Open):
                leaving.abandon()
                return True
            raises = any(each.prim is p.raise_ for each in builders.current().region.walk())
            return leaving is None and raises and not _may_leave(node.body)
    except NeverReturns:
        return False
    finally:
        write_back(frame, before)
        session.overwritten, session.made = overwritten, made


def _may_leave(statements: list[Any], *, by_break: bool = True) -> bool:
    """Whether the text of a loop's body leaves the loop anywhere, but by what it raises."""
    for node in statements:
        if isinstance(node, gast.Return) or (by_break and isinstance(node, gast.Break)):
            return True
        if isinstance(node, (gast.FunctionDef, gast.Lambda)):
            continue
        inside = by_break and not isinstance(node, (gast.For, gast.While))
        if _may_leave(list(gast.iter_child_nodes(node)), by_break=inside):
            return True
    return False


def _endless(frame: Frame, node: Any, known: Any) -> Leaving:
    """A loop that ends where a pass leaves it; what that has assigned can be read behind it.

    `known` is the node by which `liveness` knows the loop.
    """
    live = liveness(frame.tree).get(known) if isinstance(frame.tree, gast.FunctionDef) else None
    wanted = frozenset(changed_names(node.body)) if live is None else live.after - live.entry
    return while_loop(
        frame, None, lambda inner: execute(inner, node.body), node.body, frozenset(wanted)
    )
