"""What is one value of a checkpoint: an array in the storage of its dtype, or a text."""

from __future__ import annotations

import math

import numpy as np

from s2sad.checkpoints.wire import MalformedError
from s2sad.core import dtypes
from s2sad.core.dtypes import DType

#: One value of a checkpoint; a ``uint16`` array holds bfloat16, as in a Tensor.
Entry = np.ndarray | str

#: As many axes as an array can have; NumPy before 2 has half of that.
AXES = 64


def as_bytes(array: np.ndarray) -> memoryview:
    """The elements in C order, the low byte of each first; a copy only where they lie otherwise."""
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return little.reshape(-1).view(np.uint8).data


def from_bytes(content: memoryview, dtype: DType, shape: tuple[int, ...], place: int) -> np.ndarray:
    """The array of `shape` whose elements are `content`, over the same memory.

    Parameters
    ----------
    content : memoryview
    dtype : DType
    shape : tuple of int
        Not negative.
    place : int
        In the file, for the message.

    Raises
    ------
    MalformedError
        Where `content` has another size, or holds truth values that are neither 0 nor 1.
    """
    if len(shape) > AXES:
        raise MalformedError(place, f"no array has {len(shape)} axes")
    size = math.prod(shape) * dtype.itemsize
    if size != len(content):
        raise MalformedError(
            place, f"{dtype.name} of shape {shape} has {size} bytes, {len(content)} are there"
        )
    stored = dtype.storage.newbyteorder("<")
    array = np.frombuffer(content, stored) if size else np.empty(0, stored)
    if dtype is dtypes.bool_ and size and np.frombuffer(content, np.uint8).max() > 1:
        raise MalformedError(place, "a truth value is neither 0 nor 1")
    try:
        return array.reshape(shape).astype(dtype.storage, copy=False)
    except ValueError as error:
        raise MalformedError(place, f"no array has the shape {shape}: {error}") from None
