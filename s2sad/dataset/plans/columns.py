"""Which columns come, and under which names: project, rename."""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.core.diagnostics import fail
from s2sad.dataset.block import Block
from s2sad.dataset.plans.base import Plan, as_names, index_of
from s2sad.dataset.run import Place


class Renaming(Plan):
    """A step that computes nothing. It has the place of its input, whose draws it does not move."""

    _names: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def open(self, at: Place) -> None:
        self.inputs[0].open(at)


class Project(Renaming):
    """Some of the columns, in the order in which they are named."""

    def __init__(self, plan: Plan, columns: object) -> None:
        self.inputs = (plan,)
        self._names = as_names("columns", columns)
        self.chosen = tuple(index_of(name, plan.names) for name in self._names)

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        for block in self.inputs[0].blocks(at, size, start):
            yield Block([block.columns[index] for index in self.chosen], block.count)


class Rename(Renaming):
    """The same rows, with other names of some columns."""

    def __init__(self, plan: Plan, columns: object, others: object) -> None:
        self.inputs = (plan,)
        old, new = as_names("input_columns", columns), as_names("output_columns", others)
        if len(old) != len(new):
            raise fail("E0302", f"rename got {len(old)} columns and {len(new)} names for them")
        names = list(plan.names)
        for index, name in zip([index_of(name, plan.names) for name in old], new, strict=True):
            names[index] = name
        self._names = as_names("the columns after rename", names)

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        return self.inputs[0].blocks(at, size, start)
