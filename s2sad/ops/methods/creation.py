"""Which methods of Tensor make another one that is filled with a number?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import creation


def _fill(tensor: Any, value: Any) -> Any:
    return creation.full_like(tensor, value)


def _new_zeros(tensor: Any, size: Any, dtype: Any = None) -> Any:
    return creation.zeros(size, tensor.dtype if dtype is None else dtype)


def _new_ones(tensor: Any, size: Any, dtype: Any = None) -> Any:
    return creation.ones(size, tensor.dtype if dtype is None else dtype)


def _new_full(tensor: Any, size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    return creation.full(size, fill_value, dtype=tensor.dtype if dtype is None else dtype)


METHODS = {
    "fill": _fill, "new_empty": _new_zeros, "new_full": _new_full, "new_ones": _new_ones,
    "new_zeros": _new_zeros,
}  # fmt: skip
