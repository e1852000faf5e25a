"""What does a user read when something is wrong?

A diagnostic is data: code, message, location, label, notes, help. The code decides the Python
class of the exception as well, so that ``except TypeError`` works and Python itself draws the
caret for syntax errors. `fail` makes the exception; the caller raises it.
"""

from __future__ import annotations

import difflib
import linecache
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

from s2sad.core import location as locations
from s2sad.core.location import Location

#: Of a chain of calls, as many are shown at either end.
CALLS_SHOWN = 8


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
    """

    code: str
    message: str
    location: Location | None = None
    label: str = ""
    notes: tuple[str, ...] = ()
    help: str | None = None

    def render(self) -> str:
        """The text that a user reads, caret included."""
        lines = [f"[{self.code}] {self.message}"]
        if self.location is not None:
            lines += _excerpt(self.location, self.label)
        lines += [f"   = note: {note}" for note in self.notes]
        if self.help:
            lines.append(f"   = help: {self.help}")
        return "\n".join(lines)


def _users(place: Location) -> tuple[list[Location], Location]:
    """The innermost place of the user's, after those inside s2sad that were reached from it."""
    inner = []
    for each in place.chain():
        if not each.is_own:
            return inner, each
        inner.append(each)
    return [], place


def _excerpt(innermost: Location, label: str) -> list[str]:
    inner, place = _users(innermost)
    text = linecache.getline(place.file, place.line).rstrip()
    lines = [f"  --> {place.file}:{place.line}:{place.column}"]
    if text:
        margin = " " * len(str(place.line))
        before, under = _split(text, place)
        caret = "^" * max(1, _width(under))
        lines += [
            f"{margin} |",
            f"{place.line} | {text}",
            f"{margin} | {_blank(before)}{caret} {label}".rstrip(),
        ]
    reached = [f"   = inside {x.file}:{x.line}:{x.column}" for x in inner[:1]]
    return lines + reached + _calls(list(place.chain())[1:])


def _split(text: str, place: Location) -> tuple[str, str]:
    """What stands before the place in its line, and the place itself; columns count bytes."""
    raw = text.encode()
    stop = place.end_column if place.end_column is not None else place.column + 1
    before, under = raw[: place.column], raw[place.column : stop]
    return before.decode(errors="ignore"), under.decode(errors="ignore")


def _width(text: str) -> int:
    """Columns that a terminal gives to `text`: two for East Asian wide, none for combining."""
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def _blank(text: str) -> str:
    """White space as wide as `text`; its tabs stay, since a terminal chooses their width."""
    return "\t".join(" " * _width(part) for part in text.split("\t"))


def _calls(callers: list[Location]) -> list[str]:
    """A line a call, innermost first; the middle of a long chain is left out."""
    lines = [f"   = called at {c.file}:{c.line}:{c.column}" for c in callers]
    left_out = len(lines) - 2 * CALLS_SHOWN
    if left_out <= 1:
        return lines
    return [*lines[:CALLS_SHOWN], f"   = ... {left_out} more calls", *lines[-CALLS_SHOWN:]]


class S2sadSyntaxError(S2sadError, SyntaxError):
    """E01: Python that a compiled function may not contain."""

    def __str__(self) -> str:
        return str(self.msg)  # SyntaxError's own would append the place, which the text has


class S2sadNameError(S2sadError, NameError):
    """E02: a name that is not bound."""


class S2sadAttributeError(S2sadError, AttributeError):
    """E022x: an attribute that does not exist."""


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
    error = class_of(code)()
    _describe(error, Diagnostic(code, message, place, label, notes, help))
    return error


def _describe(error: S2sadError, diagnostic: Diagnostic) -> None:
    """Let `error` say what `diagnostic` does."""
    text = diagnostic.render()
    error.diagnostic, error.args = diagnostic, (text,)
    if isinstance(error, SyntaxError):
        error.msg = text
        if diagnostic.location is not None:
            _fill_in(error, _users(diagnostic.location)[1])


def locate(error: Exception, place: Location | None) -> None:
    """Give `error` a place in the user's source, if it has none; its traceback stays as it is.

    The text of an error of ours then shows the place, any other exception gets it as a note.
    """
    found = getattr(error, "diagnostic", None)
    known = found if isinstance(found, Diagnostic) else None
    if place is None or (known is not None and known.location is not None):
        return
    if isinstance(error, S2sadError):
        _describe(error, replace(error.diagnostic, location=place))
        return
    if known is not None:
        error.diagnostic = replace(known, location=place)  # type: ignore[attr-defined]
    _note(error, place)


def _note(error: Exception, place: Location) -> None:
    """What `add_note` of Python 3.11 does; 3.10 does not show it."""
    notes = getattr(error, "__notes__", [])
    error.__notes__ = [*notes, "\n".join(_excerpt(place, ""))]  # type: ignore[attr-defined]


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Help that names the one of `known` closest to `name`; None where none is close.

    Examples
    --------
    >>> did_you_mean("mathmul", ["add", "matmul"]), did_you_mean("x", ["add"])
    ('did you mean matmul?', None)
    """
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]}?" if near else None


def _fill_in(error: SyntaxError, place: Location) -> None:
    """Let Python draw the caret itself; it counts characters from 1."""
    text = linecache.getline(place.file, place.line)
    before, under = _split(text, place)
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
    place = locations.current.get()
    error.diagnostic = Diagnostic("E0703", "".join(arguments) or kind, place)  # type: ignore[attr-defined]
    if place is not None:
        _note(error, place)
    return error
