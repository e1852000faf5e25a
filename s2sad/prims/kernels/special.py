"""How are erf, erfc, erfinv, lgamma and polygamma computed where NumPy has none of them?

Each function takes float32 or float64 arrays of any shape and returns an array of the same
shape and dtype. All of them compute in float64; float32 results are rounded once, at the end.
"""

from __future__ import annotations

import operator

import numpy as np

from s2sad.prims.kernels import special_erf, special_gamma
from s2sad.prims.kernels.piecewise import Array, Kernel


def erf(x: Array) -> Array:
    """Error function, ``2/sqrt(pi)`` times the integral of ``exp(-t**2)`` from 0 to `x`.

    Parameters
    ----------
    x : float32 or float64, any shape

    Returns
    -------
    Array of the dtype and shape of `x`. Within 1 ULP in float64; odd, signed zeros included.

    Raises
    ------
    TypeError
        If `x` has another dtype.

    Notes
    -----
    The rational approximations of SunPro's fdlibm, `s_erf.c`.

    Examples
    --------
    >>> erf(np.array([0.0, 0.5, np.inf])).tolist()
    [0.0, 0.5204998778130465, 1.0]
    """
    return _apply(special_erf.erf, x)


def erfc(x: Array) -> Array:
    """Complementary error function ``1 - erf(x)``, without the cancellation.

    Parameters
    ----------
    x : float32 or float64, any shape

    Returns
    -------
    Array of the dtype and shape of `x`. Within 4 ULP in float64, down to the subnormal numbers.

    Raises
    ------
    TypeError
        If `x` has another dtype.

    Notes
    -----
    The rational approximations of SunPro's fdlibm, `s_erf.c`.

    Examples
    --------
    >>> erfc(np.array([-np.inf, 0.0, 0.5])).tolist()
    [2.0, 1.0, 0.4795001221869535]
    """
    return _apply(special_erf.erfc, x)


def erfinv(x: Array) -> Array:
    """Inverse of `erf`: the `y` with ``erf(y) == x``.

    Parameters
    ----------
    x : float32 or float64, any shape

    Returns
    -------
    Array of the dtype and shape of `x`. Within 4 ULP in float64; ±inf at ±1, NaN outside [-1, 1].

    Raises
    ------
    TypeError
        If `x` has another dtype.

    Notes
    -----
    The start is within 2e-3 (S. Winitzki, "A handy approximation for the error function and its
    inverse", 2008); each Halley step cubes that. The residual is taken from `erfc` in the tails,
    where `erf` no longer tells arguments apart.

    Examples
    --------
    >>> erfinv(np.array([-1.0, 0.0, 0.5])).tolist()
    [-inf, 0.0, 0.4769362762044699]
    """
    return _apply(special_erf.erfinv, x)


def lgamma(x: Array) -> Array:
    """Logarithm of the absolute value of the gamma function.

    Parameters
    ----------
    x : float32 or float64, any shape

    Returns
    -------
    Array of the dtype and shape of `x`. Within 4 ULP in float64, or 4 epsilons next to a zero.
    Infinite at ±inf and at the poles 0, -1, -2, ...

    Raises
    ------
    TypeError
        If `x` has another dtype.

    Notes
    -----
    For positive `x` the approximations of SunPro's fdlibm, `e_lgamma_r.c`. For negative `x` down
    to -32, ``gamma(x) = gamma(x + n) / (x * (x+1) * ... * (x+n-1))`` with an exact product, since
    fdlibm's reflection loses the zeros that lie next to the poles; reflection below.

    Examples
    --------
    >>> lgamma(np.array([1.0, 0.5, -1.0])).tolist()
    [0.0, 0.5723649429247001, inf]
    """
    return _apply(special_gamma.lgamma, x)


def polygamma(n: int, x: Array) -> Array:
    """Derivative of order `n` of digamma, which is the derivative of lgamma and has order 0.

    Parameters
    ----------
    n : int
        The order, at least 0. Static.
    x : float32 or float64, any shape

    Returns
    -------
    Array of the dtype and shape of `x`; in float64 within 1e-13, relative, except next to a zero.
    At the poles 0, -1, -2, ...: inf for odd `n`. For even `n` the two sides differ in sign: a
    zero's own sign decides, negative integers give NaN. -inf gives NaN.

    Raises
    ------
    TypeError
        If `x` has another dtype, or `n` is no integer.
    ValueError
        If `n` is negative.

    Notes
    -----
    Abramowitz and Stegun 6.3.18 and 6.4.11 (asymptotic series), 6.4.6 (recurrence) and 6.4.7
    (reflection). For ``n >= 1`` the derivatives of the cotangent are written as
    ``(-1)**n * n!`` times the sum of ``1/(x+k)**(n+1)`` over all integers k.

    Examples
    --------
    >>> polygamma(1, np.array([1.0, 2.0])).round(12).tolist()
    [1.644934066848, 0.644934066848]
    """
    order = operator.index(n)
    if order < 0:
        raise ValueError(f"the order of polygamma must be at least 0, got {order}")
    return _apply(lambda flat: special_gamma.polygamma(order, flat), x)


def _apply(kernel: Kernel, x: Array) -> Array:
    """Run a kernel for flat float64 arrays on `x`, of any shape and either dtype."""
    x = np.asarray(x)
    if x.dtype not in (np.float32, np.float64):
        raise TypeError(f"expected float32 or float64, got {x.dtype}")
    with np.errstate(all="ignore"):
        return kernel(x.astype(np.float64).ravel()).astype(x.dtype).reshape(x.shape)
