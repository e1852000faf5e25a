"""What was made once and need not be made again: where does it lie, and is it as it was written?

An entry is a folder of files, named by a digest of all that it was made from. It appears whole or
not at all, it is checked when it is read, and the entries that were not used for the longest time
go when there are too many. Libraries are loaded from here and executed, so the folder must be the
user's own, and nobody else's to write.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from s2sad.core.cachefolder import default_folder, is_on, require_own, unusable
from s2sad.core.diagnostics import S2sadError, fail

#: Bytes that entries may take in all, where nobody said otherwise.
DEFAULT_LIMIT = 2**30
#: Seconds after which what a writer left behind is taken for that of one that was killed.
STALE = 3600.0
#: Part of the limit that may be written before all entries are counted again.
SLACK = 1 / 16

#: How often an entry is put in its place while others put and remove it there.
ATTEMPTS = 10

#: In each entry: digest and name of its other files, as ``sha256sum`` writes them.
SUMS = "sha256sums"
#: In the folder: bytes, where `Cache.set_limit` was called.
LIMIT = "limit"
#: How names begin of what is being written, or removed.
UNFINISHED = "."

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
         "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}  # fmt: skip


def digest(*parts: str | bytes) -> str:
    """SHA-256 of `parts`, which are told apart: moving text from one to the next changes it.

    Examples
    --------
    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    found = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(b"%d:" % len(data))
        found.update(data)
    return found.hexdigest()


def parse_size(text: str) -> int:
    """Bytes that `text` means: digits and a unit.

    Raises
    ------
    S2sadError
        E0404 for text of another form.

    Examples
    --------
    >>> parse_size("500MB"), parse_size("1.5 GiB"), parse_size("4096")
    (500000000, 1610612736, 4096)
    """
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?I?B|)", text.strip().upper())
    if found is None or found[2] not in UNITS:
        raise fail("E0404", f"{text!r} is no size", help="such as 500MB or 1.5GiB")
    return int(float(found[1]) * UNITS[found[2]])


def parse_bytes(name: str, given: Any) -> int | None:
    """Bytes that the argument `name` says: an int, or a text as for `parse_size`; None stays.

    Raises
    ------
    S2sadError
        E0303 for what is neither, E0404 for a negative number, or text of another form.
    """
    if given is None:
        return None
    if isinstance(given, str):
        given = parse_size(given)
    if isinstance(given, bool) or not isinstance(given, int):
        raise fail(
            "E0303", f"{name} is a number of bytes, got {given!r}",
            help='an int, or a text such as "16MB"',
        )  # fmt: skip
    if given < 0:
        raise fail("E0404", f"{name} is a number of bytes, got {given}")
    return given


def format_size(nbytes: int) -> str:
    """What `parse_size` reads, to three digits.

    Examples
    --------
    >>> format_size(999), format_size(1_234_567), format_size(2**30)
    ('999 B', '1.23 MB', '1.07 GB')
    """
    for unit in ("TB", "GB", "MB", "KB"):
        if nbytes >= UNITS[unit]:
            return f"{nbytes / UNITS[unit]:.3g} {unit}"
    return f"{nbytes} B"


@dataclass(frozen=True)
class Entry:
    """What is kept under one digest.

    Attributes
    ----------
    kind, digest : str
    path : Path
        Its folder.
    nbytes : int
    used : float
        When it was read last, in seconds since 1970.
    """

    kind: str
    digest: str
    path: Path
    nbytes: int
    used: float


