"""What does a user read when something is wrong?

A diagnostic is data: code, message, location, label, notes, help. The code decides the Python
class of the exception as well, so that ``except TypeError`` works and Python itself draws the
caret for syntax errors. `fail` makes the exception; the caller raises it.
"""

from __future__ import annotations

import linecache
from dataclasses import dataclass

from s2sad.core import location as locations
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


def _excerpt(place: Location, label: str) -> list[str]:
    text = linecache.getline(place.file, place.line).rstrip("\n")
    lines = [f"  --> {place.file}:{place.line}:{place.column}"]
    if text:
        margin = " " * len(str(place.line))
        stop = place.end_column if place.end_column is not None else place.column + 1
        caret = "^" * max(1, min(stop, len(text)) - place.column)
        lines += [
            f"{margin} |",
            f"{place.line} | {text}",
            f"{margin} | {' ' * place.column}{caret} {label}".rstrip(),
        ]
    lines += [f"   = called at {c.file}:{c.line}:{c.column}" for c in list(place.chain())[1:]]
    return lines


class S2sadSyntaxError(S2sadError, SyntaxError):
    """E01: Python that a compiled function may not contain."""


class S2sadNameError(S2sadError, NameError):
    """E02: a name that is not bound."""


class S2sadAttributeError(S2sadError, AttributeError):
    """E022x: an attribute that does not exist."""


class S2sadUnboundLocalError(S2sadError, UnboundLocalError):
    """E021x: a local variable that is not bound on every path."""


class S2sadTypeError(S2sadError, TypeError):
    """E0300 to E0303, E031x: types and argument counts."""


class S2sadValueError(S2sadError, ValueError):
    """E04: shapes and values."""


class S2sadIndexError(S2sadError, IndexError):
    """E05: indices out of range."""


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
    "E06": S2sadFileError,
    "E0701": S2sadAssertionError,
    "E0702": S2sadFloatingPointError,
    "E07": S2sadRuntimeError,
    "E09": S2sadInternalError,
}


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
    """Exception for the diagnostic described; the current location is used where none is given.

    Examples
    --------
    >>> raise fail("E0401", "matmul needs equal inner sizes, got 3 and 4")
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadValueError: [E0401] matmul needs equal inner sizes, got 3 and 4
    """
    place = location if location is not None else locations.current.get()
    diagnostic = Diagnostic(code, message, place, label, notes, help)
    error = class_of(code)(diagnostic.render())
    error.diagnostic = diagnostic
    if isinstance(error, SyntaxError) and place is not None:
        error.filename, error.lineno, error.offset = place.file, place.line, place.column + 1
        error.text = linecache.getline(place.file, place.line) or None
    return error
