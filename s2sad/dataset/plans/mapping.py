"""How are functions applied to rows, several rows at a time where a function can?

A transform that has `batched` computes all rows of a block at once, to the same bits as one by
one; NumPy then works without the GIL. Everything else is called row by row, in small parts, so
that workers have what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.core.diagnostics import annotate, fail
from s2sad.dataset import draws, processes
from s2sad.dataset.block import Block, Column, Row, are_alike, as_array, packed, portioned
from s2sad.dataset.plans.base import Plan, as_names, indices_of
from s2sad.dataset.run import Place, Workers, in_order

#: How the modules of transforms begin whose results are arrays of their own.
OURS = "s2sad.dataset."
#: Rows that a worker is given at once where functions are called row by row, to begin with.
PART = 16


@dataclass
class Task:
    """Rows that a worker computes.

    Attributes
    ----------
    columns : tuple of Column
        Those that the functions are given.
    first : int
        Number of the first row in its epoch.
    key : array
        What random transforms draw from.
    """

    columns: tuple[Column, ...]
    count: int
    first: int
    key: np.ndarray

    def __len__(self) -> int:
        return self.count

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "columns": packed(self.columns)}


@dataclass
class Done:
    """What became of a task: columns of `count` rows, and the error of the row after them."""

    columns: tuple[Column, ...]
    count: int
    error: Exception | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "columns": packed(self.columns)}


class Functions:
    """The operations of one `map`, in their order; a call computes one Task.

    Parameters
    ----------
    operations : sequence of callable
    outputs : int
        How many columns there are afterwards.
    """

    def __init__(self, operations: Sequence[Callable[..., Any]], outputs: int) -> None:
        self.operations = tuple(operations)
        self.outputs = outputs

    @property
    def are_batched(self) -> bool:
        """Whether some operation computes many rows at once."""
        return any(hasattr(operation, "batched") for operation in self.operations)

    def __call__(self, task: Task) -> Done:
        done = Done(task.columns, task.count)
        for number, operation in enumerate(self.operations):
            found, failure = self._at_once(operation, done)
            if found is None:
                before, done = done.error, self._one_by_one(operation, number, task, done)
                if failure is not None and done.error is before:
                    raise fail(
                        "E0901", f"{_named(operation)} fails for many rows at once, for none alone"
                    ) from failure  # fmt: skip
            else:
                done = found
            if done.count == 0:
                return done
        return self._checked(task, done)

    def _at_once(
        self, operation: Callable[..., Any], done: Done
    ) -> tuple[Done | None, Exception | None]:
        """All rows in one call of `operation`; None where it cannot take them so, or failed."""
        batched = getattr(operation, "batched", None)
        if batched is None or len(done.columns) != 1:
            return None, None
        column = done.columns[0]
        if not isinstance(column, np.ndarray):
            if not all(isinstance(row, np.ndarray) for row in column) or not are_alike(column):
                return None, None
            column = np.stack(column)
        try:
            result = batched(column)
        except Exception as failure:  # raised again one by one, for the row that has it
            return None, failure
        return (None if result is None else Done((result,), done.count, done.error)), None

    def _one_by_one(
        self, operation: Callable[..., Any], number: int, task: Task, done: Done
    ) -> Done:
        rows: list[Row] = []
        error = done.error
        for index, row in enumerate(Block(done.columns, done.count).rows()):
            draws.draw_for(task.key, task.first + index, number)
            try:
                processes.seed_row()
                rows.append(self._kept(number, operation(*row)))
                if len(rows[-1]) != len(rows[0]):
                    raise fail("E0304", _uneven(operation, len(rows[0]), len(rows.pop())))
            except Exception as failure:
                annotate(failure, f"map called {_named(operation)} for row {task.first + index}")
                error = failure
                break
        draws.draw_for(None)
        if not rows:
            return Done((), 0, error)
        return Done(tuple(list(column) for column in zip(*rows, strict=True)), len(rows), error)

    def _checked(self, task: Task, done: Done) -> Done:
        """`done`, if it has as many columns as there have to be."""
        if len(done.columns) == self.outputs:
            return done
        error = fail(
            "E0302", f"map has {self.outputs} output columns, and its functions gave "
            f"{len(done.columns)}", help="name them all in output_columns",
            notes=(f"in row {task.first}",),
        )  # fmt: skip
        return Done((), 0, error)

    def _kept(self, number: int, value: Any) -> Row:
        """What operation `number` returned, which it may write again if it is the user's.

        After the last one these are arrays; before it there may be anything, images of Pillow.
        """
        values = value if isinstance(value, tuple) else (value,)
        is_ours = type(self.operations[number]).__module__.startswith(OURS)
        if number == len(self.operations) - 1:
            return tuple(
                each if is_ours and isinstance(each, np.ndarray) else as_array(each)
                for each in values
            )
        return values if is_ours else tuple(map(_apart, values))


def _apart(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _named(operation: Callable[..., Any]) -> str:
    return getattr(operation, "__name__", type(operation).__name__)


def _uneven(operation: Callable[..., Any], first: int, now: int) -> str:
    return f"{_named(operation)} gave {first} values for one row and {now} for another"


class Map(Plan):
    """Functions applied to some columns of each row."""

    def __init__(
        self, plan: Plan, operations: Sequence[Callable[..., Any]], columns: object,
        outputs: object, workers: Workers,
    ) -> None:  # fmt: skip
        self.inputs = (plan,)
        self.chosen = indices_of(columns, plan.names)
        given = tuple(plan.names[index] for index in self.chosen)
        named = given if outputs is None else as_names("output_columns", outputs)
        self.workers = workers
        self.layout = layout(plan.names, self.chosen, named)
        self.functions = Functions(operations, len(named))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.layout)

    def open(self, at: Place) -> None:
        super().open(at)
        at.run.open(at.path, self.functions, self.workers)

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        kept: list[tuple[Column, ...]] = []
        tasks = self._tasks(at, size, start, kept)
        try:
            for done in in_order(at.pool, tasks):
                yield from self._arranged(kept.pop(0), done)
                if done.error is not None:
                    raise done.error
        finally:
            tasks.close()

    def _tasks(
        self, at: Place, size: int, start: int, kept: list[tuple[Column, ...]]
    ) -> Generator[Task, None, None]:
        """The work to be done; `kept` gets the columns that no function sees, beside each."""
        key = at.key()
        usual = (
            size if self.functions.are_batched else max(1, min(PART, size // self.workers.count))
        )
        given = self.inputs[0].blocks(at.input(), size, start)
        for block in portioned(given, lambda: at.pool.sized(usual)):
            kept.append(block.columns)
            chosen = tuple(block.columns[index] for index in self.chosen)
            yield Task(chosen, block.count, start, key)
            start += block.count

    def _arranged(self, old: tuple[Column, ...], done: Done) -> Iterator[Block]:
        if done.count:
            columns = [
                done.columns[index] if is_new else old[index][: done.count]
                for _, (is_new, index) in self.layout
            ]
            yield Block(columns, done.count)


#: The name of a column, and whether it is one of the new ones, with its index among its kind.
Layout = tuple[tuple[str, tuple[bool, int]], ...]


def layout(names: tuple[str, ...], chosen: tuple[int, ...], outputs: tuple[str, ...]) -> Layout:
    """Where columns stand after `outputs` took the place of those `chosen`.

    As many as before stand where those stood; another number of them stands in front.

    Examples
    --------
    >>> [name for name, _ in layout(("a", "b"), (1,), ("c",))]
    ['a', 'c']
    >>> [name for name, _ in layout(("a", "b"), (0,), ("p", "q"))]
    ['p', 'q', 'b']
    """
    new = [(name, (True, index)) for index, name in enumerate(outputs)]
    old = [(name, (False, index)) for index, name in enumerate(names)]
    if len(outputs) == len(chosen):
        for place, found in zip(chosen, new, strict=True):
            old[place] = found
        result = old
    else:
        result = [*new, *(each for index, each in enumerate(old) if index not in chosen)]
    as_names("the columns after output_columns", [name for name, _ in result])
    return tuple(result)
