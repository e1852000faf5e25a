"""Operators and methods of Tensor, by name: one table a family.

Most are functions of `ops` as they stand. Where MindSpore takes two spellings, NumPy's (`axis`,
`keepdims`) and another (`dim`, `keepdim`), both are taken; by position the first is meant, but
for a bool, which is no axis or dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ops.methods import activation, arithmetic, comparison, linalg, reduce, shape

METHODS: dict[str, Callable[..., Any]] = {
    **activation.METHODS, **arithmetic.METHODS, **comparison.METHODS, **linalg.METHODS,
    **reduce.METHODS, **shape.METHODS,
}  # fmt: skip
