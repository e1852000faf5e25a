"""What are error functions, and the logarithm of the gamma function with its derivatives?

Floats only.
"""

from __future__ import annotations

import math

import numpy as np  # noqa: F401 - the examples use it

from s2sad.core.diagnostics import fail
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type
from s2sad.prims.define import primitive
from s2sad.prims.exponential import exp
from s2sad.prims.kernels import special
from s2sad.prims.rules import elementwise, is_float

_floats = elementwise(is_float, "floats")
TWO_BY_SQRT_PI = 2.0 / math.sqrt(math.pi)
HALF_SQRT_PI = math.sqrt(math.pi) / 2.0


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def erf(x):
    """Error function, ``2/sqrt(pi)`` times the integral of ``exp(-t**2)`` from 0 to `x`.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Notes
    -----
    The rational approximations of SunPro's fdlibm, `s_erf.c`. The derivative is
    ``2/sqrt(pi) * exp(-x**2)``.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.erf(np.array([0.5, -0.0, np.inf]))
    array([ 0.52049988, -0.        ,  1.        ])
    """
    return special.erf(x)


@erf.adjoint
def erf_adjoint(x, out, dout):
    return (dout * (TWO_BY_SQRT_PI * exp(-x * x)),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def erfc(x):
    """``1 - erf(x)``, without the cancellation.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Notes
    -----
    The rational approximations of SunPro's fdlibm, `s_erf.c`.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.erfc(np.array([0.5, 10.0]))
    array([4.79500122e-01, 2.08848758e-45])
    """
    return special.erfc(x)


@erfc.adjoint
def erfc_adjoint(x, out, dout):
    return (-dout * (TWO_BY_SQRT_PI * exp(-x * x)),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def erfinv(x):
    """Inverse of `erf`; infinite at -1 and 1, as is its derivative, and NaN outside.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Notes
    -----
    The start is that of S. Winitzki, "A handy approximation for the error function and its
    inverse", 2008; Halley steps on `erf`, in the tails on `erfc`, refine it. The derivative is
    ``sqrt(pi)/2 * exp(erfinv(x)**2)``.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.erfinv(np.array([0.5, -0.0, 1.0]))
    array([ 0.47693628, -0.        ,         inf])
    """
    return special.erfinv(x)


@erfinv.adjoint
def erfinv_adjoint(x, out, dout):
    return (dout * (HALF_SQRT_PI * exp(out * out)),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def lgamma(x):
    """Logarithm of the absolute value of the gamma function; inf at 0, -1, -2, ...

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Notes
    -----
    The approximations of SunPro's fdlibm, `e_lgamma_r.c`; below 0 the recurrence, and reflection.
    The derivative is ``polygamma(x, n=0)``.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.lgamma(np.array([0.5, 1.0, -1.0]))
    array([0.57236494, 0.        ,        inf])
    """
    return special.lgamma(x)


@lgamma.adjoint
def lgamma_adjoint(x, out, dout):
    return (dout * polygamma(x, n=0),)


def _polygamma_type(x: Type, *, n: int) -> TensorType:
    if isinstance(n, bool) or not isinstance(n, int):
        raise fail("E0303", f"the order n of polygamma is an int, got {n!r}")
    if n < 0:
        raise fail("E0404", f"the order n of polygamma is at least 0, got {n}")
    return _floats(x)


@primitive(type=_polygamma_type, traits={Trait.ELEMENTWISE})
def polygamma(x, *, n):
    """Derivative of order `n` of digamma, which is the derivative of `lgamma` and has order 0.

    Parameters
    ----------
    x : tensor of floats
    n : int
        At least 0. Static.

    Raises
    ------
    S2sadError
        E0303 if `n` is no int, E0404 if it is negative.

    Notes
    -----
    Abramowitz and Stegun, 6.3.18 and 6.4.11 (asymptotic series), 6.4.6 (recurrence) and 6.4.7
    (reflection). The derivative is ``polygamma(x, n=n + 1)``.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.polygamma(np.array([1.0, 2.0]), n=0)
    array([-0.57721566,  0.42278434])
    >>> p.polygamma(np.array(1.0), n=1)
    array(1.64493407)
    """
    return special.polygamma(n, x)


@polygamma.adjoint
def polygamma_adjoint(x, out, dout, *, n):
    return (dout * polygamma(x, n=n + 1),)
