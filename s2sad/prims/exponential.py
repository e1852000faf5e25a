"""What are exponentials and logarithms, and the hyperbolic functions made of them? Floats only."""

from __future__ import annotations

import math

import numpy as np

from s2sad.ir.primitive import Trait
from s2sad.prims.arithmetic import abs, pow
from s2sad.prims.comparison import equal, greater_equal, not_equal
from s2sad.prims.define import primitive
from s2sad.prims.logic import logical_and, logical_or
from s2sad.prims.rules import elementwise, is_float
from s2sad.prims.select import where

_floats = elementwise(is_float, "floats")
LOG_2 = math.log(2.0)
LOG_10 = math.log(10.0)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def exp(x):
    """Euler's number to the power `x`.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.exp(np.array([0.0, 1.0, -np.inf]))
    array([1.        , 2.71828183, 0.        ])
    """
    return np.exp(x)


@exp.adjoint
def exp_adjoint(x, out, dout):
    return (dout * out,)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def exp2(x):
    """Two to the power `x`.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.exp2(np.array([0.0, 10.0, -1.0]))
    array([1.000e+00, 1.024e+03, 5.000e-01])
    """
    return np.exp2(x)


@exp2.adjoint
def exp2_adjoint(x, out, dout):
    return (dout * (out * LOG_2),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def expm1(x):
    """``exp(x) - 1``, without the cancellation near 0; keeps -0.0.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.expm1(np.array([1e-20, -0.0, 1.0]))
    array([ 1.00000000e-20, -0.00000000e+00,  1.71828183e+00])
    """
    return np.expm1(x)


@expm1.adjoint
def expm1_adjoint(x, out, dout):
    return (dout * exp(x),)  # out + 1 would cancel far below 0


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def log(x):
    """Natural logarithm; -inf at 0, NaN below.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.log(np.array([1.0, 10.0, 0.0]))
    array([0.        , 2.30258509,       -inf])
    """
    return np.log(x)


@log.adjoint
def log_adjoint(x, out, dout):
    return (dout / x,)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def log2(x):
    """Logarithm to base 2, exact for powers of two; -inf at 0, NaN below.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.log2(np.array([1.0, 8.0, 0.5]))
    array([ 0.,  3., -1.])
    """
    return np.log2(x)


@log2.adjoint
def log2_adjoint(x, out, dout):
    return (dout / (x * LOG_2),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def log10(x):
    """Logarithm to base 10; -inf at 0, NaN below.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.log10(np.array([1.0, 1000.0, 0.1]))
    array([ 0.,  3., -1.])
    """
    return np.log10(x)


@log10.adjoint
def log10_adjoint(x, out, dout):
    return (dout / (x * LOG_10),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def log1p(x):
    """``log(1 + x)``, without the rounding near 0; keeps -0.0, -inf at -1, NaN below.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.log1p(np.array([1e-20, -0.0, -1.0]))
    array([ 1.e-20, -0.e+00,   -inf])
    """
    return np.log1p(x)


@log1p.adjoint
def log1p_adjoint(x, out, dout):
    return (dout / (1 + x),)


@pow.adjoint  # here, not in arithmetic: it needs log
def pow_adjoint(x, y, out, dout):
    # At x**0 the derivative is 0 even where x**-1 is none; x is replaced there, so that later
    # derivatives do not meet the infinity either.
    regular = logical_or(not_equal(y, 0), abs(x) > 0)
    dx = where(regular, dout * (y * pow(where(regular, x, 1), y - 1)), 0)
    # 0**y is 0 for every y > 0. Below 0 there is no power of y nearby: the NaN of log says so.
    steady = logical_and(equal(x, 0), greater_equal(y, 0))
    dy = where(steady, 0, dout * (out * log(where(steady, 1, x))))
    return dx, dy


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def sigmoid(x):
    """Logistic function ``1 / (1 + exp(-x))``, without overflow on either side.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.sigmoid(np.array([0.0, -1000.0, np.inf]))
    array([0.5, 0. , 1. ])
    """
    small, one = np.exp(-np.abs(x)), x.dtype.type(1)
    return np.where(x < 0, small, one) / (one + small)


@sigmoid.adjoint
def sigmoid_adjoint(x, out, dout):
    return (dout * (out * (1 - out)),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def tanh(x):
    """Hyperbolic tangent.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.tanh(np.array([0.5, -0.0, np.inf]))
    array([ 0.46211716, -0.        ,  1.        ])
    """
    return np.tanh(x)


@tanh.adjoint
def tanh_adjoint(x, out, dout):
    return (dout * (1 - out * out),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def sinh(x):
    """Hyperbolic sine.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.sinh(np.array([1.0, -0.0]))
    array([ 1.17520119, -0.        ])
    """
    return np.sinh(x)


@sinh.adjoint
def sinh_adjoint(x, out, dout):
    return (dout * cosh(x),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def cosh(x):
    """Hyperbolic cosine.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.cosh(np.array([1.0, -np.inf]))
    array([1.54308063,        inf])
    """
    return np.cosh(x)


@cosh.adjoint
def cosh_adjoint(x, out, dout):
    return (dout * sinh(x),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def asinh(x):
    """Inverse of `sinh`.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.asinh(np.array([1.0, -0.0]))
    array([ 0.88137359, -0.        ])
    """
    return np.arcsinh(x)


@asinh.adjoint
def asinh_adjoint(x, out, dout):
    return (dout / cosh(out),)  # sqrt(x*x + 1) would overflow


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def acosh(x):
    """Inverse of `cosh` above 0; NaN below 1. The derivative at 1 is infinite.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.acosh(np.array([1.0, 2.0]))
    array([0.        , 1.3169579])
    """
    return np.arccosh(x)


@acosh.adjoint
def acosh_adjoint(x, out, dout):
    return (dout / sinh(out),)  # sqrt(x*x - 1) would cancel, or overflow


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def atanh(x):
    """Inverse of `tanh`; infinite at -1 and 1, NaN outside.

    Parameters
    ----------
    x : Tensor of floats, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.atanh(np.array([0.5, -0.0, 1.0]))
    array([ 0.54930614, -0.        ,         inf])
    """
    return np.arctanh(x)


@atanh.adjoint
def atanh_adjoint(x, out, dout):
    return (dout / ((1 - x) * (1 + x)),)
