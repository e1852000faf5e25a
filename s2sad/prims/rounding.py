"""To which whole numbers are floats rounded? They stay floats.

NaN, infinities and -0.0 stay what they are; what rounds to zero from below is -0.0. The
derivative is 0 wherever there is one, so no gradient flows.
"""

from __future__ import annotations

import numpy as np

from s2sad.ir.primitive import Trait
from s2sad.prims.define import primitive
from s2sad.prims.rules import elementwise, is_float

_floats = elementwise(is_float, "floats")
_NONDIFF = "piecewise constant"


@primitive(type=_floats, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def floor(x):
    """Largest whole number that is not above `x`.

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
    >>> p.floor(np.array([1.5, -1.5, -0.0]))
    array([ 1., -2., -0.])
    """
    return np.floor(x)


@primitive(type=_floats, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def ceil(x):
    """Smallest whole number that is not below `x`.

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
    >>> p.ceil(np.array([1.5, -1.5, -0.5]))
    array([ 2., -1., -0.])
    """
    return np.ceil(x)


@primitive(type=_floats, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def round(x):
    """Whole number nearest to `x`; of two equally near, the even one.

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
    >>> p.round(np.array([0.5, 1.5, 2.5, -0.2]))
    array([ 0.,  2.,  2., -0.])
    """
    return np.rint(x)


@primitive(type=_floats, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def trunc(x):
    """`x` without its fraction: the nearest whole number towards zero.

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
    >>> p.trunc(np.array([1.7, -1.7, -0.2]))
    array([ 1., -1., -0.])
    """
    return np.trunc(x)
