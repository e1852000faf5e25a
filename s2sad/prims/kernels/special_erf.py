"""Which formulas give erf, erfc and erfinv in float64?

Flat float64 arrays in and out; `special` has the documented functions for arrays of any shape.
"""

from __future__ import annotations

import math

import numpy as np

from s2sad.prims.kernels import special_tables as table
from s2sad.prims.kernels.piecewise import Array, constant, piecewise, ratio


def erf(x: Array) -> Array:
    size = np.abs(x)
    magnitude = piecewise(
        size,
        (size < 0.84375, lambda a: a + a * _erf_excess(a)),
        ((size >= 0.84375) & (size < 1.25), lambda a: table.ERF_ONE + _erf_beyond_one(a)),
        ((size >= 1.25) & (size < 6), lambda a: 1 - _erfc_tail(a)),
        (size >= 6, constant(1.0)),
    )
    return np.copysign(magnitude, x)


def erfc(x: Array) -> Array:
    return piecewise(
        x,
        (x <= -6, constant(2.0)),
        ((x > -6) & (x <= -1.25), lambda a: 2 - _erfc_tail(-a)),
        ((x > -1.25) & (x <= -0.84375), lambda a: 1 + (table.ERF_ONE + _erf_beyond_one(-a))),
        ((x > -0.84375) & (x < 0.25), lambda a: 1 - (a + a * _erf_excess(a))),
        ((x >= 0.25) & (x < 0.84375), lambda a: 0.5 - ((a - 0.5) + a * _erf_excess(a))),
        ((x >= 0.84375) & (x < 1.25), lambda a: (1 - table.ERF_ONE) - _erf_beyond_one(a)),
        ((x >= 1.25) & (x < 28), _erfc_tail),
        (x >= 28, constant(0.0)),
    )


def _erf_excess(x: Array) -> Array:
    """``erf(x)/x - 1`` for |x| < 0.84375."""
    return ratio(x * x, table.ERF_SMALL_P, table.ERF_SMALL_Q)


def _erf_beyond_one(x: Array) -> Array:
    """``erf(x) - ERF_ONE`` for 0.84375 <= x < 1.25."""
    return ratio(x - 1, table.ERF_MIDDLE_P, table.ERF_MIDDLE_Q)


def _erfc_tail(x: Array) -> Array:
    """``erfc(x)`` for 1.25 <= x < 28."""
    inverse = 1 / (x * x)
    near, far = _erfc_near, _erfc_far
    exponent = piecewise(inverse, (x < 1 / 0.35, near), (x >= 1 / 0.35, far))
    # The square of a number of 21 bits is exact, so the large part of x**2 suffers no rounding.
    head = (x.view(np.int64) & ~0xFFFFFFFF).view(np.float64)
    return np.exp(-head * head - 0.5625) * np.exp((head - x) * (head + x) + exponent) / x


def _erfc_near(inverse: Array) -> Array:
    return ratio(inverse, table.ERFC_NEAR_R, table.ERFC_NEAR_S)


def _erfc_far(inverse: Array) -> Array:
    return ratio(inverse, table.ERFC_FAR_R, table.ERFC_FAR_S)


def erfinv(x: Array) -> Array:
    size = np.abs(x)
    magnitude = piecewise(size, (size < 1, _erfinv_inside), (size == 1, constant(np.inf)))
    return np.copysign(magnitude, x)


def _erfinv_inside(x: Array) -> Array:
    """``erfinv(x)`` for 0 <= x < 1."""
    y = _winitzki(x)
    for _ in range(3):
        # From 0.5 on 1 - x is exact.
        residual = np.where(x < 0.5, erf(y) - x, (1 - x) - erfc(y))
        step = residual * (math.sqrt(math.pi) / 2) * np.exp(y * y)
        y = y - step / (1 + y * step)
    return y


def _winitzki(x: Array) -> Array:
    """The root ``y**2`` of ``q**2 + 2 b q = -log(1 - x**2) / a``, without cancellation."""
    shape = 0.147
    logarithm = np.log1p(-x * x)
    half = 2 / (math.pi * shape) + logarithm / 2
    root = np.sqrt(half * half - logarithm / shape)
    square = np.where(half > 0, -logarithm / shape / (root + half), root - half)
    return np.sqrt(square)
