"""Where in the user's source does a value come from, and through which calls?"""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from types import FrameType

PACKAGE = str(Path(__file__).parent.parent) + os.sep


@dataclass(frozen=True)
class Location:
    """Part of a source file, with the chain of calls that led there.

    Attributes
    ----------
    file : str
        Path as Python's code objects give it.
    line, column : int
        Line from 1, column from 0, as in `ast`: columns count the bytes of UTF-8.
    caller : Location or None
        Where the function that holds this place was called.
    end_column : int or None
        Column after the expression. Not part of the text form.
    end_line : int or None
        Where `end_column` is on another line, that line. Not part of the text form.
    is_adjoint : bool
        Whether what stems from there is the adjoint of what stands there: a step of the backward
        sweep. Not part of the text form, nor of what makes two locations equal.
    """

    file: str
    line: int
    column: int
    caller: Location | None = None
    end_column: int | None = None
    end_line: int | None = None
    is_adjoint: bool = field(default=False, compare=False)

    def chain(self) -> Iterator[Location]:
        """This location, then its callers, innermost first."""
        place: Location | None = self
        while place is not None:
            yield place
            place = place.caller

    @property
    def of_user(self) -> Location:
        """The innermost place that a user wrote; this one where s2sad alone led here."""
        return next((place for place in self.chain() if not place.is_own), self)

    @property
    def is_own(self) -> bool:
        """Whether it lies in s2sad itself, and so is not what a user wrote."""
        return self.file.startswith(PACKAGE) or self.file in _own_names()

    def __str__(self) -> str:
        return " < ".join(f"{place.file}:{place.line}:{place.column}" for place in self.chain())


@cache
def _own_names() -> frozenset[str]:
    """The files of s2sad as dumps name them: ``s2sad/nn/basic.py``."""
    folder = Path(PACKAGE)
    return frozenset(x.relative_to(folder.parent).as_posix() for x in folder.rglob("*.py"))


#: A module with this global is called by no code of the user's: it is the command line.
ENTRY = "__is_entry__"

current: ContextVar[Location | None] = ContextVar("location", default=None)
scope: ContextVar[str] = ContextVar("scope", default="")


@contextmanager
def at(location: Location | None) -> Iterator[Location | None]:
    """Make `location`, which is given, the origin of the operations and errors made inside."""
    token = current.set(location)
    try:
        yield location
    finally:
        current.reset(token)


@contextmanager
def origin(location: Location | None, full_scope: str) -> Iterator[None]:
    """Make `location` and `full_scope` those of the operations made inside."""
    place, outer = current.set(location), scope.set(full_scope)
    try:
        yield
    finally:
        current.reset(place)
        scope.reset(outer)


@contextmanager
def within(name: str) -> Iterator[None]:
    """Append `name` (a Cell's path and class) to the scope of the operations made inside."""
    outer = scope.get()
    token = scope.set(f"{outer}/{name}" if outer else name)
    try:
        yield
    finally:
        scope.reset(token)


def caller() -> Location | None:
    """Where the nearest code outside of s2sad stands: the user's line of an eager call.

    Python's own library is passed by: it stands between s2sad and itself, as `contextlib` does.
    None when nothing else is on the stack.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (is_own(frame) or is_of_python(frame.f_code.co_filename)):
        frame = None if ENTRY in frame.f_globals else frame.f_back
    return None if frame is None else _position(frame)


def is_own(frame: FrameType) -> bool:
    """Whether code of s2sad runs in `frame`; what `dataclass` writes for it is in no file."""
    file = frame.f_code.co_filename
    is_written = file == "<string>" and frame.f_globals.get("__name__", "").startswith("s2sad.")
    return is_written or file.startswith(PACKAGE)


@cache
def _libraries() -> tuple[str, tuple[str, ...]]:
    """Where Python's own library lies, and what is installed, which may lie inside of it."""
    paths = sysconfig.get_paths()
    return paths["stdlib"] + os.sep, (paths["purelib"] + os.sep, paths["platlib"] + os.sep)


def is_of_python(file: str) -> bool:
    """Whether `file` belongs to Python's own library."""
    library, installed = _libraries()
    is_installed = file.startswith(installed)
    return file.startswith("<frozen ") or (file.startswith(library) and not is_installed)


def here() -> Location | None:
    """What an error made now is about: the current location, else the user's line of an eager call.

    None where there is no source to show: at a prompt, and in generated code, for which whoever
    runs it knows a better place.
    """
    place = current.get()
    if place is None:
        place = caller()
        place = None if place is None or place.file.startswith("<") else place
    return place


def _position(frame: FrameType) -> Location:
    """The expression that `frame` is evaluating; its whole line before Python 3.11."""
    file, line = frame.f_code.co_filename, frame.f_lineno
    if sys.version_info >= (3, 11):
        found = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
        start, stop, column, end = found
        if start is not None and column is not None:
            # Of what goes on below, which may be the whole of a loop, its first line is shown.
            first = end if stop == start else len(_text(file, start))
            return Location(file, start, column, None, first)
    text = _text(file, line)
    return Location(file, line, len(text) - len(text.lstrip()), None, len(text) or None)


def _text(file: str, line: int) -> bytes:
    return linecache.getline(file, line).rstrip().encode()
