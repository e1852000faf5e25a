"""What are sines and their relatives, in radians? Floats only."""

from __future__ import annotations

import numpy as np

from s2sad.ir.primitive import Trait
from s2sad.prims.arithmetic import sqrt
from s2sad.prims.comparison import equal
from s2sad.prims.define import primitive
from s2sad.prims.rules import elementwise, is_float
from s2sad.prims.select import where

_floats = elementwise(is_float, "floats")


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def sin(x):
    """Sine; NaN at the infinities.

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
    >>> p.sin(np.array([1.0, -0.0]))
    array([ 0.84147098, -0.        ])
    """
    return np.sin(x)


@sin.adjoint
def sin_adjoint(x, out, dout):
    return (dout * cos(x),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def cos(x):
    """Cosine; NaN at the infinities.

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
    >>> p.cos(np.array([1.0, 0.0]))
    array([0.54030231, 1.        ])
    """
    return np.cos(x)


@cos.adjoint
def cos_adjoint(x, out, dout):
    return (-dout * sin(x),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def tan(x):
    """Tangent; NaN at the infinities.

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
    >>> p.tan(np.array([1.0, -0.0]))
    array([ 1.55740772, -0.        ])
    """
    return np.tan(x)


@tan.adjoint
def tan_adjoint(x, out, dout):
    return (dout * (1 + out * out),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def asin(x):
    """Angle from -pi/2 to pi/2 with the sine `x`; NaN outside [-1, 1].

    The derivative at -1 and 1 is infinite.

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
    >>> p.asin(np.array([1.0, -0.0]))
    array([ 1.57079633, -0.        ])
    """
    return np.arcsin(x)


@asin.adjoint
def asin_adjoint(x, out, dout):
    return (dout / sqrt((1 - x) * (1 + x)),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def acos(x):
    """Angle from 0 to pi with the cosine `x`; NaN outside [-1, 1].

    The derivative at -1 and 1 is infinite.

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
    >>> p.acos(np.array([1.0, -1.0]))
    array([0.        , 3.14159265])
    """
    return np.arccos(x)


@acos.adjoint
def acos_adjoint(x, out, dout):
    return (-dout / sqrt((1 - x) * (1 + x)),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def atan(x):
    """Angle from -pi/2 to pi/2 with the tangent `x`.

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
    >>> p.atan(np.array([1.0, np.inf, -0.0]))
    array([ 0.78539816,  1.57079633, -0.        ])
    """
    return np.arctan(x)


@atan.adjoint
def atan_adjoint(x, out, dout):
    return (dout / (1 + x * x),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def atan2(y, x):
    """Angle from -pi to pi of the point with the coordinates `x` and `y`; C's `atan2`.

    It jumps where `y` changes its sign and `x` is negative, -0.0 and 0.0 included. The gradient
    at the origin is 0.

    Parameters
    ----------
    y, x : Tensors of floats, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not floats of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.atan2(np.array([1.0, 0.0, -0.0]), np.array([0.0, -1.0, -1.0]))
    array([ 1.57079633,  3.14159265, -3.14159265])
    """
    return np.arctan2(y, x)


@atan2.adjoint
def atan2_adjoint(y, x, out, dout):
    square = x * x + y * y
    scaled = dout / where(equal(square, 0), 1, square)
    return scaled * x, -scaled * y
