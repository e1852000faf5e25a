"""How do rows become batches, and what is said where they do not fit together?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from s2sad.core.diagnostics import annotate, fail
from s2sad.dataset.block import Block, Column, are_alike, as_array, filled_up, resized
from s2sad.dataset.plans.base import Plan, as_names, indices_of
from s2sad.dataset.plans.mapping import layout
from s2sad.dataset.run import Place, Workers, in_order

#: Rows that are asked for at once where batches are smaller.
LEAST = 32


@dataclass(frozen=True)
class BatchInfo:
    """Which batch it is that a function of `batch` is called for.

    Attributes
    ----------
    batch : int
        From 0, in its epoch.
    epoch : int
        From 0.
    """

    batch: int
    epoch: int

    def get_batch_num(self) -> int:
        """Number of the batch in its epoch, from 0."""
        return self.batch

    def get_epoch_num(self) -> int:
        """Number of the epoch, from 0."""
        return self.epoch


def stacked(column: Column, name: str) -> np.ndarray:
    """One array of the rows of `column`.

    Raises
    ------
    S2sadError
        E0401 where they have different shapes, E0301 where they have different dtypes.
    """
    if isinstance(column, np.ndarray):
        return column
    if not are_alike(column):
        _refuse(column, name)
    return np.stack(column)


def _refuse(rows: Sequence[np.ndarray], name: str) -> None:
    """Say what differs. Texts of different lengths do not."""
    first = rows[0]
    for index, row in enumerate(rows):
        if row.shape != first.shape:
            raise fail(
                "E0401", f"column {name!r} has rows of different shapes in one batch: "
                f"{list(first.shape)} and, {index} rows later, {list(row.shape)}",
                help="padded_batch fills them up; Resize and Crop give images one size",
            )  # fmt: skip
        if row.dtype != first.dtype and not row.dtype.kind == first.dtype.kind in "US":
            raise fail(
                "E0301", f"column {name!r} has rows of different dtypes in one batch: "
                f"{first.dtype} and, {index} rows later, {row.dtype}",
                help="map them to one first: transforms.TypeCast",
            )  # fmt: skip


class Batch(Plan):
    """Rows stacked to batches of `length`, a number or a function of a `BatchInfo`."""

    def __init__(self, plan: Plan, length: int | Callable[[BatchInfo], int], drop: bool) -> None:
        self.inputs = (plan,)
        self.length = length
        self.drop = drop

    def size(self) -> int | None:
        size = self.inputs[0].size()
        if size is None or callable(self.length):
            return None
        return size // self.length if self.drop else -(-size // self.length)

    @property
    def batch_size(self) -> int:
        return -1 if callable(self.length) else self.length

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        for number, block in self.gathered(at, start):
            yield Block([[column] for column in self.made(block, number, at)], 1)

    def made(self, block: Block, number: int, at: Place) -> Sequence[np.ndarray]:
        """The columns of the batch of the rows in `block`."""
        pairs = zip(block.columns, self.inputs[0].names, strict=True)
        return [stacked(column, name) for column, name in pairs]

    def gathered(self, at: Place, start: int) -> Iterator[tuple[int, Block]]:
        """The rows of each batch from batch `start` on, with its number."""
        if callable(self.length):
            yield from self._varying(at, self.length, start)
            return
        wanted = self.length * -(-LEAST // self.length)
        blocks = self.inputs[0].blocks(at.input(), wanted, start * self.length)
        for number, block in enumerate(resized(blocks, self.length), start):
            if block.count == self.length or not self.drop:
                yield number, block

    def _varying(
        self, at: Place, length: Callable[[BatchInfo], int], start: int
    ) -> Iterator[tuple[int, Block]]:
        rows = self.inputs[0].rows(at.input())
        number = 0
        while True:
            wanted = _length(length(BatchInfo(number, at.epoch)))
            found = list(islice(rows, wanted))
            if len(found) < wanted and (self.drop or not found):
                return
            if number >= start:
                yield number, Block.of_rows(found)
            number += 1


def _length(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
        raise fail("E0404", f"a function for batch_size gives an int of 1 or more, got {given!r}")
    return int(given)


class PaddedBatch(Batch):
    """Batches of rows that are filled up at their ends first.

    Parameters
    ----------
    padding : mapping or None
        For a column the shape, with None for as long as the longest, and what fills it up. None
        pads all columns with zeros.
    """

    def __init__(self, plan: Plan, length: Any, drop: bool, padding: Any) -> None:
        super().__init__(plan, length, drop)
        self.padding = _padding(padding, plan.names)

    def made(self, block: Block, number: int, at: Place) -> Sequence[np.ndarray]:
        pairs = zip(block.columns, self.inputs[0].names, strict=True)
        return [self._padded(column, name) for column, name in pairs]

    def _padded(self, column: Column, name: str) -> np.ndarray:
        if name not in self.padding:
            return stacked(column, name)
        shape, value = self.padding[name]
        rows = list(column)
        ranks = {row.ndim for row in rows} | (set() if shape is None else {len(shape)})
        if len(ranks) > 1:
            raise fail("E0401", f"column {name!r} cannot be padded: it has {sorted(ranks)} axes")
        longest = [max(sizes) for sizes in zip(*(row.shape for row in rows), strict=True)]
        target = longest if shape is None else [
            most if size is None else size for most, size in zip(longest, shape, strict=True)
        ]  # fmt: skip
        if any(most > size for most, size in zip(longest, target, strict=True)):
            raise fail("E0401", f"column {name!r} has sizes {longest}, and pad_info {target}")
        return stacked([filled_up(row, target, value) for row in rows], name)


def _padding(given: Any, names: tuple[str, ...]) -> dict[str, tuple[Any, Any]]:
    if given is None:
        return {name: (None, 0) for name in names}
    if not isinstance(given, Mapping):
        raise fail("E0303", f"pad_info is a dict of (shape, value), got {given!r}")
    indices_of(list(given), names)
    for name, info in given.items():
        if not isinstance(info, tuple) or len(info) != 2:
            raise fail("E0303", f"pad_info of {name!r} is (shape, value), got {info!r}")
    return {name: (shape, 0 if value is None else value) for name, (shape, value) in given.items()}


class MappedBatch(Batch):
    """Batches after a function of the user's has been given their rows, a list for each column."""

    def __init__(
        self, plan: Plan, length: Any, drop: bool, function: Callable[..., Any],
        columns: object, outputs: object, workers: Workers,
    ) -> None:  # fmt: skip
        super().__init__(plan, length, drop)
        self.chosen = indices_of(list(plan.names) if columns is None else columns, plan.names)
        given = tuple(plan.names[index] for index in self.chosen)
        self.outputs = given if outputs is None else as_names("output_columns", outputs)
        self.layout = layout(plan.names, self.chosen, self.outputs)
        self.function = function
        self.workers = workers

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.layout)

    def open(self, at: Place) -> None:
        super().open(at)
        at.run.open(at.path, self._mapped, self.workers)

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        tasks = ((block, BatchInfo(number, at.epoch)) for number, block in self.gathered(at, start))
        for batch in in_order(at.pool, tasks):
            yield Block([[column] for column in batch], 1)

    def _mapped(self, task: tuple[Block, BatchInfo]) -> list[np.ndarray]:
        block, info = task
        given = [list(Block([block.columns[i]], block.count).rows()) for i in self.chosen]
        try:
            result = self.function(*([row for (row,) in column] for column in given), info)
        except Exception as error:
            annotate(error, f"per_batch_map was called for batch {info.batch}")
            raise
        new = result if isinstance(result, tuple) else (result,)
        if len(new) != len(self.outputs):
            raise fail(
                "E0302", f"per_batch_map gave {len(new)} columns in place of {len(self.outputs)}",
                help="it returns a tuple of columns; name them in output_columns",
            )  # fmt: skip
        names = self.inputs[0].names
        return [
            _batch(new[index], name) if is_new else stacked(block.columns[index], names[index])
            for name, (is_new, index) in self.layout
        ]


def _batch(column: Any, name: str) -> np.ndarray:
    """What per_batch_map gave for a column: an array, or a list of rows."""
    if isinstance(column, (list, tuple)) and column:
        return stacked([as_array(row) for row in column], name)
    return as_array(column)
