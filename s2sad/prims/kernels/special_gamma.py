"""Which formulas give lgamma and polygamma in float64?

Flat float64 arrays in and out; `special` has the documented functions for arrays of any shape.
"""

from __future__ import annotations

import math

import numpy as np

from s2sad.prims.kernels import special_tables as table
from s2sad.prims.kernels.piecewise import Array, constant, piecewise, polynomial, ratio

# Down from here no double lies so near a pole that lgamma almost vanishes, and reflection loses
# nothing; above, the zeros beside the poles need the exact product.
REFLECT_BELOW = -32.0
# The asymptotic series of polygamma(n, x) has converged to float64 from x = SERIES_FROM + n on.
SERIES_FROM = 16


def lgamma(x: Array) -> Array:
    pole = (x <= 0) & (x == np.floor(x))
    return piecewise(
        x,
        (pole | np.isinf(x), constant(np.inf)),
        (~pole & (x > -np.inf) & (x <= REFLECT_BELOW), _lgamma_reflected),
        (~pole & (x > REFLECT_BELOW) & (x < 0), _lgamma_by_product),
        ((x > 0) & (x <= 2), _lgamma_below_two),
        ((x > 2) & (x < 8), _lgamma_below_eight),
        ((x >= 8) & (x < np.inf), _lgamma_stirling),
    )


def _lgamma_below_two(x: Array) -> Array:
    shifted = np.where(x < 0.9, x + 1, x)
    # Each offset is taken from x itself: x + 1 has lost the bits of a small x.
    offset = np.where(x < 0.9, x, x - 1)
    minimum = table.LGAMMA_MINIMUM_ARGUMENT
    out = np.where(
        shifted >= 1.7316,
        _lgamma_left_of_two(1 - offset),
        np.where(
            shifted >= 1.2316,
            _lgamma_at_minimum(offset - (minimum - 1)),
            _lgamma_at_one(offset),
        ),
    )
    # Adding 0.0 also makes lgamma(1) a positive zero.
    return out + np.where(x < 0.9, -np.log(x), 0.0)


def _lgamma_left_of_two(y: Array) -> Array:
    return polynomial(y, table.LGAMMA_BELOW_TWO) - 0.5 * y


def _lgamma_at_minimum(y: Array) -> Array:
    rise = y * y * polynomial(y, table.LGAMMA_MINIMUM)
    return table.LGAMMA_MINIMUM_VALUE + (rise + table.LGAMMA_MINIMUM_TAIL)


def _lgamma_at_one(y: Array) -> Array:
    return -0.5 * y + y * ratio(y, table.LGAMMA_ONE_U, table.LGAMMA_ONE_V)


def _lgamma_below_eight(x: Array) -> Array:
    whole = np.floor(x)
    y = x - whole
    product = np.ones_like(x)
    for k in range(2, 7):
        product *= np.where(whole > k, y + k, 1.0)
    return 0.5 * y + y * ratio(y, table.LGAMMA_TWO_S, table.LGAMMA_TWO_R) + np.log(product)


def _lgamma_stirling(x: Array) -> Array:
    inverse = 1 / x
    correction = inverse * polynomial(inverse * inverse, table.LGAMMA_STIRLING)
    return (x - 0.5) * (np.log(x) - 1) + (table.LGAMMA_STIRLING_CONSTANT + correction)


def _lgamma_reflected(x: Array) -> Array:
    sine = np.abs(np.sin(math.pi * (x - np.rint(x))))
    return np.log(math.pi / (-x * sine)) - _lgamma_stirling(-x)


