"""Digamma, and the zeta function of Hurwitz, in float64.

Sources: Abramowitz and Stegun, 6.3.5, 6.3.7 and 6.3.18; NIST Digital Library of Mathematical
Functions, 25.11.5 (formula of Euler and Maclaurin).
"""

from __future__ import annotations

import math

import numpy as np

from s2sad.backends.ascend.device.meanings.base import table

#: Terms that are summed one by one before a series of Bernoulli's numbers takes over.
TERMS = 12
#: Bernoulli's numbers of the orders 2, 4 and so on.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def digamma(x: np.ndarray) -> np.ndarray:
    """Infinite at 0, against its sign, and NaN at the other poles."""
    x = np.asarray(x, np.float64)
    place, is_left = x - np.round(x), x < 0
    above = _digamma_above(np.where(is_left, 1 - x, x))
    reflected = np.where(place == 0, np.nan, above - math.pi / np.tan(math.pi * place))
    return np.where(x == 0, np.copysign(np.inf, -x), np.where(is_left, reflected, above))


def _digamma_above(x: np.ndarray) -> np.ndarray:
    """Of numbers above 0."""
    far = x + TERMS
    found = np.log(far) - 0.5 / far
    for order, number in enumerate(BERNOULLI, 1):
        found = found - number / (2 * order * far ** (2 * order))
    return found - sum(1 / (x + k) for k in range(TERMS))


def zeta(x: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The sum of ``(q + k) ** -x`` over k from 0 on.

    Infinite at ``x = 1`` and where `q` is 0 or below it and whole; NaN for an `x` below 1, and for
    one that is not whole where `q` is negative.
    """
    x, q = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(q, np.float64))
    is_left, is_whole = q < 0, q == np.floor(q)
    # The terms of negative numbers are, but for their sign, those of the positive ones.
    first = np.where(is_left, np.ceil(q) - q, 1.0)
    left = _zeta_above(x, first) - _zeta_above(x, np.where(is_left, 1 - q, 1.0))
    left = np.where(x % 2 == 0, left, np.where(x % 2 == 1, -left, np.nan))
    right = _zeta_above(x, np.where(is_left, q - np.floor(q), q))
    found = np.where(is_whole & (q <= 0), np.inf, np.where(is_left, right + left, right))
    return np.where(x == 1, np.inf, np.where(x < 1, np.nan, found))


def _zeta_above(x: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Of a `q` above 0."""
    far = q + TERMS
    found = sum((q + k) ** -x for k in range(TERMS)) + far ** (1 - x) / (x - 1) + far**-x / 2
    factor = x * far ** (-x - 1) / 2
    for order, number in enumerate(BERNOULLI, 1):
        found = found + number * factor
        rising = (x + 2 * order - 1) * (x + 2 * order)
        factor = factor * rising / (far * far * (2 * order + 1) * (2 * order + 2))
    return found


table({"Digamma": digamma, "Zeta": zeta})
