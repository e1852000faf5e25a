"""How are files of text and of comma-separated values read?"""

from __future__ import annotations

import csv
import glob
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import optional
from s2sad.dataset.block import Row
from s2sad.dataset.dataset import Dataset
from s2sad.dataset.plans.base import Plan, as_names
from s2sad.dataset.plans.order import Shuffle as ShufflePlan
from s2sad.dataset.plans.source import Streamed
from s2sad.dataset.samplers import Shuffle, shuffled
from s2sad.dataset.settings import refuse_cache, workers_of
from s2sad.dataset.sources.generator import BUFFER


def files_of(given: Any) -> list[str]:
    """The files that names and patterns stand for, in order.

    Raises
    ------
    S2sadError
        E0303 for other things, E0604 where one stands for no file.
    """
    patterns = [given] if isinstance(given, str) else given
    if not isinstance(patterns, (list, tuple)) or not all(isinstance(x, str) for x in patterns):
        raise fail("E0303", f"dataset_files is a path or a list of them, got {given!r}")
    found = []
    for pattern in patterns:
        files = sorted(glob.glob(pattern))
        if not files:
            raise fail("E0604", f"there is no file {pattern}")
        found += files
    return found


def _lines(path: str) -> Iterator[str]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            yield from file
    except UnicodeDecodeError as error:
        raise fail("E0608", f"{path} is no text in UTF-8: {error}") from error
    except OSError as error:
        raise fail("E0604", f"{path} cannot be read: {error.strerror}") from error


def _plan(
    begin: Callable[[], Iterator[Row]], names: Sequence[str], num_samples: Any, shuffle: Any,
    num_shards: Any, shard_id: Any,
) -> Plan:  # fmt: skip
    """Rows of files, those of one shard, shuffled in a buffer."""
    limit = optional("num_samples", num_samples)
    if (num_shards is None) != (shard_id is None):
        raise fail("E0302", "num_shards and shard_id go together")
    if num_shards is not None and not 0 <= shard_id < num_shards:
        raise fail("E0404", f"shard_id is from 0 to num_shards - 1, got {shard_id} of {num_shards}")

    def part() -> Iterator[Row]:
        for number, row in enumerate(begin()):
            if num_shards is None or number % num_shards == shard_id:
                yield row

    plan = Streamed(part, names, limit)
    return ShufflePlan(plan, BUFFER) if shuffled(shuffle) else plan


class TextFileDataset(Dataset):
    """Lines of files, without their ends and without empty ones: the column ``text``.

    Parameters
    ----------
    dataset_files : str or list of str
        Paths, with ``*`` and ``?`` if need be.
    num_samples, num_parallel_workers, shuffle, num_shards, shard_id
        As `GeneratorDataset` has them; shuffled, in a buffer of 1,000 rows, by default.
    cache : None
    """

    def __init__(
        self, dataset_files: Any, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: Any = Shuffle.GLOBAL,
        num_shards: int | None = None, shard_id: int | None = None, cache: None = None,
    ) -> None:  # fmt: skip
        refuse_cache(cache)
        workers_of(num_parallel_workers, False)
        files = files_of(dataset_files)

        def rows() -> Iterator[Row]:
            for path in files:
                for line in _lines(path):
                    text = line.rstrip("\r\n")
                    if text:
                        yield (np.array(text),)

        super().__init__(_plan(rows, ["text"], num_samples, shuffle, num_shards, shard_id))


class CSVDataset(Dataset):
    """Rows of files of separated values.

    Parameters
    ----------
    dataset_files : str or list of str
    field_delim : str
    column_defaults : list, optional
        One for each column: its type, int, float or str, is what a column's texts become, and it
        stands where there is none. By default all are texts.
    column_names : list of str, optional
        By default the first line of each file has them.
    num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache
        As `TextFileDataset` has them.

    Raises
    ------
    S2sadError
        E0604 for files that are not there; E0608, once rows come, for a line that does not fit.
    """

    def __init__(
        self, dataset_files: Any, field_delim: str = ",", column_defaults: Any = None,
        column_names: Any = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: Any = Shuffle.GLOBAL,
        num_shards: int | None = None, shard_id: int | None = None, cache: None = None,
    ) -> None:  # fmt: skip
        refuse_cache(cache)
        workers_of(num_parallel_workers, False)
        files = files_of(dataset_files)
        has_header = column_names is None
        if has_header:
            column_names = next(csv.reader(_lines(files[0]), delimiter=field_delim), [])
        names = as_names("column_names", list(column_names))
        defaults = [""] * len(names) if column_defaults is None else list(column_defaults)
        if len(defaults) != len(names):
            raise fail("E0302", f"there are {len(defaults)} defaults for {len(names)} columns")

        def rows() -> Iterator[Row]:
            for path in files:
                reader = csv.reader(_lines(path), delimiter=field_delim)
                for number, fields in enumerate(reader):
                    if fields and (number or not has_header):
                        yield _converted(fields, defaults, f"{path}:{reader.line_num}")

        super().__init__(_plan(rows, names, num_samples, shuffle, num_shards, shard_id))


def _converted(fields: list[str], defaults: list[Any], place: str) -> Row:
    if len(fields) != len(defaults):
        raise fail("E0608", f"{place} has {len(fields)} fields, not {len(defaults)}")
    pairs = zip(fields, defaults, strict=True)
    try:
        return tuple(np.array(type(default)(text) if text else default) for text, default in pairs)
    except ValueError as error:
        raise fail("E0608", f"{place}: {error}") from error
