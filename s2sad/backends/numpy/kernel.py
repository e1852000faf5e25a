"""What does an emitted program call for an operation that has no shorter expression?

A kernel is the meaning of a primitive, made to fit: narrow floats are widened before and rounded
once after, a 0-d operand is an array, as meanings expect, and one result is no tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir.graph import Operation
from s2sad.ir.primitive import Primitive, Trait
from s2sad.ir.types import TensorType, Type

Kernel = Callable[..., Any]


def is_narrow(type: Type) -> bool:  # noqa: A002
    """Whether elements are held in 16 bits and computed with in 32."""
    return isinstance(type, TensorType) and type.dtype.is_narrow


def is_raw(prim: Primitive) -> bool:
    """Whether the meaning takes and gives arrays as they are stored."""
    return prim.has(Trait.MOVES) or prim.is_composite or bool(prim.regions)


def signature(operation: Operation, *, in_place: bool) -> tuple[Any, ...]:
    """What the kernel depends on; attributes and regions are given with each call."""
    scalars = tuple(_scalars(operation))
    return operation.prim, in_place, scalars, _finish(operation), len(operation.results)


def kernel(operation: Operation, *, in_place: bool) -> Kernel:
    """Function from operands, attributes and regions to the result, or a tuple of several.

    Parameters
    ----------
    operation : Operation
    in_place : bool
        Whether the first operand may be overwritten.
    """
    prim, compute = operation.prim, operation.prim.meaning
    finish, scalars = _finish(operation), tuple(_scalars(operation))
    if finish is not None:
        compute = partial(_rounded, compute, finish)
    if scalars:
        compute = partial(_with_arrays, compute, scalars)
    if in_place:
        assert prim.in_place is not None
        write = partial(_with_arrays, prim.in_place, scalars) if scalars else prim.in_place
        return partial(overwrite, write, compute)
    if len(operation.results) == 1 and (is_raw(prim) or prim.has(Trait.EFFECT)):
        return partial(_only, compute)
    return compute


def _finish(operation: Operation) -> tuple[dtypes.DType | None, ...] | None:
    """The narrow dtype of each result, None for another; None where nothing is narrow."""
    types = [value.type for value in operation.results]
    operands = [value.type for value in operation.operands]
    if is_raw(operation.prim) or not any(map(is_narrow, (*operands, *types))):
        return None
    return tuple(t.dtype if isinstance(t, TensorType) and is_narrow(t) else None for t in types)


def _scalars(operation: Operation) -> Iterator[int]:
    """Places of the 0-d operands: what an expression computes for one is a NumPy scalar."""
    for place, value in enumerate(operation.operands):
        if isinstance(value.type, TensorType) and not value.type.shape:
            yield place


def _with_arrays(compute: Kernel, scalars: tuple[int, ...], *operands: Any, **attrs: Any) -> Any:
    arrays = list(operands)
    for place in scalars:
        arrays[place] = np.asarray(arrays[place])
    return compute(*arrays, **attrs)


def _only(compute: Kernel, *operands: Any, **attrs: Any) -> Any:
    """The only result, which may come in a tuple."""
    result = compute(*operands, **attrs)
    return result[0] if type(result) is tuple else result


def _rounded(
    compute: Kernel, finish: tuple[dtypes.DType | None, ...], *operands: Any, **attrs: Any
) -> Any:
    """Narrow floats widened before, and rounded once after."""
    results = compute(*map(_widened, operands), **attrs)
    if type(results) is not tuple:
        return _narrowed(results, finish[0])
    return tuple(map(_narrowed, results, finish))


def _widened(operand: Any) -> Any:
    is_array = isinstance(operand, (np.ndarray, np.generic))
    return dtypes.widen(operand) if is_array else operand  # type: ignore[arg-type]


def _narrowed(result: Any, dtype: dtypes.DType | None) -> Any:
    return result if dtype is None else dtypes.narrow(result, dtype)


def overwrite(
    write: Callable[..., None], compute: Kernel, target: np.ndarray, *rest: Any, **attrs: Any
) -> np.ndarray:
    """What `compute` gives, written into `target` where that is possible.

    It is not for a read-only array: a constant, or what others hold. Another layout than that of
    a new array is given up too: sums over it would be rounded in another order.
    """
    if not target.flags.carray:
        return compute(target, *rest, **attrs)
    write(target, *rest, **attrs)
    return target


def read_only(array: Any) -> np.ndarray:
    """`array` for somebody who must not write into it."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def indices(start: Any, stop: Any, step: Any) -> Iterator[np.int64]:
    """The indices of a counted loop, as i64 (E0404 for a step of 0)."""
    if not step:
        raise fail("E0404", "the step of `range` must not be 0")
    return map(np.int64, range(int(start), int(stop), int(step)))
