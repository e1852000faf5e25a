"""Are two lists of run-time values the same, bit for bit?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.ir.types import StackValue, TokenType, type_of


def assert_same(found: Sequence[Any], expected: Sequence[Any]) -> None:
    """Types agree, and all elements: -0.0 is not 0.0, a NaN is any NaN."""
    assert list(map(type_of, found)) == list(map(type_of, expected))
    for a, b in zip(found, expected, strict=True):
        if isinstance(a, TokenType):
            continue
        if isinstance(a, StackValue):
            assert_same(list(a), list(b))
        else:
            assert_same_array(np.asarray(a), np.asarray(b))


def assert_same_array(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_array_equal(a, b)
    if a.dtype.kind == "f":
        numbers = ~np.isnan(a)
        np.testing.assert_array_equal(np.signbit(a)[numbers], np.signbit(b)[numbers])
