"""What is a pass, and what happens around each one that runs?

A pass is a frozen dataclass; `Manager` runs several in order, verifies the function before the
first and after each, times and counts what they do, stops after a given number of rewrites, runs
the program before and after to see whether it still gives the same, and writes the function that a
pass failed on to a file.
"""

from __future__ import annotations

import dataclasses
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, ClassVar

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.ir.rewriter import Rewriter
from s2sad.ir.verify import Fitting, verify
from s2sad.passes import validation
from s2sad.passes.bisect import run_limited
from s2sad.passes.reproduce import noted, reproducer
from s2sad.passes.steps import Step, StepRewriter


@dataclass(frozen=True)
class Pass(ABC):
    """One step over a function; its fields are its options, it holds no state between runs.

    Attributes
    ----------
    name : str
        In a pipeline's text, in dumps and reports.
    exact : bool
        Whether results stay as they are, bit for bit. One that may round otherwise says False, and
        is held to the bound of `validation.is_close`.
    is_needed : bool
        Whether the program is wrong or incomplete without the pass. Such a pass always runs to its
        end: its rewrites are not among those that are counted and cut short.
    keeps_inputs : bool
        Whether the program takes the same inputs and gives the same results as before. One that
        says False tells by `difference` whether it was right, and ends the validation of a list.
    """

    name: ClassVar[str]
    exact: ClassVar[bool] = True
    is_needed: ClassVar[bool] = False
    keeps_inputs: ClassVar[bool] = True

    @abstractmethod
    def run(self, function: Function, rewriter: Rewriter) -> None:
        """Change `function` through `rewriter` only."""

    def agrees(self, found: Any, wanted: Any) -> bool:
        """Whether one result of the program after the pass is what it should be."""
        return (
            validation.is_same(found, wanted) if self.exact else validation.is_close(found, wanted)
        )

    def difference(self, before: Function, after: Function, inputs: Sequence[Any]) -> str | None:
        """Of a pass that changes inputs: how `after` is not what it should be, given those before.

        Parameters
        ----------
        before, after : Function
        inputs : sequence of arrays, stacks and tokens
            Of `before`, which gives results for them.
        """
        raise fail("E0901", f"{self.name} does not say what the program is to give afterwards")

    def __str__(self) -> str:
        """As in a pipeline's text: the name, and the options that are not the default."""
        options = []
        for option in dataclasses.fields(self):
            value = getattr(self, option.name)
            text = option.metadata.get("write", repr)(value)
            if option.metadata.get("is_bare"):
                options.append(text)
            elif value != _default(option):
                options.append(f"{option.name}={text}")
        return self.name + (f"{{{','.join(options)}}}" if options else "")


def _default(option: dataclasses.Field[Any]) -> Any:
    made = option.default_factory
    return option.default if made is dataclasses.MISSING else made()


@dataclass(frozen=True)
class Report:
    """What one pass did.

    Attributes
    ----------
    name : str
    changes : int
        Rewrites made; 0 reads as *unchanged*.
    seconds : float
        Of the pass itself, without the verifier.
    before, after : int
        Operations.
    titles : mapping of str to int
        How often each rule fired, or whatever else a rewrite was.
    """

    name: str
    changes: int
    seconds: float
    before: int
    after: int
    titles: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        what = f"{self.changes} changes" if self.changes else "unchanged"
        return (
            f"{self.name:<14}{what:<14}{self.seconds * 1e3:9.1f} ms{self.before:7} -> {self.after}"
        )


@dataclass(frozen=True)
class Repeat(Pass):
    """Run several passes, again and again, until a round changes nothing.

    What one of them does may let an earlier one do more: where two equal values become one, a
    choice between them is none. In a pipeline's text, ``repeat{canonicalize,cse,dce}``.

    Attributes
    ----------
    passes : tuple of Pass
    rounds : int
        At most; E0901 names those that still found something to do.
    """

    passes: tuple[Pass, ...] = field(
        default=(),
        metadata={"is_bare": True, "write": lambda passes: ",".join(map(str, passes))},
    )
    rounds: int = 16
    name: ClassVar[str] = "repeat"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        for _ in self.until_settled(lambda: rewriter.changes):
            for each in self.passes:
                each.run(function, rewriter)

    def until_settled(self, count: Callable[[], int]) -> Iterable[int]:
        """Numbers of rounds, as long as `count`, of all changes so far, grows in each."""
        for number in range(self.rounds):
            before = count()
            yield number
            if count() == before:
                return
        raise fail("E0901", f"{self} still changes something after {self.rounds} rounds")


def _ignore(function: Any, stage: str) -> None:
    """What `observe` and `replay` do by default."""