def _lgamma_by_product(x: Array) -> Array:
    """``lgamma(x + n) - log|x (x+1) ... (x+n-1)|`` with x + n in [1, 2], for -32 < x < 0."""
    count = 1 - np.floor(x)
    high, low = np.ones_like(x), np.zeros_like(x)
    for k in range(int(count.max())):
        factor = np.where(k < count, x + k, 1.0)
        rest = low * factor
        high, low = _two_product(high, factor)
        low = low + rest
    return _lgamma_below_two(x + count) - np.log(np.abs(high)) - low / high


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """The product and its rounding error (T. J. Dekker, Numerische Mathematik 18, 1971)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _split(a: Array) -> tuple[Array, Array]:
    """The upper 26 bits of each number, and the rest."""
    scaled = a * 134217729.0
    high = scaled - (scaled - a)
    return high, a - high


def polygamma(n: int, x: Array) -> Array:
    pole = (x < 0) & (x == np.floor(x))
    return piecewise(
        x,
        (x > 0, _digamma_positive if n == 0 else lambda a: (-1) ** (n + 1) * _zeta_sum(n, a)),
        (x == 0, constant(np.inf) if n % 2 else lambda a: -1 / a),
        (pole & (x > -np.inf), constant(np.inf if n % 2 else np.nan)),
        (~pole & (x < 0), _digamma_reflected if n == 0 else lambda a: _reflected(n, a)),
    )


def _digamma_positive(x: Array) -> Array:
    small = x < SERIES_FROM
    shifted = np.where(small, x + SERIES_FROM, x)
    inverse = 1 / shifted
    series = [b / (2 * k + 2) for k, b in enumerate(table.BERNOULLI)]
    square = inverse * inverse
    out = np.log(shifted) - inverse / 2 - square * polynomial(square, series)
    steps = np.zeros_like(x)
    for k in reversed(range(SERIES_FROM)):
        steps += 1 / (x + k)
    return np.where(small, out - steps, out)


def _digamma_reflected(x: Array) -> Array:
    return _digamma_positive(1 - x) - math.pi / np.tan(math.pi * (x - np.rint(x)))


def _reflected(n: int, x: Array) -> Array:
    """Polygamma of order n >= 1 for negative x that are no poles.

    The sum of ``1/(x+k)**(n+1)`` over all integers k is even or odd around each integer; its
    half right of x is what is sought, its half left of x is that of 1 - x.
    """
    parity = (-1) ** (n + 1)
    offset = x - np.rint(x)
    distance = np.abs(offset)
    near, far = _zeta_sum(n, distance), _zeta_sum(n, 1 - distance)
    if parity < 0:
        # Midway the halves cancel; elsewhere the nearer one wins, even if both overflow.
        odd = np.where(np.isinf(near), near, near - far)
        lattice = np.copysign(np.where(distance == 0.5, 0.0, odd), offset)
    else:
        lattice = near + far
    # Of two infinities the nearer one wins here too.
    return parity * lattice - np.where(np.isinf(lattice), 0.0, _zeta_sum(n, 1 - x))


def _zeta_sum(n: int, x: Array) -> Array:
    """``n!`` times the sum of ``1/(x+k)**(n+1)`` over k >= 0, for n >= 1 and x > 0.

    Factorials and powers are divided term by term, so that neither overflows alone.
    """
    scale = 1 / x
    for k in range(1, n):
        scale = scale * (k / x)
    start = SERIES_FROM + n
    return scale * piecewise(
        x,
        (x < start, lambda a: n / a * _shifted_sum(n, a, start)),
        (x >= start, lambda a: _zeta_series(n, a)),
    )


def _shifted_sum(n: int, x: Array, steps: int) -> Array:
    """The sum of ``(x/(x+k))**(n+1)`` over k >= 0: `steps` terms, then the series."""
    far = x + steps
    out = (x / far) ** (n + 1) * (far / n) * _zeta_series(n, far)
    for k in reversed(range(1, steps)):
        out += (x / (x + k)) ** (n + 1)
    return out + 1


def _zeta_series(n: int, x: Array) -> Array:
    """``n * x**n`` times the sum of ``1/(x+k)**(n+1)`` over k >= 0, for x >= SERIES_FROM + n."""
    series, rising = [], 1.0
    for k, bernoulli in enumerate(table.BERNOULLI):
        rising *= (n + 2 * k) / (2 * k + 1) * ((n + 2 * k + 1) / (2 * k + 2))
        series.append(bernoulli * rising)
    square = 1 / (x * x)
    return 1 + n / (2 * x) + square * polynomial(square, series)
