"""Which rewrite is the first that breaks a program?

Passes are deterministic: the first n rewrites are the same in every run, so n is found by halving.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from s2sad.core.diagnostics import S2sadError
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.ir.neighbours import neighbours
from s2sad.ir.verify import verify
from s2sad.passes.steps import LimitReached, Step, StepRewriter

if TYPE_CHECKING:
    from s2sad.passes.base import Pass

Question = Callable[[Function], bool]


@dataclass(frozen=True)
class Culprit:
    """The rewrite that broke a program.

    Attributes
    ----------
    name : str
        The pass that made it, as in a pipeline's text.
    number, total : int
        Its number, from 1, among the rewrites of that pass; 0 where the pass makes none one by one.
    step : Step or None
        What it was.
    shown : tuple of str
        Lines that show where it was made, as it was before.
    """

    name: str
    number: int
    total: int
    step: Step | None
    shown: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = f"rewrite {self.number} of {self.total}, {self.step}" if self.step else "the whole"
        return f"{what} of {self.name}"


def culprit(function: Function, passes: Iterable[Pass], is_wrong: Question) -> Culprit | None:
    """The first rewrite of `passes` that makes `function` wrong; None where none does.

    Parameters
    ----------
    function : Function
        It stays as it is.
    passes : iterable of Pass
        Run in order, each once.
    is_wrong : callable
        Asked of well-formed functions; one that is not well formed counts as wrong.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> from s2sad.passes.dce import Dce
    >>> function = build_function(lambda x: (p.exp(x), p.tan(x), p.neg(x))[2], [f32[4]])
    >>> def is_wrong(function):
    ...     return all(operation.prim is not p.exp for operation in function.walk())
    >>> print(culprit(function, [Dce()], is_wrong))
    rewrite 2 of 2, erase exp of dce
    """
    function = clone(function)
    for step in passes:
        before = clone(function)
        step.run(function, StepRewriter(function))
        if _is_broken(function) or is_wrong(function):
            return first_wrong(before, step, is_wrong)
    return None


def first_wrong(before: Function, step: Pass, is_wrong: Question) -> Culprit:
    """The first rewrite of the pass `step`, which makes of `before` a function that is wrong."""
    total = _cut_short(before, step, None)[1].steps
    right, wrong = 0, total
    while wrong - right > 1:
        middle = (right + wrong) // 2
        function, _ = _cut_short(before, step, middle)
        if _is_broken(function) or is_wrong(function):
            wrong = middle
        else:
            right = middle
    last = _cut_short(before, step, wrong)[1].last
    function, rewriter = _cut_short(before, step, max(wrong - 1, 0))
    shown = () if rewriter.refused is None else tuple(neighbours(function, rewriter.refused))
    return Culprit(str(step), wrong, total, last, shown)


def _cut_short(before: Function, step: Pass, limit: int | None) -> tuple[Function, StepRewriter]:
    """`before` after the first `limit` rewrites of `step`."""
    function = clone(before)
    rewriter = StepRewriter(function, limit)
    run_limited(step, function, rewriter)
    return function, rewriter


def run_limited(step: Pass, function: Function, rewriter: StepRewriter) -> None:
    """Run `step` until it ends or has made the rewrites that `rewriter` allows."""
    try:
        step.run(function, rewriter)
    except LimitReached:
        return


def _is_broken(function: Function) -> bool:
    try:
        verify(function)
    except S2sadError:
        return True
    return False
