"""What is a transform? A function of one row's value, and of many rows at once where it can.

`batched`, where a class has it, gives for rows stacked along a new first axis what a call gives for
each of them, to the last bit, or None for rows that it cannot take so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor


class Transform:
    """Base of the transforms here, and MindSpore's name for that of a user's: a callable object."""

    def __call__(self, *values: Any) -> Any:
        raise fail("E0304", f"the transform {type(self).__name__} defines no __call__")

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in sorted(vars(self).items()))
        return f"{type(self).__name__}({said})"


class OfArray(Transform, ABC):
    """A transform of one array that is computed by NumPy: classes define `compute`."""

    def __call__(self, value: Any) -> np.ndarray:
        return self.compute(array_of(value, self))

    @abstractmethod
    def compute(self, value: np.ndarray) -> np.ndarray:
        """The result for one row."""


def array_of(value: Any, transform: object) -> np.ndarray:
    """What a transform was called with, as an array.

    Raises
    ------
    S2sadError
        E0304 for what is none.
    """
    array = value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)
    if array.dtype == object:
        name = type(transform).__name__
        raise fail("E0304", f"{name} takes an array, got a {type(value).__name__}")
    return array


def require_numbers(array: np.ndarray, transform: object) -> None:
    """E0301 for an array of texts, or of anything else that is no real number."""
    if array.dtype.kind not in "biuf":
        raise fail("E0301", f"{type(transform).__name__} takes numbers, got {array.dtype}")
