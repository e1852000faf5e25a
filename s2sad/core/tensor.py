"""The array that users hold."""

from __future__ import annotations

from typing import Any

import numpy as np


class Tensor:
    """Array with a dtype of s2sad."""

    __slots__ = ("array",)

    array: np.ndarray

    @classmethod
    def wrap(cls, array: np.ndarray) -> Tensor:
        """Tensor over `array`, which already has the storage of its dtype; nothing is copied."""
        tensor = cls.__new__(cls)
        tensor.array = array
        return tensor
