"""How are rows of an array replaced, or added to, at indices known at run time?

All write into their first argument, which holds any dtype in storage form. Rows lie along axis 0;
indices are one-dimensional and checked.
"""

from __future__ import annotations

import numpy as np

from s2sad.core import dtypes
from s2sad.prims import rules


def checked(indices: np.ndarray, size: int, axis: int) -> np.ndarray:
    """`indices` into an axis of `size`, counted from the front (E0501 out of range).

    >>> checked(np.array([0, -1]), 3, 0)
    array([0, 2])
    """
    indices = np.asarray(indices).astype(np.int64)
    outside = (indices < -size) | (indices >= size)
    if outside.any():
        raise rules.outside(indices[outside][0], axis, size)
    return np.asarray(np.where(indices < 0, indices + size, indices))


def set_rows(target: np.ndarray, indices: np.ndarray, rows: np.ndarray) -> None:
    """Replace the rows of `target` at `indices`; of equal indices the last one counts."""
    if indices.size > 1:
        # NumPy leaves open which of several assignments to one place wins.
        _, first = np.unique(indices[::-1], return_index=True)
        kept = indices.size - 1 - first
        indices, rows = indices[kept], rows[kept]
    target[indices] = rows


def add_rows(target: np.ndarray, indices: np.ndarray, rows: np.ndarray) -> None:
    """Add `rows` to those of `target` at `indices`, also several to one.

    A row of narrow floats is added up in float32 and rounded once.
    """
    with np.errstate(all="ignore"):
        if dtypes.BY_STORAGE[target.dtype].is_narrow:
            _add_narrow(target, indices, rows)
        elif indices.size == 1:
            target[indices] += rows
        elif target.flags.c_contiguous:
            # Adding numbers is several times faster than adding rows.
            width = rows[0].size if len(rows) else 0
            places = indices[:, None] * width + np.arange(width)
            np.add.at(target.reshape(-1), places.reshape(-1), rows.reshape(-1))
        else:
            np.add.at(target, indices, rows)


def _add_narrow(target: np.ndarray, indices: np.ndarray, rows: np.ndarray) -> None:
    places, inverse = np.unique(indices, return_inverse=True)
    total = dtypes.widen(target[places])
    add_rows(total, inverse, dtypes.widen(rows))
    target[places] = dtypes.narrow(total, dtypes.BY_STORAGE[target.dtype])
