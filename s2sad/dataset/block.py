"""In what form do rows travel from one step of a pipeline to the next?

In blocks. A column of a block is one array, a row to each place of its first axis, as long as the
rows have one shape and nobody had to look at them one by one; else it is a list of arrays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor

Row: TypeAlias = tuple[Any, ...]
Column: TypeAlias = "np.ndarray | list[np.ndarray]"

#: Seconds after which rows that are there are not held back for more of them.
PATIENCE = 0.01


def as_array(value: Any) -> np.ndarray:
    """`value` as an array with memory of its own: int64, float64, bool or texts of Python's.

    Raises
    ------
    S2sadError
        E0304 for what no array holds.

    Examples
    --------
    >>> as_array([1, 2]), as_array("a")
    (array([1, 2]), array('a', dtype='<U1'))
    """
    given = value.asnumpy() if isinstance(value, Tensor) else value
    try:
        array = np.array(given)
    except ValueError as error:
        raise fail("E0304", f"a column is one array in each row: {error}") from error
    if array.dtype == object:
        raise fail("E0304", f"a column holds numbers or texts, got a {type(value).__name__}")
    return array


class Block:
    """Some rows that follow one another.

    Attributes
    ----------
    columns : tuple of Column
        Equally long.
    count : int
        How many rows.
    """

    __slots__ = ("columns", "count")

    def __init__(self, columns: Sequence[Column], count: int) -> None:
        self.columns = tuple(columns)
        self.count = count

    def __reduce__(self) -> tuple[Any, ...]:
        return Block, (packed(self.columns), self.count)

    @staticmethod
    def of_rows(rows: Sequence[Row]) -> Block:
        """The block of `rows`, which are not none."""
        return Block([list(column) for column in zip(*rows, strict=True)], len(rows))

    def rows(self) -> Iterator[Row]:
        return zip(*map(arrays_of, self.columns), strict=True)

    def part(self, start: int, stop: int) -> Block:
        """Rows `start` to `stop`; nothing is copied."""
        if start == 0 and stop >= self.count:
            return self
        stop = min(stop, self.count)
        return Block([column[start:stop] for column in self.columns], stop - start)


def arrays_of(column: Column) -> Iterable[np.ndarray]:
    """The rows of `column`, arrays without axes where NumPy would give numbers."""
    is_flat = isinstance(column, np.ndarray) and column.ndim == 1
    return map(np.asarray, column) if is_flat else column


def joined(parts: Sequence[Block]) -> Block:
    """One block of several."""
    if len(parts) == 1:
        return parts[0]
    columns = [_joined(pieces) for pieces in zip(*(part.columns for part in parts), strict=True)]
    return Block(columns, sum(part.count for part in parts))


def _joined(pieces: Sequence[Column]) -> Column:
    arrays = [piece for piece in pieces if isinstance(piece, np.ndarray)]
    first = arrays[0] if arrays else None
    if first is not None and len(arrays) == len(pieces):
        if all(x.shape[1:] == first.shape[1:] and x.dtype == first.dtype for x in arrays):
            return np.concatenate(arrays)
    return [row for piece in pieces for row in piece]


def are_alike(rows: Sequence[np.ndarray]) -> bool:
    """Whether `rows` have one shape and one dtype."""
    first = rows[0]
    shape, dtype = first.shape, first.dtype
    return all(row.shape == shape and row.dtype == dtype for row in rows)


def packed(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The same columns, each as one array where that can be: it goes to a process at once."""
    return tuple(map(_packed, columns))


def _packed(column: Column) -> Column:
    if isinstance(column, np.ndarray) or not all(isinstance(row, np.ndarray) for row in column):
        return column
    return np.stack(column) if are_alike(column) else column


def filled_up(row: np.ndarray, shape: Sequence[int], value: Any) -> np.ndarray:
    """`row` in the corner at the start of an array of `shape` that is otherwise `value`."""
    if row.dtype.kind in "US":
        value = "" if row.dtype.kind == "U" and not value else value or b""
    result = np.full(shape, value, row.dtype)
    result[tuple(slice(size) for size in row.shape)] = row
    return result


def blocks_of(rows: Iterable[Row], size: int) -> Iterator[Block]:
    """Blocks of `size` rows; those before an error come before it."""
    collected: list[Row] = []
    try:
        for row in rows:
            collected.append(row)
            if len(collected) == size:
                full, collected = collected, []
                yield Block.of_rows(full)
    except Exception:
        if collected:
            yield Block.of_rows(collected)
        raise
    if collected:
        yield Block.of_rows(collected)


def resized(blocks: Iterable[Block], size: int) -> Iterator[Block]:
    """The same rows in blocks of `size`, the last one smaller."""
    held: list[Block] = []
    count = 0
    for block in blocks:
        start = 0
        while block.count - start >= size - count:
            end = start + size - count
            whole = joined([*held, block.part(start, end)])
            held, count, start = [], 0, end
            yield whole
        if start < block.count:
            held.append(block.part(start, block.count))
            count += block.count - start
    if held:
        yield joined(held)


def portioned(blocks: Iterable[Block], wanted: Callable[[], int]) -> Iterator[Block]:
    """The same rows in blocks of `wanted`, which may change, and of fewer where they are slow."""
    held: list[Block] = []
    waited, since = 0.0, time.monotonic()
    try:
        for block in blocks:
            waited += time.monotonic() - since
            held.append(block)
            size = wanted()
            if waited > PATIENCE or sum(each.count for each in held) >= size:
                whole, held = joined(held), []
                end = whole.count if waited > PATIENCE else whole.count - whole.count % size
                for begin in range(0, end, size):
                    yield whole.part(begin, min(end, begin + size))
                if end < whole.count:
                    held = [whole.part(end, whole.count)]
                waited = 0.0
            since = time.monotonic()
    except Exception:
        if held:
            yield joined(held)
        raise
    if held:
        yield joined(held)


def without(blocks: Iterable[Block], count: int) -> Iterator[Block]:
    """All but the first `count` rows."""
    for block in blocks:
        if count < block.count:
            yield block.part(count, block.count)
        count = max(0, count - block.count)


def first(blocks: Iterable[Block], count: int) -> Iterator[Block]:
    """The first `count` rows; no more blocks are asked for than that takes."""
    if count <= 0:
        return
    for block in blocks:
        yield block.part(0, count)
        count -= block.count
        if count <= 0:
            return
