"""What does an emitted program call for an operation that has no shorter expression?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.ir.graph import Operation
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType


def kernel(operation: Operation, *, in_place: bool) -> Callable[..., tuple[Any, ...]]:
    """Function from operands, and regions by keyword, to the tuple of results.

    Parameters
    ----------
    operation : Operation
    in_place : bool
        Whether the first operand may be overwritten.
    """
    prim = operation.prim
    if in_place:
        assert prim.in_place is not None
        return partial(_overwritten, partial(prim.in_place, **operation.attrs))
    compute = partial(prim.meaning, **operation.attrs) if operation.attrs else prim.meaning
    if prim.has(Trait.MOVES) or prim.is_composite or prim.regions:
        return partial(_as_they_are, compute)
    types = [v.type for v in operation.results]
    tensors = [v.type for v in operation.operands if isinstance(v.type, TensorType)]
    narrow = [t for t in (*tensors, *types) if isinstance(t, TensorType) and t.dtype.is_narrow]
    if not narrow:
        return partial(_as_they_are, compute)
    finish = [t.dtype if isinstance(t, TensorType) and t.dtype.is_narrow else None for t in types]
    return partial(_rounded, compute, finish)


def _overwritten(write: Callable[..., None], target: np.ndarray, *rest: Any) -> tuple[Any, ...]:
    write(target, *rest)
    return (target,)


def _as_they_are(compute: Callable[..., Any], *operands: Any, **regions: Any) -> tuple[Any, ...]:
    results = compute(*operands, **regions)
    return results if type(results) is tuple else (results,)


def _rounded(
    compute: Callable[..., Any], finish: list[dtypes.DType | None], *operands: Any
) -> tuple[Any, ...]:
    """Narrow floats widened before, and rounded once after."""
    wide = [dtypes.widen(x) if isinstance(x, (np.ndarray, np.generic)) else x for x in operands]
    results = _as_they_are(compute, *wide)
    return tuple(
        x if dtype is None else dtypes.narrow(x, dtype)
        for x, dtype in zip(results, finish, strict=True)
    )


def indices(start: Any, stop: Any, step: Any) -> Any:
    """The indices of a counted loop, as i64."""
    return map(np.int64, range(int(start), int(stop), int(step)))
