"""With which weights does a stretch of a signal fade in and out?

All are known before there is any data, and are computed in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.core.dtypes import DType
from s2sad.ops.draws import float_dtype
from s2sad.ops.promotion import constant
from s2sad.ops.settings import flag, integer, number


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
) -> Any:
    """``alpha - beta * cos(2 pi n / N)``.

    Parameters
    ----------
    window_length : int
        Number of weights.
    periodic : bool
        Whether the first weight would come next, N being `window_length`; else the last equals the
        first, N being one less.
    alpha, beta : float
    dtype : DType of floats, optional
        float32 by default.

    Returns
    -------
    Tensor, shape (window_length,)

    Raises
    ------
    S2sadError
        E0301 for a dtype of no floats, E0303 and E0404 for other arguments.

    Examples
    --------
    >>> hamming_window(3, False).asnumpy()
    array([0.08, 1.  , 0.08], dtype=float32)
    """
    a, b = float(number("alpha", alpha)), float(number("beta", beta))
    return _window(window_length, periodic, dtype, lambda turn: a - b * np.cos(turn))


def hann_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> Any:
    """``sin(pi n / N) ** 2``; arguments and errors are those of `hamming_window`.

    Examples
    --------
    >>> hann_window(4).asnumpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    return _window(window_length, periodic, dtype, lambda turn: np.sin(turn / 2) ** 2)


def bartlett_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> Any:
    """A triangle, ``1 - |2 n / N - 1|``; arguments and errors are those of `hamming_window`.

    Examples
    --------
    >>> bartlett_window(4).asnumpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    return _window(window_length, periodic, dtype, lambda turn: 1 - np.abs(turn / np.pi - 1))


def blackman_window(window_length: int, periodic: bool = True, *, dtype: Any = None) -> Any:
    """``0.42 - 0.5 cos(2 pi n / N) + 0.08 cos(4 pi n / N)``; arguments as of `hamming_window`.

    Errors are those of `hamming_window`.

    Examples
    --------
    >>> blackman_window(4).asnumpy().round(2) + 0.0
    array([0.  , 0.34, 1.  , 0.34], dtype=float32)
    """
    return _window(
        window_length, periodic, dtype,
        lambda turn: 0.42 - 0.5 * np.cos(turn) + 0.08 * np.cos(2 * turn),
    )  # fmt: skip


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Any = None
) -> Any:
    """``I0(beta sqrt(1 - (2 n / N - 1)**2)) / I0(beta)``, I0 being Bessel's function.

    Arguments and errors are those of `hamming_window`.

    Examples
    --------
    >>> kaiser_window(3, False, 2.0).asnumpy().round(4)
    array([0.4387, 1.    , 0.4387], dtype=float32)
    """
    slope = float(number("beta", beta))

    def weights(turn: np.ndarray) -> np.ndarray:
        inside = np.maximum(1 - (turn / np.pi - 1) ** 2, 0)
        return np.i0(slope * np.sqrt(inside)) / np.i0(slope)

    return _window(window_length, periodic, dtype, weights)


def _window(
    length: int, periodic: bool, dtype: Any, weights: Callable[[np.ndarray], np.ndarray]
) -> Any:
    """`weights` of the angle that each place has on the circle."""
    count, found = integer("window_length", length, 0), float_dtype(dtype)
    period = count if flag("periodic", periodic) else count - 1
    if period <= 0:
        return _made(np.ones(count), found)
    return _made(weights(2 * np.pi * np.arange(count) / period), found)


def _made(weights: np.ndarray, dtype: DType) -> Any:
    return constant(weights, dtype)
