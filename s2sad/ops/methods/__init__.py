"""Operators and methods of Tensor, by name: one table a family.

Most are functions of `ops` as they stand. Where MindSpore takes two spellings, NumPy's (`axis`,
`keepdims`) and another (`dim`, `keepdim`), both are taken; by position the first is meant, but
for a bool, which is no axis or dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from s2sad.core.in_place import InPlace
from s2sad.ops.called import called
from s2sad.ops.methods import (
    activation,
    arithmetic,
    arrange,
    axes,
    cast,
    comparison,
    creation,
    exponential,
    hooks,
    in_place,
    index,
    join,
    linalg,
    logic,
    memory,
    random,
    reduce,
    rounding,
    scan,
    scattering,
    shapes,
    sorting,
    special,
    state,
    statistics,
    trigonometric,
)

METHODS: dict[str, Callable[..., Any]] = {
    **activation.METHODS, **arithmetic.METHODS, **arrange.METHODS, **axes.METHODS, **cast.METHODS,
    **comparison.METHODS, **creation.METHODS, **exponential.METHODS, **hooks.METHODS,
    **in_place.METHODS, **index.METHODS, **join.METHODS, **linalg.METHODS, **logic.METHODS,
    **memory.METHODS, **random.METHODS, **reduce.METHODS, **rounding.METHODS, **scan.METHODS,
    **scattering.METHODS, **shapes.METHODS, **sorting.METHODS, **special.METHODS, **state.METHODS,
    **statistics.METHODS, **trigonometric.METHODS,
}  # fmt: skip


def _faced(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """`method` as users call it."""
    if isinstance(method, InPlace):
        return InPlace(name, called(method.value, name))
    return called(method, name) if isinstance(method, FunctionType) else method


#: What no program computes: they are as they stand.
PLAIN = {**hooks.METHODS, **memory.METHODS}

METHODS.update({name: _faced(name, each) for name, each in METHODS.items() if name not in PLAIN})
