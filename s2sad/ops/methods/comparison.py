"""Which methods of Tensor compare, ask about single numbers, or choose?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import comparison, signs


def _is_equal(tensor: Any, other: Any) -> Any:
    """``tensor == other``: element by element, and False for None."""
    return False if tensor is None or other is None else comparison.equal(tensor, other)


def _is_not_equal(tensor: Any, other: Any) -> Any:
    """``tensor != other``: element by element, and True for None."""
    return True if tensor is None or other is None else comparison.not_equal(tensor, other)


def where(tensor: Any, condition: Any, y: Any) -> Any:
    """The tensor's own element where `condition` holds."""
    return comparison.where(condition, tensor, y)


METHODS = {
    "__eq__": _is_equal, "__ge__": comparison.greater_equal, "__gt__": comparison.greater,
    "__le__": comparison.less_equal, "__lt__": comparison.less, "__ne__": _is_not_equal,
    "allclose": comparison.allclose, "eq": comparison.equal, "equal": comparison.equal,
    "ge": comparison.greater_equal, "greater": comparison.greater,
    "greater_equal": comparison.greater_equal, "gt": comparison.greater,
    "isclose": comparison.isclose, "isfinite": comparison.isfinite, "isinf": comparison.isinf,
    "isnan": comparison.isnan, "isneginf": signs.isneginf, "isposinf": signs.isposinf,
    "le": comparison.less_equal, "less": comparison.less, "less_equal": comparison.less_equal,
    "lt": comparison.less, "nan_to_num": comparison.nan_to_num, "ne": comparison.not_equal,
    "not_equal": comparison.not_equal, "where": where,
}  # fmt: skip
