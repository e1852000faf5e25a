"""What does a program do to the world around it: print, assert, raise, check, read a queue?

Each operation takes a token first and gives one back, so its place in the order of effects is a
fact of the data flow. Tokens have no cotangent, and the values that an effect sees get none: a
program has the same gradient without its effects.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import RAISABLE, annotate, fail, raised
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Token, Type, as_type, bool_
from s2sad.prims import host
from s2sad.prims.define import primitive
from s2sad.prims.rules import is_float, require_kind, tensor

_NONDIFF = "an effect: neither its token nor what it sees has a cotangent"
# MOVES: values are shown as they are stored, f16 with the digits of f16.
_EFFECT = {Trait.EFFECT, Trait.MOVES}
_FALLIBLE = {*_EFFECT, Trait.FALLIBLE}
#: Effects that a map has once for each row; others count on being one.
ROW_BY_ROW = frozenset(("assert_", "check_finite", "print_", "raise_", "summarize"))


def require_token(token: Type) -> None:
    """`token` must be one (E0304)."""
    if token != Token:
        raise fail("E0304", f"an effect takes a token first, got {token}")


def _effect_type(token: Type, *values: Type, **attrs: Any) -> Type:
    require_token(token)
    for value in values:
        tensor(value, "value that an effect sees")
    return Token


def _check_text(text: Any, count: int) -> None:
    """`text` must have a field ``{}`` for each of `count` values (E0303, E0302)."""
    if not isinstance(text, str):
        raise fail("E0303", f"a text is a str, got {text!r}")
    try:
        fields = [part[1:] for part in string.Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        raise fail("E0303", f"the text {text!r} cannot be formatted: {error}") from None
    if any(name or conversion or "{" in (spec or "") for name, spec, conversion in fields):
        raise fail("E0303", f"the fields of the text {text!r} must be like {{}} or {{:.3f}}")
    if len(fields) != count:
        raise fail("E0302", f"the text {text!r} has {len(fields)} fields for {count} values")


def formatted(text: str, values: Sequence[Any]) -> str:
    """`text` with each field filled by a value, 0-d ones as numbers.

    >>> formatted("{} and {:.1f}", [np.array([1, 2]), np.array(0.25)])
    '[1 2] and 0.2'
    """
    return _Texts().format(text, *map(_shown, values))


class _Texts(string.Formatter):
    """Of a bare field, what `str` says: NumPy's numbers format themselves as Python floats."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return format(value, format_spec) if format_spec else str(value)


def _shown(value: np.ndarray) -> Any:
    wide = dtypes.bf16_to_f32(value) if value.dtype == np.uint16 else value
    return wide[()] if wide.ndim == 0 else wide


