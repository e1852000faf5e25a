"""Do masks and sequences have the forms that the Cells of attention take?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ops.promotion import as_dtype, require_tensor


def added_mask(name: str, mask: Any, dtype: DType, shape: tuple[int, ...]) -> Any:
    """What a mask adds to the fit of queries to keys: -inf where one of bool is True.

    Raises
    ------
    S2sadError
        E0301 for a mask that is neither bool nor of floats, E0401 for another shape.
    """
    require_tensor(mask, name)
    if tuple(mask.shape) != shape:
        raise fail("E0401", f"{name} has shape {tuple(mask.shape)}, expected {shape}")
    if mask.dtype.is_float:
        return as_dtype(mask, dtype)
    if mask.dtype is not dtypes.bool_:
        raise fail("E0301", f"{name} is of bool or floats, got {mask.dtype.name}")
    zeros = prims.zeros_like(as_dtype(mask, dtype))
    return prims.where(mask, prims.full_like(zeros, value=-math.inf), zeros)


def require_pair(src: Any, tgt: Any, size: int, batch_axis: int) -> None:
    """Two sequences of one batch, the elements of which have `size` numbers (E0401)."""
    if src.ndim == 3 and src.shape[batch_axis] != tgt.shape[batch_axis]:
        raise fail("E0401", f"source and target of different batches: {src.shape} and {tgt.shape}")
    if src.shape[-1] != size or tgt.shape[-1] != size:
        raise fail("E0401", f"elements have {size} numbers, got {src.shape} and {tgt.shape}")
