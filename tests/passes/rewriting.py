"""What do tests of passes do: rewrite a program given as text, compare it with another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from s2sad import prims as p
from s2sad.ir.clone import clone
from s2sad.ir.compare import difference
from s2sad.ir.graph import Function
from s2sad.ir.reader import read_text
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.base import Pass, Report, run_passes
from s2sad.passes.greedy import Greedy
from s2sad.passes.rewrite import Rule, RuleSet


@dataclass(frozen=True)
class Apply(Pass):
    """Some rules, until none of them fires, and what dce does."""

    rules: tuple[Rule, ...] = field(
        default=(),
        metadata={"is_bare": True, "write": lambda rules: ",".join(x.__name__ for x in rules)},
    )
    name: ClassVar[str] = "apply"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        Greedy(rewriter, [RuleSet(self.rules)]).run(function)


def read(text: str) -> Function:
    """The function that `text` is, without its header and its indentation by four."""
    return read_text(text, p.ALL)


def becomes(passes: Sequence[Pass], before: str, after: str) -> list[Report]:
    """`passes` make `after` of `before`, up to names; a second run changes nothing."""
    function = read(before)
    reports = run_passes(function, passes)
    found = difference(function, read(after))
    assert found is None, f"{found}\n{function}"
    assert any(report.changes for report in reports)
    assert not any(report.changes for report in run_passes(function, passes))
    return reports


def stays(passes: Sequence[Pass], text: str) -> None:
    """`passes` change nothing in `text`."""
    function = read(text)
    before = clone(function)
    reports = run_passes(function, passes)
    found = difference(function, before)
    assert found is None, f"{found}\n{function}"
    assert not any(report.changes for report in reports), [report.titles for report in reports]
