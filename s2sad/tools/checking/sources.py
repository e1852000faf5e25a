"""Which files are to be checked, and what is their text?"""

from __future__ import annotations

import io
import os
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from s2sad.core.diagnostics import S2sadError, fail


@dataclass(frozen=True)
class Source:
    """A file and its text, lines ended by line feeds, without a byte order mark."""

    file: str
    text: str


def sources(paths: Iterable[str], unreadable: Callable[[S2sadError], None]) -> Iterator[Source]:
    """The files at `paths`, each once, and those in folders among them.

    Parameters
    ----------
    paths : iterable of str
        Of a folder all files ``*.py`` count, in the order of their names, however deep. What
        begins with a dot is left out, as ``.venv`` is, unless `paths` name it.
    unreadable : callable
        Gets E0604 for each that cannot be read; the others are read all the same.
    """
    seen: set[str] = set()
    for path in paths:
        for file in _files(path, unreadable):
            real = os.path.realpath(file)
            if real in seen:
                continue
            seen.add(real)
            try:
                yield Source(file, read(file))
            except S2sadError as error:
                unreadable(error)


def _files(path: str, unreadable: Callable[[S2sadError], None]) -> Iterator[str]:
    def note(error: OSError) -> None:
        unreadable(_unread(str(error.filename), error))

    if not os.path.isdir(path):
        yield path
        return
    for folder, inner, files in os.walk(path, onerror=note):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        yield from (
            os.path.join(folder, name)
            for name in sorted(files)
            if name.endswith(".py") and not name.startswith(".")
        )


def read(file: str) -> str:
    """The text of `file`, in the encoding that it says, UTF-8 by default (E0604)."""
    if os.path.exists(file) and not os.path.isfile(file):
        raise fail("E0604", f"{file} is no file and no folder")
    try:
        data = Path(file).read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return io.TextIOWrapper(io.BytesIO(data), encoding).read()
    except (OSError, SyntaxError, UnicodeError) as error:
        raise _unread(file, error) from None


def _unread(file: str, error: Exception) -> S2sadError:
    why = error.strerror if isinstance(error, OSError) else error
    return fail("E0604", f"{file} cannot be read: {why}")
