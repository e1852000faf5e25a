"""Which pass, and which single rewrite of it, changes what a function computes?

The results of the program before the passes are what it should give. Passes are run on from there,
the program is evaluated after each, and the first rewrite is named after which a result differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.binding.stages import Stages
from s2sad.compiled import compile
from s2sad.core.excerpt import excerpt
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.passes.base import Pass
from s2sad.passes.bisect import Culprit, culprit
from s2sad.passes.pipeline import parse_pipeline
from s2sad.passes.validation import (
    Outcome,
    Runner,
    compare,
    is_close,
    is_same,
    outcome,
    perturbed,
)
from s2sad.tools.dump import with_gradient
from s2sad.tools.inputs import random_input
from s2sad.tools.run_ir import BACKENDS
from s2sad.tools.tables import show
from s2sad.tools.targets import find_target, random_arguments

#: Stages from which passes are run: the others are what passes gave.
STARTS = ("primal", "joint", "loaded")

Agrees = Callable[[Any, Any], bool]


def bisect(
    target: str, inputs: Sequence[str], *, grad: bool, seed: int, train: bool, exact: bool,
    backend: str,
) -> int:  # fmt: skip
    """Print which rewrite first changes what `target` computes for random arguments.

    Parameters
    ----------
    target : str
        ``FILE:OBJECT``.
    inputs : sequence of str
        Types of tensors, or literals: the arguments in order.
    grad : bool
        Whether its value and gradients are looked at.
    seed : int
        Of the arguments.
    train : bool
        Whether a Cell is let train.
    exact : bool
        Whether floats may not even be rounded otherwise.
    backend : str
        A key of `BACKENDS`: what runs the program after the last pass.

    Returns
    -------
    int
        0, or 1 when results differ.
    """
    function = find_target(target, train=train)
    arguments = random_arguments(inputs, seed)
    compiled = compile(with_gradient(function, arguments) if grad else function)
    stages = compiled.lower(*arguments)
    last = stages.functions[-1][1]
    arrays = dict(zip(last.inputs, compiled.inputs(*arguments), strict=True))
    agrees = is_same if exact else is_close
    show(f"{compiled.__name__}: results after each pass against those before the first", "bold")
    question = Question([], agrees)
    for name, start, passes in starts(stages):
        question = Question(inputs_of(start, arrays, seed), agrees)
        question.is_wrong(start)
        found = culprit(start, passes, question.is_wrong)
        if found is not None:
            _show_culprit(name, found, question)
            return 1
        show(f"  from {name}: the same after {', '.join(step.name for step in passes)}")
    return _check_backend(last, question, backend)


def starts(stages: Stages) -> Iterator[tuple[str, Function, tuple[Pass, ...]]]:
    """Each stage that no pass gave, with the passes that follow."""
    for (name, function), left in zip(stages.functions, stages.left, strict=True):
        if name[3:] in STARTS and left:
            yield name, function, parse_pipeline(left)


def inputs_of(function: Function, arrays: dict[str, Any], seed: int) -> list[Any]:
    """Inputs of `function`: those of `arrays` by their names, random ones where it has others."""
    rng = np.random.default_rng(seed)
    return [
        arrays[name] if name in arrays else random_input(value.type, rng)
        for name, value in zip(function.inputs, function.args, strict=True)
    ]


@dataclass
class Question:
    """Whether a program gives something else than the one that was asked of first.

    Attributes
    ----------
    inputs : list
        Of the program. It is run on them, and on others nearby.
    agrees : callable
        Whether two results are the same.
    difference : str
        What differed first, in words.
    wanted : tuple of Outcome, or None
        What the first program gave.
    """

    inputs: list[Any]
    agrees: Agrees
    difference: str = ""
    wanted: tuple[Outcome, ...] | None = None

    def is_wrong(self, function: Function, run: Runner = evaluate) -> bool:
        """Whether `function` gives something else; the first time, what it gives is right."""
        nearby = list(map(perturbed, self.inputs))
        found = tuple(outcome(function, inputs, run) for inputs in (self.inputs, nearby))
        if self.wanted is None:
            self.wanted = found
            return False
        pairs = zip(found, self.wanted, strict=True)
        said = [text for pair in pairs if (text := compare(*pair, self.agrees)) is not None]
        self.difference = self.difference or next(iter(said), "")
        return bool(said)


def _show_culprit(name: str, found: Culprit, question: Question) -> None:
    show(f"  from {name}: {question.difference or 'the program is no longer well formed'}", "red")
    show(f"  by {found}")
    place = None if found.step is None else found.step.loc
    for line in (*(excerpt(place) if place is not None else ()), *found.shown):
        show(f"  {line}")


def _check_backend(function: Function, question: Question, backend: str) -> int:
    if question.is_wrong(function, BACKENDS[backend]):
        show(f"  the passes are right, but run by {backend}: {question.difference}", "red")
        return 1
    show(f"  and the same as {backend} runs it")
    return 0