class Cache:
    """Entries in a folder, which several processes may use at once.

    Parameters
    ----------
    folder : Path
        Made where it is missing, for nobody but the user.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._written: int | None = None  # bytes since entries were counted

    def find(self, kind: str, name: str) -> Path | None:
        """The folder of an entry, which is now the one used last; None where there is none.

        One that is not as it was written is removed.

        Parameters
        ----------
        kind : str
            Letters: ``"runtime"``.
        name : str
            Its `digest`.

        Raises
        ------
        S2sadError
            E0605 for a folder that others may write.
        """
        self._prepare()
        path = self._place(kind, name)
        if not is_whole(path):
            self._remove(path)
            return None
        with suppress(FileNotFoundError):  # removed since; what it held may be loaded already
            os.utime(path / SUMS)
        return path

    def store(self, kind: str, name: str, write: Callable[[Path], object]) -> Path:
        """Make an entry; its folder. Where another process was quicker, it is that one's.

        Parameters
        ----------
        kind, name : str
            As of `find`.
        write : callable
            Writes files, no folders, into the folder that it is given.

        Raises
        ------
        S2sadError
            E0605 where nothing can be written, and whatever `write` raises.
        """
        path = self._place(kind, name)
        with self.scratch(kind) as unfinished:
            write(unfinished)
            nbytes = _seal(unfinished)
            self._install(unfinished, path)
        self._note(nbytes, path)
        return path

    def entry(self, kind: str, name: str, write: Callable[[Path], object]) -> Path:
        """What `find` gives, or else `store`."""
        return self.find(kind, name) or self.store(kind, name, write)

    @contextmanager
    def scratch(self, kind: str = "") -> Iterator[Path]:
        """A new folder among the entries of a kind, which goes at the end.

        Raises
        ------
        S2sadError
            E0605 where nothing can be written.
        """
        self._prepare()
        try:
            (self.folder / kind).mkdir(0o700, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix=f"{UNFINISHED}new-", dir=self.folder / kind))
        except OSError as error:
            raise unusable(self.folder, str(error)) from error
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def remove(self, kind: str, name: str) -> None:
        """Remove an entry, if it is there (E0605 as of `find`)."""
        self._prepare()
        self._remove(self._place(kind, name))

    def entries(self) -> list[Entry]:
        """All entries, the one used last first."""
        self._prepare()
        found = [each for path in self._paths() if (each := _entry(path)) is not None]
        return sorted(found, key=lambda each: each.used, reverse=True)

    def usage(self) -> int:
        """Bytes of all entries."""
        return sum(each.nbytes for each in self.entries())

    def limit(self) -> int:
        """Bytes that entries may take: `S2SAD_CACHE_LIMIT`, what `set_limit` said, or 1 GiB."""
        chosen = os.environ.get("S2SAD_CACHE_LIMIT")
        if chosen:
            return parse_size(chosen)
        with suppress(OSError, ValueError):  # never set, or by another version
            return int((self.folder / LIMIT).read_text(encoding="ascii"))
        return DEFAULT_LIMIT

    def set_limit(self, nbytes: int) -> None:
        """Let entries take `nbytes`, from now on and in every process, and `trim`."""
        self._prepare()
        try:
            handle, name = tempfile.mkstemp(prefix=f"{UNFINISHED}new-", dir=self.folder)
            with open(handle, "w", encoding="ascii") as file:
                file.write(str(nbytes))
            os.replace(name, self.folder / LIMIT)
        except OSError as error:
            raise unusable(self.folder, str(error)) from error
        self.trim()

    def trim(self, keep: Collection[Path] = ()) -> None:
        """Remove entries beyond the limit, those first that were not used for the longest time.

        Those in `keep` stay. What writers left that were killed goes as well.
        """
        self._sweep()
        left, limit = self.entries(), self.limit()
        total = sum(each.nbytes for each in left)
        while left and total > limit:
            oldest = left.pop()
            if oldest.path not in keep:
                self._remove(oldest.path)
                total -= oldest.nbytes
        self._written = 0

    def clear(self) -> int:
        """Remove all entries; how many there were."""
        self._prepare()
        found = list(self._paths())
        for path in found:
            self._remove(path)
        self._sweep()
        return len(found)

    def _prepare(self) -> None:
        try:
            self.folder.mkdir(0o700, parents=True, exist_ok=True)
            require_own(self.folder)
        except OSError as error:
            if isinstance(error, S2sadError):
                raise
            raise unusable(self.folder, str(error)) from error

    def _place(self, kind: str, name: str) -> Path:
        assert re.fullmatch("[a-z]+", kind) and re.fullmatch("[0-9a-f]{16,}", name), (kind, name)
        return self.folder / kind / name

    def _paths(self) -> Iterator[Path]:
        """Folders of all entries, damaged ones included."""
        for kind in _folders(self.folder):
            if re.fullmatch("[a-z]+", kind.name):
                yield from (x for x in _folders(kind) if re.fullmatch("[0-9a-f]{16,}", x.name))

    def _install(self, unfinished: Path, path: Path) -> None:
        """Rename `unfinished` to `path`, unless there is a whole entry by now."""
        for attempt in range(ATTEMPTS):
            try:
                os.rename(unfinished, path)
                return
            except OSError as error:  # something is there
                if is_whole(path):
                    return
                self._remove(path)
                if attempt == ATTEMPTS - 1:
                    raise unusable(self.folder, str(error)) from error

    def _remove(self, path: Path) -> None:
        """Remove an entry at once for all who look, if it is there and nobody holds it open."""
        gone = path.with_name(f"{UNFINISHED}old-{os.getpid()}-{time.monotonic_ns()}")
        with suppress(OSError):  # another process did, or (on Windows) has loaded it
            os.rename(path, gone)
            shutil.rmtree(gone, ignore_errors=True)

    def _note(self, nbytes: int, path: Path) -> None:
        """Trim now and then: counting all entries takes longer than writing one."""
        first = self._written is None
        self._written = (self._written or 0) + nbytes
        if first or self._written > SLACK * self.limit():
            self.trim(keep=(path,))

    def _sweep(self) -> None:
        """Remove what was left by writers that were killed."""
        before = time.time() - STALE
        for kind in [self.folder, *_folders(self.folder)]:
            for path in kind.glob(f"{UNFINISHED}*"):
                with suppress(FileNotFoundError):
                    if path.lstat().st_mtime < before:
                        _erase(path)


def is_whole(path: Path) -> bool:
    """Whether the files of the entry at `path` are those that were written, no more and no less."""
    try:
        wanted = (path / SUMS).read_text(encoding="utf-8")
        return bool(wanted) and wanted == _sums(path)
    except (OSError, ValueError):
        return False


def _seal(path: Path) -> int:
    """Write down what the files in `path` are; the bytes of all."""
    text = _sums(path)
    (path / SUMS).write_text(text, encoding="utf-8", newline="\n")
    return sum(file.stat().st_size for file in path.iterdir())


def _sums(path: Path) -> str:
    files = sorted(file for file in path.iterdir() if file.name != SUMS)
    return "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files
    )


def _entry(path: Path) -> Entry | None:
    """What lies at `path`; None where it was removed just now."""
    try:
        nbytes = sum(file.stat().st_size for file in path.iterdir())
        sums = path / SUMS
        used = (sums if sums.exists() else path).stat().st_mtime
    except FileNotFoundError:
        return None
    return Entry(path.parent.name, path.name, path, nbytes, used)


def _folders(path: Path) -> list[Path]:
    if not path.is_dir():
        return []
    return [x for x in path.iterdir() if x.is_dir() and not x.is_symlink()]


def _erase(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def cache() -> Cache:
    """The cache that the environment says: one for all processes, or one of this process only.

    Raises
    ------
    S2sadError
        E0605 where there can be none.
    """
    return _opened(default_folder()) if is_on() else _private(os.getpid())


@functools.cache
def _opened(folder: Path) -> Cache:
    return Cache(folder)


@functools.cache
def _private(process: int) -> Cache:
    """A cache that goes when `process`, which is this one, ends; a fork has its own."""
    folder = Path(tempfile.mkdtemp(prefix="s2sad-cache-"))
    atexit.register(_remove_private, folder, process)
    return Cache(folder)


def _remove_private(folder: Path, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
