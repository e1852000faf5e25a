"""How do objects and functions of the user's become data sets?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import optional
from s2sad.dataset.block import Block, Row, as_array
from s2sad.dataset.dataset import Dataset
from s2sad.dataset.plans.base import Plan, as_names
from s2sad.dataset.plans.order import Shuffle
from s2sad.dataset.plans.source import Sampled, Streamed, as_row, fetch_each
from s2sad.dataset.run import Workers
from s2sad.dataset.samplers import order_of, shuffled
from s2sad.dataset.settings import workers_of
from s2sad.dataset.transforms.values import numpy_dtype

#: Rows in the buffer of a generator that is shuffled.
BUFFER = 1000


class Converter:
    """Makes a row of what a source gives, and checks its dtypes where they were announced."""

    def __init__(self, names: Sequence[str], types: Any) -> None:
        self.names = tuple(names)
        self.types = None if types is None else [numpy_dtype(each) for each in types]
        if self.types is not None and len(self.types) != len(self.names):
            raise fail(
                "E0302", f"there are {len(self.types)} column_types for {len(self.names)} columns"
            )

    def __call__(self, item: Any) -> Row:
        row = as_row(item, as_array, len(self.names))
        for value, name, wanted in zip(row, self.names, self.types or (), strict=False):
            if value.dtype != wanted:
                raise fail("E0301", f"column {name!r} is {wanted}, the source gave {value.dtype}")
        return row


class RandomAccess:
    """A table over an object of the user's with ``__getitem__`` and ``__len__``."""

    def __init__(self, source: Any, convert: Converter) -> None:
        self.source = source
        self.convert = convert

    def __len__(self) -> int:
        return len(self.source)

    def fetch(self, indices: np.ndarray) -> Block:
        return fetch_each(lambda index: self.convert(self.source[index]), indices)


class Restarted:
    """Begins the rows of a source anew for each epoch."""

    def __init__(self, source: Any, convert: Converter) -> None:
        self.source = source
        self.convert = convert
        self.is_iterator = not callable(source) and isinstance(source, Iterator)
        self._is_used = False

    def __call__(self) -> Iterator[Row]:
        return map(self.convert, self._items())

    def _items(self) -> Iterable[Any]:
        if callable(self.source):
            found: Any = self.source()
            return found
        if self.is_iterator and self._is_used:
            raise fail(
                "E0706", "the source is an iterator, which was read already",
                help="give a function that makes it, or a list: then it can begin again",
            )  # fmt: skip
        self._is_used = True
        return self.source


class GeneratorDataset(Dataset):
    """Rows that an object or a function of the user's gives.

    Parameters
    ----------
    source : object or callable
        An object with ``__getitem__`` and ``__len__``; or an iterable; or a function that gives an
        iterator, and is called for each epoch. A row is a tuple of columns, or the only one.
    column_names : str or list of str
    column_types : list of dtype, optional
        What rows have to be.
    schema : None
        Is refused: it needs files that MindSpore writes.
    num_samples : int, optional
        Rows in an epoch at most.
    num_parallel_workers : int
        Who call ``__getitem__``; more than there are processors are a warning.
    shuffle : bool, optional
        By default True where any row can be asked for. True has the rows of others go through a
        buffer of 1,000, where MindSpore does nothing.
    sampler : sampler or iterable of int, optional
    num_shards, shard_id : int, optional
        Give one of several parts of equal length, for objects with ``__getitem__``.
    python_multiprocessing : bool, optional
        True has forked processes call ``__getitem__``. By default threads do.
    max_rowsize : optional
        Is accepted; rows may have any size.
    batch_sampler, collate_fn : None
        Are refused; `batch` with ``per_batch_map`` does that.

    Raises
    ------
    S2sadError
        E0302 for arguments that exclude one another, and for rows of another number of columns;
        E0304 for what is no source.

    Examples
    --------
    >>> import s2sad.dataset as ds
    >>> data = ds.GeneratorDataset([(1, 2.0), (3, 4.0)], ["a", "b"], shuffle=False)
    >>> [[x.item() for x in row] for row in data]
    [[1, 2.0], [3, 4.0]]
    """

    def __init__(
        self, source: Any, column_names: Any = None, column_types: Any = None, schema: Any = None,
        num_samples: int | None = None, num_parallel_workers: int | None = 1,
        shuffle: bool | None = None, sampler: Any = None, num_shards: int | None = None,
        shard_id: int | None = None, python_multiprocessing: bool | None = None,
        max_rowsize: Any = None, batch_sampler: Any = None, collate_fn: Any = None,
    ) -> None:  # fmt: skip
        refused = {"schema": schema, "batch_sampler": batch_sampler, "collate_fn": collate_fn}
        for name, value in refused.items():
            if value is not None:
                raise fail("E0712", f"GeneratorDataset has no {name} in this version")
        if column_names is None:
            raise fail("E0302", "GeneratorDataset needs column_names: a name or a list of them")
        convert = Converter(as_names("column_names", column_names), column_types)
        workers = workers_of(num_parallel_workers, python_multiprocessing, default=1)
        limit = optional("num_samples", num_samples)
        plan: Plan
        if hasattr(source, "__getitem__") and hasattr(source, "__len__"):
            order = order_of(sampler, shuffle, num_samples, num_shards, shard_id)
            plan = Sampled(RandomAccess(source, convert), convert.names, order, workers)
        else:
            _require_stream(source, sampler, num_shards)
            plan = _stream(source, convert, limit, shuffle)
        super().__init__(plan)
        self.source = source


