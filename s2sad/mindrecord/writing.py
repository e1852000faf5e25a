"""How are rows written to files of MindRecord?

A file has a header, which is its length in eight bytes, the low one first, and JSON; and pages
behind the room for the header, all of one size but the last. Rows that follow one another fill a
page with their blob parts; that is a group, and the raw parts of a group lie in one page with those
of others. Each part stands behind its length. Which pages a row lies in, and where, says a table of
SQLite in a file beside it, with the fields by which rows may be looked for.
"""

from __future__ import annotations

import json
import os
import sqlite3
import struct
import warnings
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.mindrecord.header import VERSION, damaged, header_of, require_version
from s2sad.mindrecord.schema import SQL, Schema, checked

#: Bytes of a header and of a page: the least, the most, and what is usual.
HEADER = (1 << 14, 1 << 27, 1 << 24)
PAGE = (1 << 15, 1 << 28, 1 << 25)
SHARDS = 1000
#: Characters that no name of a file has.
FORBIDDEN = set("\\/:*?\"<>|`&';")

COLUMNS = (
    "ROW_ID", "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END", "ROW_GROUP_ID",
    "PAGE_ID_BLOB", "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END",
)  # fmt: skip


class FileWriter:
    """Writes rows to one file, or to several with a number behind the name.

    Parameters
    ----------
    file_name : str
    shard_num : int
        How many files.
    overwrite : bool
        Whether files that are there are replaced.

    Raises
    ------
    S2sadError
        E0303, E0404 for an argument of the wrong form, E0604, once rows are written, for a file
        that is there, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from s2sad.mindrecord import FileReader, FileWriter
    >>> folder = tempfile.TemporaryDirectory()
    >>> writer = FileWriter(f"{folder.name}/words.mindrecord")
    >>> writer.add_schema({"word": {"type": "string"}, "count": {"type": "int32"}})
    >>> writer.write_raw_data([{"word": "to", "count": 2}, {"word": "be", "count": 1}])
    >>> writer.commit()
    >>> list(FileReader(f"{folder.name}/words.mindrecord").get_next())
    [{'count': 2, 'word': 'to'}, {'count': 1, 'word': 'be'}]
    >>> folder.cleanup()
    """

    def __init__(self, file_name: str, shard_num: int = 1, overwrite: bool = False) -> None:
        path = checked_name(file_name)
        if type(shard_num) is not int or not 1 <= shard_num <= SHARDS:
            raise fail("E0404", f"shard_num is from 1 to {SHARDS}, got {shard_num!r}")
        if not isinstance(overwrite, bool):
            raise fail("E0303", f"overwrite is a bool, got {overwrite!r}")
        digits = len(str(shard_num - 1))
        self._paths = [path] if shard_num == 1 else [
            path.with_name(f"{path.name}{number:0{digits}}") for number in range(shard_num)
        ]  # fmt: skip
        self._overwrite = overwrite
        self._schema: Schema | None = None
        self._indices: list[str] | None = None
        self._header_size, self._page_size = HEADER[2], PAGE[2]
        self._shards: list[_Shard] = []
        self._is_done = False

    @classmethod
    def open_for_append(cls, file_name: str) -> FileWriter:
        """A writer whose rows come behind those of a file, and of all that were written with it.

        Their schema, fields of the index and sizes stay. Rows are there after `commit`; whoever
        drops the writer before that leaves the files with the rows that they had.

        Raises
        ------
        S2sadError
            E0604 where a file is missing or cannot be written, E0608 where one is damaged, E0712
            for another version.
        """
        path = checked_name(file_name)
        file, header = _headed(path)
        file.close()
        names = header.get("shard_addresses")
        if not isinstance(names, list) or not names:
            raise damaged(path, "its header names no files")
        writer = cls(file_name)
        writer._paths = [path.with_name(Path(str(name)).name) for name in names]
        for number, each in enumerate(writer._paths):
            shard = _Shard.reopened(each, number)
            weakref.finalize(writer, shard.close)
            writer._shards.append(shard)
        writer._schema = writer._shards[0].schema
        return writer

    def add_schema(self, content: dict[str, Any], desc: str | None = None) -> None:
        """Say which fields rows have: ``{"label": {"type": "int32"}}``; arrays have a ``shape``."""
        self._refuse_begun("add_schema")
        self._schema = checked(content, desc)

    def add_index(self, index_fields: list[str]) -> None:
        """Name the scalar fields that stand in the index; all of them do by default."""
        self._refuse_begun("add_index")
        if not isinstance(index_fields, list) or not index_fields:
            raise fail("E0303", f"add_index takes a list of names, got {index_fields!r}")
        for name in index_fields:
            if name not in self._known().scalars:
                raise fail("E0404", f"{name!r} is no scalar field", help="add_schema comes first")
        self._indices = list(index_fields)

    def set_header_size(self, header_size: int) -> None:
        """Set the bytes of the header, from 16 KB to 128 MB; 16 MB by default."""
        self._refuse_begun("set_header_size")
        self._header_size = _checked_size("header_size", header_size, HEADER)

    def set_page_size(self, page_size: int) -> None:
        """Set the bytes of a page, from 32 KB to 256 MB; 32 MB by default. A row fits in one."""
        self._refuse_begun("set_page_size")
        self._page_size = _checked_size("page_size", page_size, PAGE)

    def write_raw_data(self, raw_data: list[dict[str, Any]], parallel_writer: bool = False) -> None:
        """Write rows; those that do not fit the schema are left out, with a warning.

        Raises
        ------
        S2sadError
            E0303 for what is no list of dicts, E0404 where no row is left, or one is larger than a
            page; E0706 after `commit`.
        """
        if not isinstance(raw_data, list) or not all(isinstance(row, dict) for row in raw_data):
            raise fail("E0303", "write_raw_data takes a list of dicts")
        if not isinstance(parallel_writer, bool):
            raise fail("E0303", f"parallel_writer is a bool, got {parallel_writer!r}")
        rows = self._fitting(raw_data)
        self._open()
        count = len(self._shards)
        for number, shard in enumerate(self._shards):
            for row in rows[len(rows) * number // count : len(rows) * (number + 1) // count]:
                shard.add(row)

    def commit(self) -> None:
        """Finish the files and their indices."""
        self._open()
        for shard in self._shards:
            shard.finish([path.name for path in self._paths])
        self._is_done = True

    def _known(self) -> Schema:
        if self._schema is None:
            raise fail("E0706", "there is no schema", help="add_schema comes first")
        return self._schema

    def _refuse_begun(self, method: str) -> None:
        if self._shards:
            raise fail("E0706", f"{method} was called after rows were written")

    def _fitting(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        faults = [self._known().fault(row) for row in rows]
        for number, fault in enumerate(faults):
            if fault is not None:
                warnings.warn(f"row {number} is left out: {fault}", stacklevel=3)
        fitting = [row for row, fault in zip(rows, faults, strict=True) if fault is None]
        if not fitting:
            raise fail("E0404", "write_raw_data was given no row that fits the schema")
        return fitting

    def _open(self) -> None:
        schema = self._known()
        if self._is_done:
            raise fail("E0706", "the files were finished by commit", help="make another FileWriter")
        if self._shards:
            return
        for path in self._paths:
            if not self._overwrite and path.exists():
                raise fail("E0604", f"{path} is there", help="overwrite=True replaces it")
        names = schema.scalars if self._indices is None else self._indices
        for number, path in enumerate(self._paths):
            sizes = (self._header_size, self._page_size)
            shard = _Shard.made(path, number, schema, names, sizes)
            weakref.finalize(self, shard.close)  # a writer may be dropped before `commit`
            self._shards.append(shard)


def _connected(uri: str) -> sqlite3.Connection:
    """The index at `uri`. Its writer may be dropped on another thread, which closes it then."""
    return sqlite3.connect(uri, uri=True, check_same_thread=False)


class _Shard:
    """One file that is being written."""

    def __init__(
        self, path: Path, number: int, schema: Schema, indices: Sequence[str],
        sizes: tuple[int, int],
    ) -> None:  # fmt: skip
        self.path, self.number, self.schema, self.indices = path, number, schema, indices
        self.header_size, self.page_size = sizes
        self._pages: list[dict[str, Any]] = []
        self._rows = self._group = self._saved = 0
        self._blob, self._raw = _Page(), _Page()  # the group that is being filled
        self._waiting: list[list[Any]] = []  # rows of the index, whose raw page is not known yet
        self._raw_page = _Page()
        self._raw_groups: list[dict[str, int]] = []
        self._next_page = self._blob_pages = self._raw_pages = 0
        self._raw_id: int | None = None
        self._file: BinaryIO
        self._index: sqlite3.Connection

    @classmethod
    def made(
        cls, path: Path, number: int, schema: Schema, indices: Sequence[str],
        sizes: tuple[int, int],
    ) -> _Shard:  # fmt: skip
        """One that is new."""
        shard = cls(path, number, schema, indices, sizes)
        shard._file, shard._index = shard._created()
        return shard

    @classmethod
    def reopened(cls, path: Path, number: int) -> _Shard:
        """One that is there, to which rows are added: in pages of their own."""
        file, header = _headed(path)
        try:
            (one,) = header["schema"]
            indices = [field["index_field"] for field in header["index_fields"] or ()]
            sizes = int(header["header_size"]), int(header["page_size"])
            shard = cls(path, number, checked(one["schema"], one["desc"]), indices, sizes)
            index = Path(f"{path}.db").absolute().as_uri()
            shard._file, shard._index = file, _connected(f"{index}?mode=rw")
        except (KeyError, TypeError, ValueError, S2sadError, sqlite3.Error) as error:
            file.close()
            raise damaged(path, f"its header or its index is not whole: {error}") from None
        try:
            shard._go_on(header)
        except (KeyError, TypeError, ValueError, sqlite3.Error) as error:
            shard.close()
            raise damaged(path, f"its header or its index is not whole: {error}") from None
        return shard

    def _go_on(self, header: dict[str, Any]) -> None:
        """Count from where `header`, and the index, have stopped."""
        self._pages, self._saved = list(header["page"]), int(header["compression_size"])
        kinds = [page["page_type"] for page in self._pages]
        self._blob_pages, self._raw_pages = kinds.count("BLOB_DATA"), kinds.count("RAW_DATA")
        self._next_page = 1 + max((page["page_id"] for page in self._pages), default=-1)
        found = [row[1] for row in self._index.execute("PRAGMA table_info(INDEXES)")]
        names = [x for i, name in enumerate(self.indices) for x in (f"INC_{i}", f"{name}_0")]
        if found != [*COLUMNS, *names]:
            raise ValueError(f"the index has the columns {found}")
        text = "SELECT COUNT(*), COALESCE(MAX(ROW_GROUP_ID), -1) + 1 FROM INDEXES"
        self._rows, self._group = self._index.execute(text).fetchone()

    def _created(self) -> tuple[BinaryIO, sqlite3.Connection]:
        index = Path(f"{self.path}.db")
        try:
            index.unlink(missing_ok=True)
            file = open(self.path, "wb")
            connection = _connected(index.absolute().as_uri())
            parts = [f"{name} INT NOT NULL" for name in COLUMNS]
            for place, name in enumerate(self.indices):
                kind = SQL[self.schema.fields[name]["type"]]
                parts.append(f"INC_{place} INT, {name}_0 {kind}")
            keys = ["ROW_ID", *(f"INC_{place}" for place in range(len(self.indices)))]
            connection.execute(f"CREATE TABLE INDEXES({', '.join(parts)}, "
                               f"PRIMARY KEY({','.join(keys)}))")  # fmt: skip
            connection.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
            connection.execute("INSERT INTO SHARD_NAME VALUES(?)", (self.path.name,))
        except (OSError, sqlite3.Error) as error:
            raise fail("E0604", f"{self.path} cannot be written: {error}") from error
        return file, connection

    def add(self, row: dict[str, Any]) -> None:
        raw, blob = self.schema.raw_of(row), self.schema.blob_of(row)
        self._saved += self.schema.size_of(row) - len(blob)
        for part in (raw, blob):
            if len(part) + 8 > self.page_size:
                raise fail(
                    "E0404", f"a row takes {len(part) + 8} bytes, a page has {self.page_size}",
                    help="set_page_size before rows are written",
                )  # fmt: skip
        is_full = self._blob.size + len(blob) + 8 > self.page_size
        if is_full or self._raw.size + len(raw) + 8 > self.page_size:
            self._end_group()
        if not self._waiting:
            self._blob.number = self._next_page
            self._next_page += 1
        values = [value for name in self.indices for value in (0, _plain(row[name]))]
        ends = (*self._raw.put(raw), *self._blob.put(blob))
        self._waiting.append([*ends, *values])

    def _end_group(self) -> None:
        """Write the blob page, and put the raw parts into a page with those before."""
        if not self._waiting:
            return
        if self._raw_page.size + self._raw.size > self.page_size:
            self._end_raw_page()
        if self._raw_id is None:
            self._raw_id, self._next_page = self._next_page, self._next_page + 1
        shift = self._raw_page.size
        self._raw_groups.append({"id": self._group, "offset": shift})
        self._raw_page.content += self._raw.content
        count, marks = len(self._waiting), ", ".join("?" * (8 + 2 * len(self.indices)))
        self._index.executemany(
            f"INSERT INTO INDEXES VALUES({marks})",
            (
                (self._rows + number, self._raw_id, raw + shift, raw_end + shift, self._group,
                 self._blob.number, *rest)
                for number, (raw, raw_end, *rest) in enumerate(self._waiting)
            ),
        )  # fmt: skip
        self._write(self._blob.number, self._blob.content, {
            "end_row_id": self._rows + count, "page_type": "BLOB_DATA",
            "page_type_id": self._blob_pages, "row_group_ids": [{"id": 0, "offset": 0}],
            "start_row_id": self._rows,
        })  # fmt: skip
        self._rows, self._group, self._blob_pages = (
            self._rows + count, self._group + 1, self._blob_pages + 1
        )  # fmt: skip
        self._blob, self._raw, self._waiting = _Page(), _Page(), []

    def _end_raw_page(self) -> None:
        if self._raw_id is None:
            return
        self._write(self._raw_id, self._raw_page.content, {
            "end_row_id": 0, "page_type": "RAW_DATA", "page_type_id": self._raw_pages,
            "row_group_ids": self._raw_groups, "start_row_id": 0,
        })  # fmt: skip
        self._raw_pages += 1
        self._raw_page, self._raw_groups, self._raw_id = _Page(), [], None

    def _write(self, number: int, content: bytearray, said: dict[str, Any]) -> None:
        page = {"page_id": number, "page_size": len(content), "shard_id": self.number, **said}
        self._pages.append(page)
        self._file.seek(self.header_size + number * self.page_size)
        self._file.write(content)

    def finish(self, names: Sequence[str]) -> None:
        self._end_group()
        self._end_raw_page()
        schema = {
            "blob_fields": self.schema.blobs, "desc": self.schema.description,
            "schema": dict(sorted(self.schema.fields.items())),
        }  # fmt: skip
        indices = [{"index_field": name, "schema_id": 0} for name in self.indices]
        header = {
            "header_size": self.header_size,
            "index_fields": indices or None,
            "page": sorted(self._pages, key=lambda page: page["page_id"]),
            "page_size": self.page_size, "compression_size": self._saved, "schema": [schema],
            "shard_addresses": list(names), "shard_id": self.number, "statistics": None,
            "version": VERSION,
        }  # fmt: skip
        data = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
        if len(data) + 8 > self.header_size:
            raise fail(
                "E0404", f"the header takes {len(data) + 8} bytes, {self.header_size} are there",
                help="set_header_size, or larger pages, before rows are written",
            )  # fmt: skip
        try:
            self._file.seek(0)
            self._file.write(struct.pack("<Q", len(data)) + data)
            self._file.truncate(max(self._file.seek(0, os.SEEK_END), self.header_size))
            self._index.commit()
            self.close()
            for path in (self.path, f"{self.path}.db"):
                os.chmod(path, 0o600)
        except (OSError, sqlite3.Error) as error:
            raise fail("E0604", f"{self.path} cannot be written: {error}") from error

    def close(self) -> None:
        """Let the files be, as far as they are written."""
        self._file.close()
        self._index.close()


def _headed(path: Path) -> tuple[BinaryIO, dict[str, Any]]:
    """A file that is there, opened for reading and writing, and its header."""
    try:
        file = open(path, "r+b")
    except OSError as error:
        raise fail("E0604", f"{path} cannot be written: {error.strerror or error}") from error
    try:
        start = file.read(8)
        size = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        header = header_of(path, start + file.read(min(size, HEADER[1])))
        require_version(path, header.get("version"))
    except BaseException:  # Ctrl-C as well: nobody else has the file yet
        file.close()
        raise
    return file, header


class _Page:
    """Parts of rows, each behind its length."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.number = 0

    @property
    def size(self) -> int:
        return len(self.content)

    def put(self, part: bytes) -> tuple[int, int]:
        """Where `part` begins, its length included, and ends."""
        begin = len(self.content)
        self.content += struct.pack("<Q", len(part)) + part
        return begin, len(self.content)


def checked_name(file_name: Any) -> Path:
    """The path of a file; E0303 and E0404 for what is none."""
    if not isinstance(file_name, (str, os.PathLike)):
        raise fail("E0303", f"file_name is a str, got {file_name!r}")
    path = Path(os.fspath(file_name))
    if not path.name or set(path.name) & FORBIDDEN or path.name != path.name.strip(" "):
        raise fail("E0404", f"no file of MindRecord has the name {path.name!r}")
    return path


def _checked_size(argument: str, size: Any, bounds: tuple[int, int, int]) -> int:
    least, most, _ = bounds
    if type(size) is not int or not least <= size <= most or size % 4:
        raise fail("E0404", f"{argument} is from {least} to {most} and divided by 4, got {size!r}")
    return size


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
