"""What does every step of a pipeline know: its columns, its size, its rows from anywhere on?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator

from s2sad.core.diagnostics import fail
from s2sad.dataset.block import Block, Row, without
from s2sad.dataset.run import Place, Run

#: Rows of a block where nothing asks for another number.
USUAL = 64


class Plan(ABC):
    """One step and those before it. It holds no state: that is in the generators that it makes.

    Attributes
    ----------
    inputs : tuple of Plan
    """

    inputs: tuple[Plan, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return self.inputs[0].names

    def size(self) -> int | None:
        """Rows in an epoch; None where they have to be counted."""
        return self.inputs[0].size()

    @property
    def batch_size(self) -> int:
        """Rows of the source in a row of this; -1 where that differs."""
        return self.inputs[0].batch_size if self.inputs else 1

    @property
    def repeats(self) -> int:
        """How often the source comes in an epoch; -1 for without end."""
        return self.inputs[0].repeats if self.inputs else 1

    @property
    def has_one_epoch(self) -> bool:
        """Whether its rows can be asked for once only."""
        return any(plan.has_one_epoch for plan in self.inputs)

    def open(self, at: Place) -> None:
        """Have the workers that the steps need, this one's last."""
        for index, plan in enumerate(self.inputs):
            plan.open(at.input(index))

    @abstractmethod
    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        """The rows of an epoch from row `start` on, in blocks of not much more than `size`."""

    def rows(self, at: Place, start: int = 0, size: int = USUAL) -> Generator[Row, None, None]:
        """The same, row by row."""
        for block in self.blocks(at, size, start):
            yield from block.rows()


class FromFirst(Plan):
    """A step that has no shorter way to a row than through all rows before it."""

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        return without(self.whole(at, size), start)

    @abstractmethod
    def whole(self, at: Place, size: int) -> Iterator[Block]:
        """All rows of an epoch, in blocks of not much more than `size`."""


def counted(plan: Plan) -> int:
    """Rows in an epoch of `plan`, which runs once where they have to be counted.

    Raises
    ------
    S2sadError
        E0404 where it repeats without end, or its rows would be gone then.
    """
    size = plan.size()
    if size is not None:
        return size
    require_epochs(plan)
    if plan.repeats == -1:
        raise fail("E0404", "the data set repeats without end, so it has no size")
    run = Run(0)
    try:
        plan.open(Place(run))
        return sum(block.count for block in plan.blocks(Place(run), USUAL))
    finally:
        run.close()


def require_epochs(plan: Plan) -> None:
    """E0404 where looking at the rows of `plan` would use them up."""
    if plan.has_one_epoch:
        raise fail(
            "E0404", "the rows come from an iterator, and looking at them would use them up",
            help="give GeneratorDataset a function that makes the iterator",
        )  # fmt: skip


def index_of(name: str, names: tuple[str, ...]) -> int:
    """Where the column `name` stands.

    Raises
    ------
    S2sadError
        E0404 where there is none.
    """
    if name not in names:
        raise fail("E0404", f"there is no column {name!r}", help=f"there are {', '.join(names)}")
    return names.index(name)


def indices_of(wanted: object, names: tuple[str, ...]) -> tuple[int, ...]:
    """Where the columns `wanted` stand; None is the first one."""
    if wanted is None:
        return (0,)
    return tuple(index_of(name, names) for name in as_names("input_columns", wanted))


def as_names(argument: str, given: object) -> tuple[str, ...]:
    """Names of columns as a tuple.

    Raises
    ------
    S2sadError
        E0303 for other things, E0404 for none, or twice the same.
    """
    names = (given,) if isinstance(given, str) else given
    if not isinstance(names, (list, tuple)) or not all(isinstance(x, str) and x for x in names):
        raise fail("E0303", f"{argument} is a name or a list of names, got {given!r}")
    if not names or len(set(names)) != len(names):
        raise fail("E0404", f"{argument} has different names, got {given!r}")
    return tuple(names)
