"""Which run-time values of a type show what is wrong?

Some elements stand at the edges of the dtype: NaNs with payloads, infinities, -0.0, subnormals,
the extremes. The rest are small, so that sums and products say something.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.graph import Function
from s2sad.ir.types import StackType, StackValue, TensorType, Token, TokenType, Type


def random_inputs(function: Function, seed: int) -> list[Any]:
    """Run-time values of the types that `function` takes, always the same for a seed."""
    random = np.random.default_rng([zlib.crc32(b"inputs"), seed & 0xFFFFFFFF])
    return [random_value(type, random) for type in function.input_types]


def random_value(type: Type, random: np.random.Generator) -> Any:  # noqa: A002
    """Run-time value of `type`: an array, a stack of a few, or the token."""
    if isinstance(type, StackType):
        arrays = [random_array(type.element, random) for _ in range(random.integers(3))]
        return StackValue(type.element, arrays)
    return Token if isinstance(type, TokenType) else random_array(type, random)


def random_array(type: TensorType, random: np.random.Generator) -> np.ndarray:  # noqa: A002
    """Array of `type`, some elements of it at the edges of the dtype."""
    dtype, shape = type.dtype, type.shape
    if dtype is dtypes.bool_:
        return np.asarray(random.random(shape) < 0.5)
    edges = edge_values(dtype)
    chosen = edges[random.integers(len(edges), size=shape)]
    if dtype.is_float:
        usual = dtypes.narrow(2 * random.standard_normal(shape), dtype)
    else:
        usual = np.asarray(random.integers(-4, 5, size=shape)).astype(dtype.storage)
    return np.asarray(np.where(random.random(shape) < 0.15, chosen, usual))


@cache
def edge_values(dtype: DType) -> np.ndarray:
    """Elements at the edges of `dtype`, in storage form."""
    if not dtype.is_float:
        least, most = np.iinfo(dtype.storage).min, np.iinfo(dtype.storage).max
        return np.array([least, most, 0, 1, most - 1], dtype.storage)
    fraction = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[dtype.short]
    sign, one = 1 << (dtype.bits - 1), 1 << fraction
    inf = sign - one
    quiet = inf | one >> 1
    patterns = [0, sign, 1, one, inf - 1, inf, inf | sign, quiet, quiet | sign | 5, quiet | 1]
    return np.array(patterns, f"u{dtype.itemsize}").view(dtype.storage)


@cache
def constant_array(type: TensorType, variant: int) -> np.ndarray:  # noqa: A002
    """The read-only array of `type` that is called `variant`; some are filled by one element."""
    seed = [zlib.crc32(repr(type).encode()), variant]
    array = random_array(type, np.random.default_rng(seed))
    if variant % 3 == 0 and array.size:
        array = np.full(type.shape, array.flat[0])
    array.flags.writeable = False
    return array
