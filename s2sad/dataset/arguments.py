"""Are the numbers and flags that a user gives of the right form?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail


def whole(name: str, value: Any, least: int) -> int:
    """`value` as an int.

    Raises
    ------
    S2sadError
        E0303 for no int, E0404 for one below `least`.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise fail("E0303", f"{name} is an int, got {value!r}")
    if value < least:
        raise fail("E0404", f"{name} is {least} or more, got {value}")
    return int(value)


def optional(name: str, value: Any, least: int = 1) -> int | None:
    """`value` as an int, or None; 0 is None as well, as MindSpore takes it for no limit."""
    return None if value is None or value == 0 else whole(name, value, least)


def flag(name: str, value: Any) -> bool:
    """`value`, if it is a bool; else E0303."""
    if not isinstance(value, bool):
        raise fail("E0303", f"{name} is True or False, got {value!r}")
    return value


def chance(name: str, value: Any) -> float:
    """`value`, if it is a probability; else E0404."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise fail("E0404", f"{name} is a number from 0 to 1, got {value!r}")
    return float(value)
