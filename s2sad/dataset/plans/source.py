"""Where do rows come from: from places that can be asked for any row, or one after another?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import numpy as np

from s2sad.core.diagnostics import annotate, fail
from s2sad.dataset.block import Block, Row, blocks_of
from s2sad.dataset.plans.base import FromFirst, Plan
from s2sad.dataset.run import Place, Workers, in_order
from s2sad.dataset.samplers import Order


class Table(Protocol):
    """Rows that can be asked for by number."""

    def __len__(self) -> int: ...

    def fetch(self, indices: np.ndarray) -> Block:
        """The rows at `indices`, in memory of their own."""
        ...


@dataclass
class _Fetched:
    block: Block | None
    error: Exception | None = None


class Sampled(Plan):
    """Rows of a table in the order of a sampler.

    Attributes
    ----------
    table : Table
    order : Order
    workers : Workers
    labels : callable or None
        Gives the class of each row, for samplers that go by classes.
    classes : dict
        Number of each class, where they have names.
    """

    def __init__(
        self, table: Table, names: Sequence[str], order: Order, workers: Workers,
        labels: Callable[[], np.ndarray] | None = None,
    ) -> None:  # fmt: skip
        self.table = table
        self._names = tuple(names)
        self.order = order
        self.workers = workers
        self.labels = labels
        self.classes: dict[str, int] = {}

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    def with_order(self, order: Order) -> Sampled:
        """The same table in another order."""
        plan = Sampled(self.table, self._names, order, self.workers, self.labels)
        plan.classes = self.classes
        return plan

    def size(self) -> int | None:
        return self.order.size(len(self.table))

    def open(self, at: Place) -> None:
        at.run.open(at.path, self._fetched, self.workers)

    def indices(self, at: Place) -> np.ndarray:
        """The rows of an epoch, in order."""
        found = self.order.indices(len(self.table), at, self.labels)
        count = len(self.table)
        wrong = found[(found < 0) | (found >= count)]
        if len(wrong):
            raise fail("E0501", f"a sampler gave {int(wrong[0])} for one of {count} rows")
        return found

    def blocks(self, at: Place, size: int, start: int = 0) -> Iterator[Block]:
        chosen = self.indices(at)[start:]
        for fetched in in_order(at.pool, self._parts(at, chosen, size)):
            if fetched.block is not None:
                yield fetched.block
            if fetched.error is not None:
                raise fetched.error

    def _parts(self, at: Place, chosen: np.ndarray, size: int) -> Iterator[np.ndarray]:
        begin = 0
        while begin < len(chosen):
            end = begin + at.pool.sized(max(1, size // self.workers.count))
            yield chosen[begin:end]
            begin = end

    def _fetched(self, indices: np.ndarray) -> _Fetched:
        """The rows at `indices`; where one fails, those before it and the error."""
        try:
            return _Fetched(self.table.fetch(indices))
        except FetchError as error:
            return _Fetched(error.before, error.error)


class FetchError(Exception):
    """A row cannot be had: those before it, and what its source raised."""

    def __init__(self, before: Block | None, error: Exception) -> None:
        super().__init__(before, error)
        self.before, self.error = before, error


def fetch_each(get: Callable[[int], Row], indices: np.ndarray) -> Block:
    """The rows that `get` gives for `indices`.

    Raises
    ------
    FetchError
        What `get` raised, with a note that names the row.
    """
    rows: list[Row] = []
    for index in indices.tolist():
        try:
            rows.append(get(index))
        except Exception as error:
            annotate(error, f"it was raised for row {index} of the source")
            raise FetchError(Block.of_rows(rows) if rows else None, error) from error
    return Block.of_rows(rows)


class Streamed(FromFirst):
    """Rows that come one after another.

    Attributes
    ----------
    begin : callable
        Gives an iterator of rows for an epoch.
    limit : int or None
        How many rows an epoch has at most.
    count : int or None
        How many it has, if that is known.
    """

    def __init__(
        self, begin: Callable[[], Iterable[Row]], names: Sequence[str],
        limit: int | None = None, count: int | None = None,
    ) -> None:  # fmt: skip
        self.begin = begin
        self._names = tuple(names)
        self.limit = limit
        self.count = count

    @property
    def names(self) -> tuple[str, ...]:
        return self._names

    @property
    def has_one_epoch(self) -> bool:
        return getattr(self.begin, "is_iterator", False)

    def size(self) -> int | None:
        if self.count is None or self.limit is None:
            return self.count
        return min(self.count, self.limit)

    def whole(self, at: Place, size: int) -> Iterator[Block]:
        return blocks_of(islice(self._rows(), self.limit), size)

    def _rows(self) -> Iterator[Row]:
        number = 0
        try:
            for row in self.begin():
                yield row
                number += 1
        except Exception as error:
            annotate(error, f"it was raised for row {number} of the source")
            raise


def as_row(item: Any, convert: Callable[[Any], np.ndarray], count: int) -> Row:
    """What a source gave for one row, as arrays.

    Raises
    ------
    S2sadError
        E0302 where there are not `count` columns.
    """
    values = item if isinstance(item, tuple) else (item,)
    if len(values) != count:
        raise fail(
            "E0302", f"the source gave a row of {len(values)} columns, and column_names has {count}"
        )
    return tuple(map(convert, values))
