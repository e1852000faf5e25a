"""What does a user read when something is wrong?

A diagnostic is data: code, message, location, label, notes, help. The code decides the Python
class of the exception as well, so that ``except TypeError`` works and Python itself draws the
caret for syntax errors. `fail` makes the exception; the caller raises it.
"""

from __future__ import annotations

import difflib
import linecache
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from s2sad.core import location as locations
from s2sad.core.excerpt import excerpt, reached, split, users
from s2sad.core.location import Location


class S2sadError(Exception):
    """Mixin of every error that s2sad raises on purpose; `diagnostic` holds the data."""

    diagnostic: Diagnostic

    @property
    def code(self) -> str:
        return self.diagnostic.code


@dataclass(frozen=True)
class Diagnostic:
    """One finding, as data.

    Attributes
    ----------
    code : str
        ``"E0304"``: family E03, number 04; ``s2sad explain E0304`` says more.
    message : str
        What was found and what was expected, in the user's names and types.
    location : Location or None
        The very expression. None only where there is no source (arrays at the prompt).
    label : str
        Short text beside the caret.
    notes : tuple of str
        Facts that help, each a line.
    help : str or None
        One line of what to do.
    scope : str
        Of the Cell that was being read: ``"Net/fc:Dense"``.
    others : tuple of Diagnostic
        What else was found wrong on the way.
    """

    code: str
    message: str
    location: Location | None = None
    label: str = ""
    notes: tuple[str, ...] = ()
    help: str | None = None
    scope: str = ""
    others: tuple[Diagnostic, ...] = ()

    @property
    def place(self) -> Location | None:
        """The innermost place of the user's own: what the caret is under."""
        return None if self.location is None else users(self.location)[1]

    def render(self) -> str:
        """The text that a user reads, caret included."""
        lines = [f"[{self.code}] {self.message}"]
        if self.location is not None:
            lines += excerpt(self.location, self.label, self.scope)
        lines += [f"   = note: {note}" for note in self.notes]
        if self.help:
            lines.append(f"   = help: {self.help}")
        return "\n\n".join(["\n".join(lines), *(other.render() for other in self.others)])


class S2sadSyntaxError(S2sadError, SyntaxError):
    """E01: Python that a compiled function may not contain."""

    def __str__(self) -> str:
        return str(self.msg)  # SyntaxError's own would append the place, which the text has


class S2sadNameError(S2sadError, NameError):
    """E02: a name that is not bound."""


class S2sadAttributeError(S2sadError, AttributeError):
    """E022x: an attribute that does not exist."""


class S2sadImportError(S2sadError, ModuleNotFoundError):
    """E0223: a module, or a name of a module, that cannot be imported."""


class S2sadUnboundLocalError(S2sadError, UnboundLocalError):
    """E021x: a local variable that is not bound on every path."""


class S2sadTypeError(S2sadError, TypeError):
    """E03: types and argument counts."""


class S2sadValueError(S2sadError, ValueError):
    """E04: shapes and values."""


class S2sadIndexError(S2sadError, IndexError):
    """E05: indices out of range."""


class S2sadKeyError(S2sadError, KeyError):
    """E051: keys of a registry that are missing, taken or malformed."""

    def __str__(self) -> str:
        return str(self.args[0])  # KeyError's own would show the text as a literal, in one line


class S2sadFileError(S2sadError, OSError):
    """E06: files that are missing, damaged or of another version."""


class S2sadAssertionError(S2sadError, AssertionError):
    """E0701: an `assert` of the user's program failed at run time."""


class S2sadFloatingPointError(S2sadError, FloatingPointError):
    """E0702: a checked value is NaN or infinite."""


class S2sadRuntimeError(S2sadError, RuntimeError):
    """E07: a failure at run time without a class of its own."""


class S2sadInternalError(S2sadError, RuntimeError):
    """E09: a fault of s2sad itself."""


# The longest prefix that matches decides.
CLASSES: dict[str, type[S2sadError]] = {
    "E01": S2sadSyntaxError,
    "E02": S2sadNameError,
    "E021": S2sadUnboundLocalError,
    "E022": S2sadAttributeError,
    "E0223": S2sadImportError,
    "E03": S2sadTypeError,
    "E04": S2sadValueError,
    "E05": S2sadIndexError,
    "E051": S2sadKeyError,
    "E06": S2sadFileError,
    "E0701": S2sadAssertionError,
    "E0702": S2sadFloatingPointError,
    "E07": S2sadRuntimeError,
    "E09": S2sadInternalError,
}


#: Builtin exceptions that a compiled program may raise: those that one text makes.
RAISABLE: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (
        ArithmeticError, AssertionError, AttributeError, BufferError, ConnectionError, EOFError,
        Exception, FileExistsError, FileNotFoundError, FloatingPointError, ImportError, IndexError,
        InterruptedError, IsADirectoryError, KeyError, LookupError, MemoryError,
        ModuleNotFoundError, NameError, NotADirectoryError, NotImplementedError, OSError,
        OverflowError, PermissionError, RecursionError, ReferenceError, RuntimeError,
        StopAsyncIteration, StopIteration, SyntaxError, SystemError, TimeoutError, TypeError,
        UnboundLocalError, ValueError, ZeroDivisionError,
    )
}  # fmt: skip