def _stream(source: Any, convert: Converter, limit: int | None, shuffle: bool | None) -> Plan:
    count = len(source) if hasattr(source, "__len__") else None
    plan = Streamed(Restarted(source, convert), convert.names, limit, count)
    return Shuffle(plan, BUFFER) if shuffle is not None and shuffled(shuffle) else plan


def _require_stream(source: Any, sampler: Any, num_shards: int | None) -> None:
    if not callable(source) and not hasattr(source, "__iter__"):
        raise fail(
            "E0304", "a source is a function that gives an iterator, an iterable, or has "
            f"__getitem__ and __len__, got a {type(source).__name__}",
        )  # fmt: skip
    for name, value in (("sampler", sampler), ("num_shards", num_shards)):
        if value is not None:
            raise fail(
                "E0302", f"{name} needs a source of which any row can be asked for",
                help="give it __getitem__ and __len__",
            )  # fmt: skip


class Columns:
    """A table over arrays, a row to each place of their first axes."""

    def __init__(self, arrays: Sequence[np.ndarray]) -> None:
        self.arrays = arrays

    def __len__(self) -> int:
        return len(self.arrays[0])

    def fetch(self, indices: np.ndarray) -> Block:
        return Block([array[indices] for array in self.arrays], len(indices))


class NumpySlicesDataset(Dataset):
    """The places of the first axis of arrays as rows.

    Parameters
    ----------
    data : array, list, tuple of columns, or dict of columns
    column_names : str or list of str, optional
        By default the keys of a dict, else column_0, column_1, ...
    num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id
        As `GeneratorDataset` has them; shuffled by default.

    Raises
    ------
    S2sadError
        E0401 for columns of different lengths.

    Examples
    --------
    >>> import s2sad.dataset as ds
    >>> data = ds.NumpySlicesDataset(([1, 2], [[3, 4], [5, 6]]), ["a", "b"], shuffle=False)
    >>> [[x.tolist() for x in row] for row in data]
    [[1, [3, 4]], [2, [5, 6]]]
    """

    def __init__(
        self, data: Any, column_names: Any = None, num_samples: int | None = None,
        num_parallel_workers: int | None = 1, shuffle: bool | None = None, sampler: Any = None,
        num_shards: int | None = None, shard_id: int | None = None,
    ) -> None:  # fmt: skip
        names, columns = _columns(data)
        given = names if column_names is None else as_names("column_names", column_names)
        if len(given) != len(columns):
            raise fail("E0302", f"there are {len(given)} column_names for {len(columns)} columns")
        arrays = [as_array(column) for column in columns]
        lengths = {array.shape[:1] for array in arrays}
        if len(lengths) != 1 or () in lengths:
            said = ", ".join(map(str, (array.shape for array in arrays)))
            raise fail("E0401", f"columns have a first axis of one length, got shapes {said}")
        order = order_of(sampler, shuffle, num_samples, num_shards, shard_id)
        workers_of(num_parallel_workers, False)  # for the warning: one call of NumPy does it
        super().__init__(Sampled(Columns(arrays), given, order, Workers()))


def _columns(data: Any) -> tuple[tuple[str, ...], list[Any]]:
    """Names and columns of `data`."""
    if isinstance(data, dict):
        return as_names("the keys of data", list(data)), list(data.values())
    columns = list(data) if isinstance(data, tuple) else [data]
    return tuple(f"column_{index}" for index in range(len(columns))), columns


class PaddedDataset(Dataset):
    """Rows that are dicts of arrays, in order: to fill up another data set by `concat`."""

    def __init__(self, padded_samples: Sequence[dict[str, Any]]) -> None:
        if not padded_samples:
            raise fail("E0404", "PaddedDataset needs one row or more")
        names = as_names("the keys of a row", list(padded_samples[0]))
        rows = [tuple(sample[name] for name in names) for sample in padded_samples]
        table = RandomAccess(rows, Converter(names, None))
        super().__init__(Sampled(table, names, order_of(None, False, None, None, None), Workers()))


def labels_of(labels: np.ndarray) -> Callable[[], np.ndarray]:
    """What `Sampled` asks for the classes of all rows."""
    return lambda: labels
