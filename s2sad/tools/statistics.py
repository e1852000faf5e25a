"""What does one line say about an array?

Its type; the value where it is a scalar, else least, mean and greatest element; how many
elements are NaN or infinite. Those are counted and left out of the rest.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.literals import shortest
from s2sad.ir.types import StackValue, TokenType, type_of

HEADS = ("name", "type", "value", "min", "mean", "max", "NaN", "inf")


def row(name: str, value: Any) -> list[str]:
    """Texts for the columns `HEADS`; "" where there is nothing to say.

    Parameters
    ----------
    name : str
    value : array, stack or token

    Examples
    --------
    >>> row("x", np.array([1.0, np.nan, -3.0], np.float32))
    ['x', 'f32[3]', '', '-3', '-1', '1', '1', '0']
    >>> row("loss", np.array(0.1, np.float32))
    ['loss', 'f32', '0.1', '', '', '', '0', '0']
    """
    type = type_of(value)
    if isinstance(value, TokenType):
        return [name, repr(type), *[""] * 6]
    if isinstance(value, StackValue):
        return [name, repr(type), f"{len(value)} pushed", *[""] * 5]
    dtype = dtypes.BY_STORAGE[value.dtype]
    return [name, repr(type), *_numbers(value, dtype), *_counts(value, dtype)]


def _counts(array: np.ndarray, dtype: DType) -> list[str]:
    if not dtype.is_float:
        return ["", ""]
    numbers = dtypes.widen(array)
    return [str(np.count_nonzero(np.isnan(numbers))), str(np.count_nonzero(np.isinf(numbers)))]


def _numbers(array: np.ndarray, dtype: DType) -> list[str]:
    """Value, min, mean, max."""
    if array.ndim == 0:
        return [_scalar(array, dtype), "", "", ""]
    numbers = dtypes.widen(array)
    if dtype.is_float:
        numbers = numbers[np.isfinite(numbers)]
    if not numbers.size:
        return [""] * 4
    return ["", _short(numbers.min()), _short(mean(numbers)), _short(numbers.max())]


def _scalar(array: np.ndarray, dtype: DType) -> str:
    """All digits that tell a scalar from its neighbours."""
    if not dtype.is_float:
        return str(array.item())
    number = shortest(array, dtype)
    return repr(math.nan if number is None else number)


def mean(numbers: np.ndarray) -> float:
    """Mean of finite `numbers` in float64, without the sum's overflow.

    Examples
    --------
    >>> mean(np.array([1.5e308, 1.7e308]))
    1.6e+308
    """
    numbers = numbers.astype(np.float64)
    largest = float(np.abs(numbers).max())
    if largest == 0.0:
        return 0.0
    exponent = math.frexp(largest)[1]
    return math.ldexp(float(np.ldexp(numbers, -exponent).mean()), exponent)


def _short(number: Any) -> str:
    """Six digits of a float, all of an integer, False or True."""
    return f"{number:.6g}" if isinstance(number, (float, np.floating)) else str(number)