def class_of(code: str) -> type[S2sadError]:
    """Exception class that `code` stands for.

    Examples
    --------
    >>> issubclass(class_of("E0301"), TypeError), issubclass(class_of("E0401"), ValueError)
    (True, True)
    """
    for length in range(len(code), 2, -1):
        if code[:length] in CLASSES:
            return CLASSES[code[:length]]
    raise KeyError(f"no error family for {code}")


def fail(
    code: str,
    message: str,
    *,
    location: Location | None = None,
    label: str = "",
    notes: tuple[str, ...] = (),
    help: str | None = None,
) -> S2sadError:
    """Exception for the diagnostic described; where no location is given, it is `location.here`.

    Examples
    --------
    >>> raise fail("E0401", "matmul needs equal inner sizes, got 3 and 4")
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadValueError: [E0401] matmul needs equal inner sizes, got 3 and 4
    """
    place = location if location is not None else locations.here()
    place = None if place is None else reached(place)
    error = class_of(code)()
    scope = locations.scope.get()
    _describe(error, Diagnostic(code, message, place, label, notes, help, scope))
    return error


def amend(error: S2sadError, **parts: Any) -> None:
    """Let the diagnostic of `error` have other `parts`, and its text say so."""
    _describe(error, replace(error.diagnostic, **parts))


def _describe(error: S2sadError, diagnostic: Diagnostic) -> None:
    """Let `error` say what `diagnostic` does."""
    text = diagnostic.render()
    error.diagnostic, error.args = diagnostic, (text,)
    if isinstance(error, SyntaxError):
        error.msg = text
        if diagnostic.location is not None:
            _fill_in(error, users(diagnostic.location)[1])


def locate(error: Exception, place: Location | None) -> None:
    """Give `error` a place in the user's source, if it has none; its traceback stays as it is.

    The text of an error of ours then shows the place, any other exception gets it as a note.
    """
    found = getattr(error, "diagnostic", None)
    known = found if isinstance(found, Diagnostic) else None
    if place is None or (known is not None and known.location is not None):
        return
    place = reached(place)
    if isinstance(error, S2sadError):
        amend(error, location=place)
        return
    if known is not None:
        error.diagnostic = replace(known, location=place)  # type: ignore[attr-defined]
    _note(error, place)


def _note(error: BaseException, place: Location) -> None:
    """Let the first note of `error` show `place`."""
    notes = getattr(error, "__notes__", [])
    error.__notes__ = ["\n".join(excerpt(place)), *notes]  # type: ignore[attr-defined]


def _add_note(error: BaseException, text: str) -> None:
    """What `add_note` of Python 3.11 does; 3.10 does not show it."""
    notes = getattr(error, "__notes__", [])
    error.__notes__ = [*notes, text]  # type: ignore[attr-defined]


def annotate(error: BaseException, text: str) -> None:
    """Let `error` say `text` as well: a note of its diagnostic, or of Python's."""
    if isinstance(error, S2sadError):
        amend(error, notes=(*error.diagnostic.notes, text))
    else:
        _add_note(error, text)


def help_of(error: BaseException) -> str | None:
    """What `error` says can be done, if it is one of ours."""
    return error.diagnostic.help if isinstance(error, S2sadError) else None


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Help that names the one of `known` closest to `name`; None where none is close.

    Examples
    --------
    >>> did_you_mean("mathmul", ["add", "matmul"]), did_you_mean("x", ["add"])
    ('did you mean matmul?', None)
    """
    cutoff = 0.75 if len(name) > 3 else 0.6  # one letter in four, or in three
    near = difflib.get_close_matches(name, list(known), 1, cutoff)
    return f"did you mean {near[0]}?" if near else None


def _fill_in(error: SyntaxError, place: Location) -> None:
    """Let Python draw the caret itself; it counts characters from 1."""
    linecache.checkcache(place.file)  # it may have been edited since it was read
    text = linecache.getline(place.file, place.line)
    before, under = split(text, place)
    error.filename, error.lineno, error.text = place.file, place.line, text or None
    error.offset = len(before) + 1
    error.end_lineno, error.end_offset = place.line, error.offset + max(1, len(under))


def raised(kind: str, *arguments: str) -> Exception:
    """Exception that the user's program raises: exactly `kind`, with its place as a note.

    Nothing about it is s2sad's but the note and `diagnostic` (E0703), so it is no `S2sadError`.

    Parameters
    ----------
    kind : str
        A key of `RAISABLE`.
    *arguments : str
        The text, or nothing.

    Examples
    --------
    >>> raise raised("KeyError", "w")
    Traceback (most recent call last):
      ...
    KeyError: 'w'
    """
    error = RAISABLE[kind](*arguments)
    note_raised(error)
    return error


def note_raised(error: Exception) -> None:
    """Let `error`, which the user's program raised just now, have its place as a note."""
    place = locations.current.get()
    text = ", ".join(map(str, error.args)) or type(error).__name__
    error.diagnostic = Diagnostic("E0703", text, place)  # type: ignore[attr-defined]
    if place is not None:
        _note(error, reached(place))
