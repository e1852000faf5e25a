"""Which of two elements is larger, are they equal, and is an element a number at all?

Each result is bool and has no gradient. NaN is neither less than, equal to nor greater than
anything; -0.0 equals 0.0.
"""

from __future__ import annotations

import numpy as np

from s2sad.core import dtypes
from s2sad.ir.primitive import Trait
from s2sad.prims.define import primitive
from s2sad.prims.rules import anything, elementwise, is_float, is_number

_compare_numbers = elementwise(is_number, "numbers", dtypes.bool_)
_compare_any = elementwise(anything, "a tensor", dtypes.bool_)
_ask_floats = elementwise(is_float, "floats", dtypes.bool_)
_NONDIFF = "the result is not a float"
_SYMMETRIC = {Trait.ELEMENTWISE, Trait.COMMUTATIVE}


@primitive(type=_compare_numbers, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def less(x, y):
    """Whether ``x < y``, elementwise; NaN is less than nothing.

    Parameters
    ----------
    x, y : Tensors of numbers, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not numbers of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.less(np.arange(3), 1)
    array([ True, False, False])
    """
    return np.less(x, y)


@primitive(type=_compare_numbers, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def less_equal(x, y):
    """Whether ``x <= y``, elementwise; false where one is NaN.

    Parameters
    ----------
    x, y : Tensors of numbers, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not numbers of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.less_equal(np.arange(3), 1)
    array([ True,  True, False])
    """
    return np.less_equal(x, y)


@primitive(type=_compare_numbers, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def greater(x, y):
    """Whether ``x > y``, elementwise; false where one is NaN.

    Parameters
    ----------
    x, y : Tensors of numbers, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not numbers of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.greater(np.arange(3), 1)
    array([False, False,  True])
    """
    return np.greater(x, y)


@primitive(type=_compare_numbers, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def greater_equal(x, y):
    """Whether ``x >= y``, elementwise; false where one is NaN.

    Parameters
    ----------
    x, y : Tensors of numbers, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not numbers of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.greater_equal(np.arange(3), 1)
    array([False,  True,  True])
    """
    return np.greater_equal(x, y)


@primitive(type=_compare_any, traits=_SYMMETRIC, nondiff=_NONDIFF)
def equal(x, y):
    """Whether ``x == y``, elementwise, also of bools; NaN equals nothing, itself included.

    Parameters
    ----------
    x, y : Tensors of one dtype, any; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if their dtypes differ, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.equal(np.array([0.0, np.nan]), np.array([-0.0, np.nan]))
    array([ True, False])
    """
    return np.equal(x, y)


@primitive(type=_compare_any, traits=_SYMMETRIC, nondiff=_NONDIFF)
def not_equal(x, y):
    """Whether ``x != y``, elementwise, also of bools; true where one is NaN.

    Parameters
    ----------
    x, y : Tensors of one dtype, any; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if their dtypes differ, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.not_equal(np.array([True, False]), True)
    array([False,  True])
    """
    return np.not_equal(x, y)


@primitive(type=_ask_floats, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def is_nan(x):
    """Whether each element of the floats `x` is NaN.

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
    >>> p.is_nan(np.array([1.0, np.inf, np.nan]))
    array([False, False,  True])
    """
    return np.isnan(x)


@primitive(type=_ask_floats, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def is_inf(x):
    """Whether each element of the floats `x` is infinite, of either sign.

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
    >>> p.is_inf(np.array([1.0, -np.inf, np.nan]))
    array([False,  True, False])
    """
    return np.isinf(x)


@primitive(type=_ask_floats, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def is_finite(x):
    """Whether each element of the floats `x` is neither NaN nor infinite.

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
    >>> p.is_finite(np.array([1.0, -np.inf, np.nan]))
    array([ True, False, False])
    """
    return np.isfinite(x)
