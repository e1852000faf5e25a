"""What is a pass, and what happens around each one that runs?"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import ClassVar

from s2sad.ir.graph import Function
from s2sad.ir.rewriter import Rewriter
from s2sad.ir.verify import verify


@dataclass(frozen=True)
class Pass(ABC):
    """One step over a function; its fields are its options, it holds no state between runs."""

    name: ClassVar[str]

    @abstractmethod
    def run(self, function: Function, rewriter: Rewriter) -> None:
        """Change `function` through `rewriter` only."""

    def __str__(self) -> str:
        """As in a pipeline's text: the name, and the options that are not the default."""
        options = [
            f"{f.name}={getattr(self, f.name)!r}" for f in fields(self)
            if getattr(self, f.name) != f.default
        ]  # fmt: skip
        return self.name + (f"{{{', '.join(options)}}}" if options else "")


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
    """

    name: str
    changes: int
    seconds: float
    before: int
    after: int

    def __str__(self) -> str:
        what = f"{self.changes} changes" if self.changes else "unchanged"
        return f"{self.name:<14}{what:<14}{self.seconds * 1e3:9.1f} ms{self.before:7} -> {self.after}"


def run_passes(
    function: Function,
    passes: Iterable[Pass],
    observe: Callable[[Function, str], None] = lambda function, stage: None,
) -> list[Report]:
    """Run `passes` in order on `function`; the verifier runs before the first and after each.

    Parameters
    ----------
    function : Function
        Changed in place.
    passes : iterable of Pass
    observe : callable
        ``observe(function, name)`` after each pass; dumps are written there.
    """
    verify(function)
    reports = []
    for step in passes:
        before = sum(1 for _ in function.walk())
        rewriter = Rewriter(function)
        start = time.perf_counter()
        step.run(function, rewriter)
        seconds = time.perf_counter() - start
        verify(function, after=str(step))
        after = sum(1 for _ in function.walk())
        reports.append(Report(step.name, rewriter.changes, seconds, before, after))
        observe(function, step.name)
    return reports
