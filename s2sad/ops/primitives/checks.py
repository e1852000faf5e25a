"""What is a setting of an object checked by, and made into?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.shown import shown
from s2sad.ops.draws import integer_dtype
from s2sad.ops.primitives.base import Check
from s2sad.ops.settings import integer
from s2sad.ops.spatial import require_layout, sizes_of


def count(name: str, given: Any) -> int:
    """An int (E0303) of at least 1 (E0404)."""
    return integer(name, given, 1)


def of_integers(name: str, given: Any) -> DType:
    """A dtype of integers (E0301)."""
    return integer_dtype(given)


def text(name: str, given: Any) -> str:
    """A str (E0303)."""
    if not isinstance(given, str):
        raise fail("E0303", f"{name} is a str, got {shown(given)}")
    return given


def sizes(rank: int) -> Check:
    """An int for all of `rank` axes, or one for each (E0303), of at least 1 (E0404)."""
    return lambda name, given: sizes_of(name, given, rank)


def layout(what: str, *orders: str) -> Check:
    """One of these orders of axes, which have the channels first (E0404)."""

    def check(name: str, given: Any) -> Any:
        if given not in orders[1:]:
            require_layout(what, given, orders[0])
        return given

    return check