def _canonical_print(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    _check_text(attrs["format"], len(types) - 1)
    return attrs


@primitive(type=_effect_type, traits=_EFFECT, nondiff=_NONDIFF, canonical=_canonical_print, same=())
def print_(token, *values, format):  # noqa: A002 - as `str.format`
    r"""Writes a text with the values to standard output.

    Parameters
    ----------
    token : Token
    *values : Tensors of any dtype
    format : str
        With a field like ``{}`` or ``{:.3f}`` for each value; nothing is added at its end.

    Returns
    -------
    Token

    Raises
    ------
    S2sadError
        E0302 or E0303 if `format` does not go with the values, E0304 without a token.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> p.print_(Token, np.array([1.5, 2.0]), 3, format="x = {}, n = {}\n")
    x = [1.5 2. ], n = 3
    Token
    """
    print(formatted(format, values), end="")
    return token


def _canonical_rows(attrs: dict[str, Any]) -> None:
    rows = attrs["rows"]
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 0:
        raise fail("E0303", f"rows is the number of maps around, got {rows!r}")


def _in_row(error: Exception, values: Sequence[Any], rows: int) -> Exception:
    """`error`, which says in which row of the maps around it was raised."""
    if rows:
        numbers = [int(each) for each in values[len(values) - rows :]]
        annotate(error, f"in row {numbers if rows > 1 else numbers[0]} of what vmap maps")
    return error


def _assert_type(token: Type, condition: Type, *values: Type, message: str, rows: int) -> Type:
    if condition != bool_:
        raise fail("E0304", f"`assert` needs a scalar bool, got {condition}", help="reduce it")
    return _effect_type(token, *values)


def _canonical_assert(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    _canonical_rows(attrs)
    _check_text(attrs["message"], len(types) - 2 - attrs["rows"])
    return attrs


@primitive(
    type=_assert_type, traits=_FALLIBLE, nondiff=_NONDIFF, canonical=_canonical_assert, same=()
)
def assert_(token, condition, *values, message, rows=0):
    """Nothing where the condition holds, else an error with the message.

    Parameters
    ----------
    token : Token
    condition : scalar bool
    *values : Tensors of any dtype
        What the message shows; then the row of each map around.
    message : str
        With a field ``{}`` for each value that it shows.
    rows : int
        How many of the values are numbers of rows, the last ones: a note shows them.

    Returns
    -------
    Token

    Raises
    ------
    S2sadError
        E0701 (an AssertionError) where the condition does not hold; E0302, E0303 or E0304 for what
        does not fit.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> p.assert_(Token, np.array(True), 3, message="expected less than 3, got {}")
    Token
    """
    if not condition:
        raise _in_row(fail("E0701", formatted(message, values)), values, rows)
    return token


def _canonical_raise(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    if attrs["kind"] not in RAISABLE:
        raise fail(
            "E0404", f"a program cannot raise {attrs['kind']!r}",
            help="a builtin exception that is made of one text, such as ValueError",
        )  # fmt: skip
    _canonical_rows(attrs)
    count = len(types) - 1 - attrs["rows"]
    if attrs["message"] is not None:
        _check_text(attrs["message"], count)
    elif count:
        raise fail("E0302", f"an exception without a message shows no values, got {count}")
    return attrs


@primitive(
    type=_effect_type, traits=_FALLIBLE, nondiff=_NONDIFF, canonical=_canonical_raise, same=()
)
def raise_(token, *values, kind, message=None, rows=0):
    """Raises the builtin exception that is called `kind`, always.

    Parameters
    ----------
    token : Token
    *values : Tensors of any dtype
        What the message shows; then the row of each map around.
    kind : str
        Name of a builtin exception that is made of one text.
    message : str, optional
        With a field ``{}`` for each value that it shows. Without one the exception has no
        arguments.
    rows : int
        How many of the values are numbers of rows, the last ones: a note shows them.

    Returns
    -------
    Token
        Never; it lets what comes later be ordered.

    Raises
    ------
    Exception
        Exactly of the type `kind`, with the place in the program as a note.
    S2sadError
        E0404 for another `kind`; E0302, E0303 or E0304 for what does not fit.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> p.raise_(Token, 3, kind="KeyError", message="no row {}")
    Traceback (most recent call last):
      ...
    KeyError: 'no row 3'
    """
    arguments = () if message is None else (formatted(message, values),)
    raise _in_row(raised(kind, *arguments), values, rows)


def _finite_type(token: Type, x: Type, *, what: str) -> Type:
    require_kind(x, is_float, "floats")
    return _effect_type(token, x)


@primitive(type=_finite_type, traits={Trait.EFFECT, Trait.FALLIBLE}, nondiff=_NONDIFF, same=())
def check_finite(token, x, *, what="value"):
    """Nothing where all elements are finite, else an error that shows the first one that is not.

    Parameters
    ----------
    token : Token
    x : Tensor of floats
    what : str
        What `x` is, for the message.

    Returns
    -------
    Token

    Raises
    ------
    S2sadError
        E0702 (a FloatingPointError) for NaN or an infinity; E0301 if `x` is not float, E0304
        without a token.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> p.check_finite(Token, np.array([1.0, 2.0]), what="loss")
    Token
    """
    x = dtypes.widen(x)
    bad = ~np.isfinite(x)
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        place = f" at {list(index)}" if index else ""
        count = int(bad.sum())
        raise fail(
            "E0702", f"{count} elements of the {what} are not finite, {x[index]}{place} first"
        )
    return token


def _read_type(token: Type, *, types: tuple[TensorType, ...], queue: str) -> tuple[Type, ...]:
    require_token(token)
    return (Token, *types)


def _canonical_read(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(attrs["types"], tuple) or not isinstance(attrs["queue"], str):
        raise fail("E0303", f"a queue has a name and a tuple of types, got {attrs}")
    return {**attrs, "types": tuple(as_type(t) for t in attrs["types"])}


@primitive(type=_read_type, traits=_FALLIBLE, nondiff=_NONDIFF, canonical=_canonical_read)
def queue_read(token, *, types, queue):
    """Next item of a queue that the host feeds (`s2sad.prims.host`).

    Parameters
    ----------
    token : Token
    types : tuple of TensorType
        What an item holds.
    queue : str
        Name of the queue.

    Returns
    -------
    token : Token
    *values : Tensors of `types`

    Raises
    ------
    S2sadError
        E0512 if no queue has that name, E0706 at its end, E0303 if an item has other types.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.prims.host import feeding
    >>> from s2sad.ir.types import Token, i64
    >>> with feeding("rows", [np.array([1, 2])]):
    ...     p.queue_read(Token, types=(i64[2],), queue="rows")
    (Token, array([1, 2]))
    """
    return (token, *host.take(queue, types))
