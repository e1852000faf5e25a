"""Are settings, which are no tensors, of the form and size that they must have?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown


def flag(name: str, given: Any) -> bool:
    """`given`, which must be True or False (E0303)."""
    if not isinstance(given, bool):
        raise fail("E0303", f"{name} is True or False, got {shown(given)}")
    return given


def integer(name: str, given: Any, least: int | None = None) -> int:
    """`given`, which must be an int (E0303) of at least `least` (E0404), if that is given.

    Examples
    --------
    >>> integer("in_channels", 3, 1)
    3
    """
    if isinstance(given, bool) or not isinstance(given, int):
        raise fail("E0303", f"{name} is an int, got {shown(given)}")
    if least is not None and given < least:
        raise fail("E0404", f"{name} is at least {least}, got {given}")
    return given


def integers(name: str, given: Any, least: int | None = None) -> tuple[int, ...]:
    """`given`, a tuple or list of one int or more (E0303), each as `integer` has it.

    Examples
    --------
    >>> integers("normalized_shape", [2, 3], 1)
    (2, 3)
    """
    if not isinstance(given, (tuple, list)) or not given:
        raise fail(
            "E0303", f"{name} is a tuple of int, got {shown(given)}",
            help=f"write ({given},)" if isinstance(given, int) else None,
        )  # fmt: skip
    return tuple(integer(name, entry, least) for entry in given)


def number(name: str, given: Any) -> int | float:
    """`given`, which must be a Python number, and no bool (E0303)."""
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise fail("E0303", f"{name} is a number, got {shown(given)}")
    return given


def positive(name: str, given: Any) -> float:
    """`given`, a Python number (E0303) above 0 and finite (E0404), as a float."""
    if not 0 < number(name, given) < float("inf"):
        raise fail("E0404", f"{name} is positive and finite, got {given}")
    return float(given)


def not_negative(name: str, given: Any) -> float:
    """`given`, a Python number (E0303) from 0 on and finite (E0404), as a float."""
    if not 0 <= number(name, given) < float("inf"):
        raise fail("E0404", f"{name} is finite and not negative, got {given}")
    return float(given)


def fraction(name: str, given: Any) -> float:
    """`given`, a Python number (E0303) from 0 to 1 (E0404), as a float."""
    if not 0 <= number(name, given) <= 1:
        raise fail("E0404", f"{name} is from 0 to 1, got {given}")
    return float(given)
