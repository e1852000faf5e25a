"""How do rows of files of MindRecord become rows of a data set?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import optional
from s2sad.dataset.block import Block, Row
from s2sad.dataset.dataset import Dataset
from s2sad.dataset.plans.source import Sampled, fetch_each
from s2sad.dataset.samplers import order_of
from s2sad.dataset.settings import refuse_cache, workers_of
from s2sad.mindrecord.reading import Shard, checked_columns, shards_of
from s2sad.mindrecord.schema import Schema


class MindDataset(Dataset):
    """Rows of files of MindRecord; their fields, by name, are the columns.

    Bytes come as arrays of uint8, as `vision.Decode` takes them. (MindSpore gives arrays of one
    text, which lose the zeros at the end of it.)

    Parameters
    ----------
    dataset_files : str or list of str
        One stands for all files that were written with it, a list for those in it.
    columns_list : list of str, optional
        Which fields are columns, in this order.
    num_parallel_workers, shuffle, num_shards, shard_id, sampler, num_samples
        As `GeneratorDataset` has them; shuffled by default.
    padded_sample : dict, optional
        A row that stands `num_padded` times behind the others.
    num_padded : int, optional
    cache : None

    Raises
    ------
    S2sadError
        E0604 where a file is missing, E0608 where one is damaged, E0404 for a field that is not
        there.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad.dataset as ds
    >>> from s2sad.mindrecord import FileWriter
    >>> folder = tempfile.TemporaryDirectory()
    >>> writer = FileWriter(f"{folder.name}/a.mindrecord")
    >>> writer.add_schema({"x": {"type": "float32", "shape": [-1]}, "y": {"type": "int32"}})
    >>> writer.write_raw_data([{"x": np.ones(2, np.float32), "y": y} for y in range(3)])
    >>> writer.commit()
    >>> data = ds.MindDataset(f"{folder.name}/a.mindrecord", ["y", "x"], shuffle=False)
    >>> [row.tolist() for row in next(iter(data.batch(3)))]
    [[0, 1, 2], [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]]
    >>> folder.cleanup()
    """

    def __init__(
        self, dataset_files: Any, columns_list: list[str] | None = None,
        num_parallel_workers: int | None = None, shuffle: Any = None,
        num_shards: int | None = None, shard_id: int | None = None, sampler: Any = None,
        padded_sample: dict[str, Any] | None = None, num_padded: int | None = None,
        num_samples: int | None = None, cache: None = None,
    ) -> None:  # fmt: skip
        refuse_cache(cache)
        shards = shards_of(dataset_files)
        schema = shards[0].schema
        names = checked_columns(columns_list, schema) or sorted(schema.fields)
        padding = _padding(padded_sample, num_padded, names, schema)
        order = order_of(sampler, shuffle, num_samples, num_shards, shard_id)
        workers = workers_of(num_parallel_workers, False)
        super().__init__(Sampled(_Rows(shards, names, padding), names, order, workers))


class _Rows:
    """The rows of all files, and those that fill them up."""

    def __init__(self, shards: Sequence[Shard], names: Sequence[str], padding: list[Row]) -> None:
        self.shards, self.names, self.padding = shards, names, padding
        self.ends = np.cumsum([len(shard) for shard in shards])

    def __len__(self) -> int:
        return int(self.ends[-1]) + len(self.padding)

    def fetch(self, indices: np.ndarray) -> Block:
        return fetch_each(self._row, indices)

    def _row(self, index: int) -> Row:
        if index >= self.ends[-1]:
            return self.padding[index - int(self.ends[-1])]
        number = int(np.searchsorted(self.ends, index, "right"))
        shard = self.shards[number]
        begin = int(self.ends[number]) - len(shard)
        return _columns(shard.row(index - begin, self.names), self.names, shard.schema)


def _columns(row: dict[str, Any], names: Sequence[str], schema: Schema) -> Row:
    return tuple(_column(row[name], schema.fields[name]["type"]) for name in names)


def _column(value: Any, kind: str) -> np.ndarray:
    if kind == "bytes":
        return np.frombuffer(value, np.uint8).copy()
    return np.array(value) if kind == "string" else np.array(value, kind)


def _padding(
    sample: dict[str, Any] | None, count: int | None, names: Sequence[str], schema: Schema
) -> list[Row]:
    number = optional("num_padded", count)
    if sample is None or number is None:
        if sample is not None or number is not None:
            raise fail("E0302", "padded_sample and num_padded go together")
        return []
    if not isinstance(sample, dict) or set(sample) != set(names):
        raise fail("E0404", f"padded_sample has the keys {', '.join(names)}, got {sample!r}")
    return [_columns(sample, names, schema)] * number