@dataclass
class Manager:
    """Runs passes, with all that happens around them.

    One manager may run several lists, one after another: it goes on counting.

    Attributes
    ----------
    observe : callable
        ``observe(function, name)`` after each pass.
    replay : callable
        ``replay(made, name)`` after each pass, where ``made()`` gives the function of then anew.
    stop_after : int or None
        Rewrites that may be made in all, those of needed passes not counted: whether a program
        goes wrong by the n-th is found by halving n (`passes.bisect`).
    folder : path or None
        Where the function goes that a pass failed on; by default a new temporary folder.
    validate : sequence of arrays, stacks and tokens, or None
        Inputs to run the program on, before and after each pass.
    steps : int
        Rewrites made so far.
    last : Step or None
        The last of them.
    left : tuple of Pass
        Those of the list that come after the one that ran last; a `Repeat` is left until it ends.
    fitting : dict
        What the verifier found of operations, and need not look for again in a later list.
    """

    observe: Callable[[Function, str], None] = _ignore
    replay: Callable[[Callable[[], Function], str], None] = _ignore
    stop_after: int | None = None
    folder: Path | None = None
    validate: Sequence[Any] | None = None
    steps: int = 0
    last: Step | None = None
    left: tuple[Pass, ...] = ()
    fitting: Fitting = field(default_factory=dict)

    def run(self, function: Function, passes: Iterable[Pass]) -> list[Report]:
        """Run `passes` in order on `function`, which is changed in place.

        Raises
        ------
        S2sadError
            E0902 when the function is not well formed, before the first pass or after one; E0903
            when a pass changes what the program computes; whatever a pass itself raises. Notes say
            in which file the function is that the pass was given, and how to run it again.
        """
        verify(function, fitting=self.fitting)
        return _Run(self, function).passes(passes)


class _Run:
    """One list of passes over one function."""

    def __init__(self, manager: Manager, function: Function) -> None:
        self.manager = manager
        self.function = function
        self.changes = 0
        self.start = start = clone(function)
        #: Gives what the pass that ran last has made, anew.
        self.made: Callable[[], Function] = lambda: start
        #: What led from `start` to `function`: passes, and the steps that each made.
        self.done: list[tuple[Pass, int]] = []
        self.checker = None
        if manager.validate is not None:
            self.checker = validation.Checker(function, manager.validate)

    def passes(self, passes: Iterable[Pass]) -> list[Report]:
        steps, reports = tuple(passes), []
        for index, step in enumerate(steps):
            self.manager.left = steps[index if isinstance(step, Repeat) else index + 1 :]
            reports += self.one(step)
        return reports

    def one(self, step: Pass) -> list[Report]:
        if isinstance(step, Repeat):
            return self.repeated(step)
        try:
            report = self.measured(step)
        except Exception as error:
            raise self.explained(error, step) from error.__cause__
        self.manager.observe(self.function, step.name)
        self.made = cache(partial(_after, self.made, *self.done[-1]))
        self.manager.replay(self.made, step.name)
        return [report]

    def repeated(self, step: Repeat) -> list[Report]:
        """Reports of the first round, and of all that changed something later."""
        reports: list[Report] = []
        for number in step.until_settled(lambda: self.changes):
            for each in step.passes:
                reports += [r for r in self.one(each) if r.changes or not number]
        return reports

    def measured(self, step: Pass) -> Report:
        before = sum(1 for _ in self.function.walk())
        rewriter = StepRewriter(self.function, self.allowed(step))
        start = time.perf_counter()
        run_limited(step, self.function, rewriter)
        seconds = time.perf_counter() - start
        self.verify(step, rewriter)
        if self.checker is not None:
            self.checker.check(self.function, step, self.before)
        self.done.append((step, rewriter.steps))
        if not step.is_needed:
            self.manager.steps += rewriter.steps
            self.manager.last = rewriter.last or self.manager.last
        after = sum(1 for _ in self.function.walk())
        changes = rewriter.steps or rewriter.changes
        self.changes += changes
        return Report(step.name, changes, seconds, before, after, dict(rewriter.titles))

    def allowed(self, step: Pass) -> int | None:
        if self.manager.stop_after is None or step.is_needed:
            return None
        return max(self.manager.stop_after - self.manager.steps, 0)

    def verify(self, step: Pass, rewriter: StepRewriter) -> None:
        try:
            verify(self.function, after=str(step), fitting=self.manager.fitting)
        except S2sadError as error:
            if rewriter.limit is None or rewriter.steps < rewriter.limit:
                raise
            why = error.diagnostic.message
            raise fail(
                "E0901", f"{step} cannot stop after {rewriter.steps} rewrites: {why}",
                help="let it group what belongs together: `with rewriter.step(title, operation):`",
            ) from error  # fmt: skip

    def before(self) -> Function:
        """The function as the pass that runs now was given it, made anew."""
        function = clone(self.start)
        for step, steps in self.done:
            run_limited(step, function, StepRewriter(function, steps))
        return function

    def explained(self, error: Exception, step: Pass) -> Exception:
        """`error` with notes that say how to see it again."""
        made = reproducer(self.before, step, self.manager.folder, self.manager.validate)
        return noted(error, made)


def _after(before: Callable[[], Function], step: Pass, steps: int) -> Function:
    """A copy of what `before` gives, after a pass that makes so many steps."""
    function = clone(before())
    run_limited(step, function, StepRewriter(function, steps))
    return function


def run_passes(
    function: Function,
    passes: Iterable[Pass],
    observe: Callable[[Function, str], None] = _ignore,
    **options: Any,
) -> list[Report]:
    """Run `passes` in order on `function`; the verifier runs before the first and after each.

    Parameters
    ----------
    function : Function
        Changed in place.
    passes : iterable of Pass
    observe : callable
        ``observe(function, name)`` after each pass; dumps are written there.
    **options
        Those of `Manager`: ``stop_after``, ``folder``, ``validate``.

    Returns
    -------
    list of Report
        One a pass that ran; of passes that are repeated, those of later rounds that did something.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> from s2sad.passes.canonicalize import Canonicalize
    >>> function = build_function(lambda x: p.neg(p.neg(x)), [f32[4]])
    >>> (report,) = run_passes(function, [Canonicalize()], stop_after=1)
    >>> report.changes, report.titles
    (1, {'NegNeg': 1})
    """
    return Manager(observe, **options).run(function, passes)
