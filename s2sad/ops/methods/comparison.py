"""Methods that compare."""

from __future__ import annotations

from s2sad.ops import comparison

METHODS = {
    "__lt__": comparison.less, "__le__": comparison.less_equal, "__gt__": comparison.greater,
    "__ge__": comparison.greater_equal, "__eq__": comparison.equal, "__ne__": comparison.not_equal,
}  # fmt: skip
