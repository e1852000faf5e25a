"""How are rows read from files of MindRecord, whoever wrote them?

`s2sad.mindrecord.writing` says what is in them.
"""

from __future__ import annotations

import mmap
import sqlite3
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.mindrecord.header import damaged, header_of, require_version
from s2sad.mindrecord.packing import MalformedError
from s2sad.mindrecord.schema import Schema, checked
from s2sad.mindrecord.writing import COLUMNS, checked_name

#: Where a row lies: page and place of its raw part, and of its blob part.
PLACES = [*COLUMNS[1:4], *COLUMNS[5:8]]


class Shard:
    """One file that is there.

    Attributes
    ----------
    schema : Schema
    names : list of str
        The files that were written with it, itself included.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data = _mapped(path)
        header = header_of(path, self._data)
        try:
            (one,) = header["schema"]
            self.schema = checked(one["schema"], one["desc"])
            self.names = [Path(str(name)).name for name in header["shard_addresses"]]
            self._first, self._page = int(header["header_size"]), int(header["page_size"])
            version = header["version"]
        except (KeyError, TypeError, ValueError, S2sadError) as error:
            raise damaged(self.path, f"its header is not whole: {error}") from None
        require_version(path, version)
        self._places = self._placed()

    def __len__(self) -> int:
        return len(self._places)

    def row(self, number: int, names: Sequence[str] | None = None) -> dict[str, Any]:
        """The fields `names` of a row, all without it."""
        raw_page, raw, raw_end, blob_page, blob, blob_end = self._places[number].tolist()
        try:
            return self.schema.row_of(
                self._part(raw_page, raw, raw_end), self._part(blob_page, blob, blob_end), names
            )
        except MalformedError as error:
            raise damaged(self.path, f"in row {number}, {error}") from None

    def _placed(self) -> np.ndarray:
        index = Path(f"{self.path}.db")
        if not index.is_file():
            raise fail("E0604", f"there is no file {index}", help="it belongs to the one beside it")
        try:
            connection = sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro", uri=True)
            try:
                text = f"SELECT {', '.join(PLACES)} FROM INDEXES ORDER BY ROW_ID"
                rows = connection.execute(text).fetchall()
            finally:
                connection.close()
            return np.array(rows, np.int64).reshape(-1, len(PLACES))
        except (sqlite3.Error, TypeError, ValueError, OverflowError) as error:
            raise damaged(self.path, f"its index {index.name} is not whole: {error}") from None

    def _part(self, page: int, begin: int, end: int) -> bytes:
        """What lies behind its length in a page."""
        place = self._first + page * self._page + begin
        stop = place + end - begin
        if not 0 <= begin < end <= self._page or page < 0 or stop > len(self._data):
            raise MalformedError(f"bytes {begin} to {end} of page {page} are not there")
        data = self._data[place:stop]
        if len(data) < 8 or struct.unpack_from("<Q", data)[0] != len(data) - 8:
            raise MalformedError(f"at byte {place}, another length stands than the index says")
        return data[8:]


def _mapped(path: Path) -> Any:
    try:
        with open(path, "rb") as file:
            if not path.stat().st_size:
                return b""
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise fail("E0604", f"{path} cannot be read: {error.strerror or error}") from error


def shards_of(file_name: Any) -> list[Shard]:
    """The files that are meant: one stands for all that were written with it, a list for itself.

    Raises
    ------
    S2sadError
        E0303, E0404 for what is no name, E0604 where a file is missing, E0608 where one is damaged,
        E0304 where they have different schemas, E0712 for another version.
    """
    if isinstance(file_name, (list, tuple)):
        paths = list(map(checked_name, file_name))
        if not paths:
            raise fail("E0404", "the list of files is empty")
        shards = [Shard(path) for path in paths]
    else:
        first = Shard(checked_name(file_name))
        shards = [
            first if name == first.path.name else Shard(first.path.with_name(name))
            for name in first.names
        ]  # fmt: skip
    for shard in shards[1:]:
        if shard.schema.fields != shards[0].schema.fields:
            raise fail("E0304", f"{shard.path} has another schema than {shards[0].path}")
    return shards


def checked_columns(given: Any, schema: Schema) -> list[str] | None:
    """Names of fields; E0303 for what is no list, E0404 for a field that is not there."""
    if given is None:
        return None
    if not isinstance(given, list):
        raise fail("E0303", f"columns are a list of names, got {given!r}")
    for name in given:
        if name not in schema.fields:
            raise fail("E0404", f"there is no field {name!r}",
                       help=f"there are {', '.join(sorted(schema.fields))}")  # fmt: skip
    return given or None


class FileReader:
    """Reads the rows of files, in order.

    Parameters
    ----------
    file_name : str or list of str
        One stands for all files that were written with it, a list for those in it.
    num_consumer : int
        Has no effect.
    columns : list of str, optional
        Which fields rows have; all by default.
    operator : None

    Raises
    ------
    S2sadError
        E0604 where a file is missing, E0608 where one is damaged.
    """

    def __init__(
        self, file_name: Any, num_consumer: int = 4, columns: list[str] | None = None,
        operator: None = None,
    ) -> None:  # fmt: skip
        if type(num_consumer) is not int or num_consumer < 1:
            raise fail("E0404", f"num_consumer is 1 or more, got {num_consumer!r}")
        self._shards = shards_of(file_name)
        self._columns = checked_columns(columns, self._shards[0].schema)
        self._is_closed = False

    def get_next(self) -> Iterator[dict[str, Any]]:
        """Give one row after another."""
        if self._is_closed:
            raise fail("E0706", "the FileReader is closed: make another one")
        for shard in self._shards:
            for number in range(len(shard)):
                yield shard.row(number, self._columns)

    def schema(self) -> dict[str, Any]:
        """Type, and shape of arrays, by field."""
        return {name: dict(field) for name, field in sorted(self._shards[0].schema.fields.items())}

    def len(self) -> int:
        """How many rows."""
        return sum(map(len, self._shards))

    def close(self) -> None:
        """Have nothing to do with the files any more: no rows come after this (E0706)."""
        self._is_closed = True
