"""Methods that compare, and that ask about single numbers."""

from __future__ import annotations

from s2sad.ops import comparison

METHODS = {
    "__lt__": comparison.less, "__le__": comparison.less_equal, "__gt__": comparison.greater,
    "__ge__": comparison.greater_equal, "__eq__": comparison.equal, "__ne__": comparison.not_equal,
    "allclose": comparison.allclose, "eq": comparison.equal, "equal": comparison.equal,
    "ge": comparison.greater_equal, "greater": comparison.greater,
    "greater_equal": comparison.greater_equal, "gt": comparison.greater,
    "isclose": comparison.isclose, "isfinite": comparison.isfinite, "isinf": comparison.isinf,
    "isnan": comparison.isnan, "le": comparison.less_equal, "less": comparison.less,
    "less_equal": comparison.less_equal, "lt": comparison.less,
    "nan_to_num": comparison.nan_to_num, "ne": comparison.not_equal,
    "not_equal": comparison.not_equal,
}  # fmt: skip
