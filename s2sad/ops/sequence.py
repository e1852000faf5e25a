"""Which numbers stand in a row, the same distance or the same factor apart?"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ir import dims
from s2sad.ir.dims import Symbolic
from s2sad.ops.creation import counted
from s2sad.ops.promotion import (
    as_dtype,
    as_operand,
    constant,
    dtype_of,
    holds,
    is_tensor,
    promote_floats,
)
from s2sad.ops.settings import integer
from s2sad.ops.varying import known_now


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Any:
    """``start, start + step, ...`` before `end`; one number alone is `end`, from 0.

    Parameters
    ----------
    start, end, step : number
        A Tensor must be known: compiled code takes none, for the length depends on it.
    dtype : DType, optional
        By default int64 for integers, else float32. Floats are computed in float64 and rounded
        once.

    Raises
    ------
    S2sadError
        E0305 for a Tensor in compiled code, E0404 for a step of 0 or one that is not finite.

    Examples
    --------
    >>> arange(3).asnumpy()
    array([0, 1, 2])
    >>> arange(1, 2, 0.5).asnumpy()
    array([1. , 1.5], dtype=float32)
    """
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (_plain_number(x, "the bounds of arange") for x in (start, end, step))
    is_whole = not any(isinstance(x, float) for x in (start, end, step))
    found = (dtypes.int64 if is_whole else dtypes.float32) if dtype is None else dtype_of(dtype)
    return _steps(start, step, _number_of_steps(start, end, step), found)


def _number_of_steps(start: Any, end: Any, step: Any) -> Any:
    bounds = start, end, step
    if any(isinstance(x, Symbolic) for x in bounds):
        return dims.ceil_div(end - start, step) if start <= end and step > 0 else len(
            builtins.range(start, end, step)
        )  # fmt: skip
    is_whole = all(isinstance(x, int) for x in bounds)
    possible = all(holds(dtypes.int64, x) if is_whole else math.isfinite(x) for x in bounds)
    if step == 0 or not possible:
        raise fail("E0404", f"arange cannot go from {start} to {end} by {step}")
    if is_whole:
        return len(builtins.range(start, end, step))
    return max(math.ceil((end - start) / step), 0)


def _steps(start: Any, step: Any, length: int, dtype: DType) -> Any:
    """``start + i * step`` for `length` indices i, exact in integers, else rounded once."""
    is_whole = isinstance(start, int) and isinstance(step, int)
    made: Any = counted((length,), dtypes.int64 if is_whole else dtypes.float64)
    made = made if step == 1 else p.mul(made, step)
    made = made if start == 0 else p.add(made, start)
    return as_dtype(made, dtype)


def _plain_number(value: Any, what: str) -> Any:
    """`value`, a number of Python's; of a Tensor its one element, unless code is compiled."""
    value = as_operand(value)
    if not is_tensor(value):
        return int(value) if isinstance(value, bool) else value
    known_now(value, what, "give numbers, or a tensor of fixed length and a mask")
    return value.item()


def range(start: Any, end: Any, step: Any, maxlen: int = 1000000) -> Any:
    """``start, start + step, ...`` before `end`, at most `maxlen` of them: `arange`.

    Parameters
    ----------
    start, end, step : number, or Tensor with no axes
    maxlen : int

    Raises
    ------
    S2sadError
        As `arange`, and E0404 for more than `maxlen` elements.

    Examples
    --------
    >>> range(0, 6, 2).asnumpy()
    array([0, 2, 4])
    """
    made = arange(start, end, step)
    if made.shape[0] > maxlen:
        raise fail("E0404", f"range has {made.shape[0]} elements, and maxlen is {maxlen}")
    return made


def linspace(start: Any, end: Any, steps: int) -> Any:
    """`steps` numbers from `start` to `end`, both among them, the same distance apart.

    Parameters
    ----------
    start, end : number, or Tensor of floats
        Of Tensors each element gives a line along a new last axis; gradients flow through them.
    steps : int

    Returns
    -------
    Tensor
        float32 for numbers, computed in float64.

    Raises
    ------
    S2sadError
        E0303 when `steps` is no int, E0401 when the shapes of Tensors differ, E0404 for no steps.

    Examples
    --------
    >>> linspace(0, 1, 3).asnumpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    count = integer("steps", steps, 1)
    low, high = as_operand(start), as_operand(end)
    if is_tensor(low) or is_tensor(high):
        low, high = promote_floats(low, high)
        return _between(low, high, count)
    return constant(np.linspace(low, high, count), dtypes.float32)


def _between(low: Any, high: Any, steps: int) -> Any:
    """Lines from `low` to `high` along a new last axis; each end is met exactly."""
    part = np.arange(steps) / max(steps - 1, 1)
    ahead, back = (constant(x, low.dtype) for x in (part, 1 - part))
    low, high = (p.expand_dims(x, axis=-1) for x in (low, high))
    width = p.sub(high, low)
    from_low, from_high = p.add(low, p.mul(width, ahead)), p.sub(high, p.mul(width, back))
    return p.where(constant(part < 0.5, dtypes.bool_), from_low, from_high)


def logspace(
    start: Any, end: Any, steps: int, base: int = 10, *, dtype: Any = dtypes.float32
) -> Any:
    """`steps` powers of `base`, whose exponents run from `start` to `end` as in `linspace`.

    Parameters
    ----------
    start, end : number, or Tensor of floats
    steps : int
    base : int
    dtype : DType

    Raises
    ------
    S2sadError
        As `linspace`.

    Examples
    --------
    >>> logspace(0, 2, 3).asnumpy()
    array([  1.,  10., 100.], dtype=float32)
    """
    low, high = as_operand(start), as_operand(end)
    if is_tensor(low) or is_tensor(high):
        exponents = linspace(low, high, steps)
        return as_dtype(p.pow(constant(base, exponents.dtype), exponents), dtype_of(dtype))
    with np.errstate(all="ignore"):
        powers = np.float64(base) ** np.linspace(low, high, integer("steps", steps, 1))
    return constant(powers, dtype_of(dtype))
