"""How does a tensor look in text? As MindSpore prints it."""

from __future__ import annotations

import numpy as np

from s2sad.core import dtypes
from s2sad.core.dtypes import DType

#: Digits after the point in ``repr``, enough to tell apart any two values of one magnitude.
DIGITS = {"f16": 4, "bf16": 4, "f32": 8, "f64": 16}


def text(array: np.ndarray) -> str:
    """Elements of a tensor's storage as NumPy prints them.

    Examples
    --------
    >>> text(np.array([1.5, -2.0], np.float32))
    '[ 1.5 -2. ]'
    """
    return str(dtypes.widen(array)[()])


def description(array: np.ndarray, dtype: DType) -> str:
    """Shape, dtype and elements of a tensor's storage.

    Examples
    --------
    >>> description(np.array([1.5, -2.0], np.float32), dtypes.float32)
    'Tensor(shape=[2], dtype=Float32, value= [ 1.50000000e+00, -2.00000000e+00])'
    """
    gap = "\n" if array.ndim > 1 else " "
    return f"Tensor(shape={list(array.shape)}, dtype={dtype}, value={gap}{_values(array, dtype)})"


def _values(array: np.ndarray, dtype: DType) -> str:
    numbers = dtypes.widen(array)
    if not array.ndim:
        return str(numbers[()])
    if not dtype.is_float:
        return np.array2string(numbers, separator=", ")
    spelling = f"{{: .{DIGITS[dtype.short]}e}}".format
    return np.array2string(numbers, separator=", ", formatter={"float_kind": spelling})
