"""How does an array kernel use another formula on each range of its argument?

All kernels here take and return flat float64 arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Array = np.ndarray
Kernel = Callable[[Array], Array]


def piecewise(x: Array, *pieces: tuple[Array, Kernel]) -> Array:
    """Each kernel applied where its mask holds; NaN where none does."""
    out = np.full_like(x, np.nan)
    for mask, kernel in pieces:
        if mask.any():
            out[mask] = kernel(x[mask])
    return out


def polynomial(x: Array, coefficients: Sequence[float]) -> Array:
    """Horner's scheme, lowest order first."""
    out = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        out = out * x + coefficient
    return out


def ratio(x: Array, numerator: Sequence[float], denominator: Sequence[float]) -> Array:
    return polynomial(x, numerator) / polynomial(x, denominator)


def constant(value: float) -> Kernel:
    return lambda x: np.full_like(x, value)
