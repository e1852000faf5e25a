"""What are sums, products, powers and extremes, element by element?

An adjoint that selects gives 0 where an operand is NaN, for no comparison holds there. That of
`pow` stands in `exponential`, which has the logarithm that it needs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from s2sad.ir.primitive import Trait
from s2sad.prims.comparison import equal
from s2sad.prims.define import primitive
from s2sad.prims.logic import logical_and, logical_or
from s2sad.prims.rules import elementwise, is_float, is_number
from s2sad.prims.select import where

_numbers = elementwise(is_number, "numbers")
_floats = elementwise(is_float, "floats")
_SYMMETRIC = {Trait.ELEMENTWISE, Trait.COMMUTATIVE}


@primitive(type=_numbers, traits=_SYMMETRIC, linear=((0, 1),))
def add(x, y):
    """Elementwise sum, with NumPy broadcasting; integers wrap.

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
    >>> p.add(np.arange(3.0), 1.0)
    array([1., 2., 3.])
    """
    return np.add(x, y)


@add.adjoint
def add_adjoint(x, y, out, dout):
    return dout, dout


@primitive(type=_numbers, traits={Trait.ELEMENTWISE}, linear=((0, 1),))
def sub(x, y):
    """Elementwise difference, with NumPy broadcasting; integers wrap.

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
    >>> p.sub(np.arange(3.0), 1.0)
    array([-1.,  0.,  1.])
    """
    return np.subtract(x, y)


@sub.adjoint
def sub_adjoint(x, y, out, dout):
    return dout, -dout


@primitive(type=_numbers, traits=_SYMMETRIC, linear=(0, 1))
def mul(x, y):
    """Elementwise product, with NumPy broadcasting; integers wrap.

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
    >>> p.mul(np.arange(3.0), 2.0)
    array([0., 2., 4.])
    """
    return np.multiply(x, y)


@mul.adjoint
def mul_adjoint(x, y, out, dout):
    return dout * y, dout * x


@primitive(type=_floats, traits={Trait.ELEMENTWISE}, linear=(0,))
def div(x, y):
    """Elementwise true quotient of floats, with NumPy broadcasting.

    Parameters
    ----------
    x, y : Tensors of floats, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not floats of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.div(np.arange(3.0), 2.0)
    array([0. , 0.5, 1. ])
    """
    return np.divide(x, y)


@div.adjoint
def div_adjoint(x, y, out, dout):
    return dout / y, -dout * (out / y)


@primitive(type=_numbers, traits={Trait.ELEMENTWISE}, linear=(0,))
def neg(x):
    """Elementwise negative; the least integer is its own.

    Parameters
    ----------
    x : Tensor of numbers, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is bool.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.neg(np.array([1, -2]))
    array([-1,  2])
    """
    return np.negative(x)


@neg.adjoint
def neg_adjoint(x, out, dout):
    return (-dout,)


@primitive(type=_numbers, traits={Trait.ELEMENTWISE}, nondiff="piecewise constant")
def floor_div(x, y):
    """Quotient rounded down, with NumPy broadcasting.

    Integers divided by 0 give 0; the least integer divided by -1 wraps to itself. Floats divided
    by 0 give NaN or an infinity. ``floor_div(x, y) * y + mod(x, y)`` is `x`, up to rounding.

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
    >>> p.floor_div(np.array([7, -7, 7]), np.array([2, 2, 0]))
    array([ 3, -4,  0])
    """
    return np.floor_divide(x, y)


@primitive(type=_numbers, traits={Trait.ELEMENTWISE})
def mod(x, y):
    """Remainder of `floor_div`, with the sign of `y`, as in Python.

    Integers give 0 where `y` is 0; floats give NaN there.

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
    >>> p.mod(np.array([7, -7, 7, 7]), np.array([3, 3, -3, 0]))
    array([ 1,  2, -2,  0])
    """
    return np.remainder(x, y)


@mod.adjoint
def mod_adjoint(x, y, out, dout):
    return dout, -dout * floor_div(x, y)


@primitive(type=_numbers, traits={Trait.ELEMENTWISE})
def abs(x):
    """Absolute value; the least integer is its own. The gradient at 0 is 0.

    Parameters
    ----------
    x : Tensor of numbers, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is bool.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.abs(np.array([-1.5, 2.0, -0.0]))
    array([1.5, 2. , 0. ])
    """
    return np.abs(x)


@abs.adjoint
def abs_adjoint(x, out, dout):
    return (where(x > 0, dout, where(x < 0, -dout, 0)),)


@primitive(type=_numbers, traits={Trait.ELEMENTWISE}, nondiff="piecewise constant")
def sign(x):
    """1, 0 or -1 of the dtype of `x`, as it is above, at or below 0; NaN stays NaN.

    Parameters
    ----------
    x : Tensor of numbers, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is bool.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.sign(np.array([-1.5, 2.0, -0.0, np.nan]))
    array([-1.,  1.,  0., nan])
    """
    return np.sign(x)


@primitive(type=_numbers, traits={Trait.ELEMENTWISE})
def square(x):
    """`x` times itself; integers wrap.

    Parameters
    ----------
    x : Tensor of numbers, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is bool.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.square(np.array([-1.5, 2.0]))
    array([2.25, 4.  ])
    """
    return np.multiply(x, x)


@square.adjoint
def square_adjoint(x, out, dout):
    return (dout * (2 * x),)


def _extreme(ufunc: Callable[..., np.ndarray], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """`ufunc`, np.maximum or np.minimum, with 0.0 above -0.0: NumPy leaves that to the machine."""
    out = ufunc(x, y)
    if out.dtype.kind != "f" or np.all(out):
        return out
    # The sum of two zeros is 0.0 if one of them is; turned round by the signs, -0.0 if one is.
    zero = x + y if ufunc is np.maximum else -(-x - y)
    return np.where((x == y) & (out == 0), zero, out)


@primitive(type=_numbers, traits=_SYMMETRIC)
def maximum(x, y):
    """Larger of two elements; NaN where one is NaN, and 0.0 is larger than -0.0.

    Of equal elements each gets half of the gradient. Where one is NaN none gets any.

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
    >>> p.maximum(np.array([1.0, -0.0, np.nan]), np.array([0.5, 0.0, 1.0]))
    array([ 1.,  0., nan])
    """
    return _extreme(np.maximum, x, y)


@maximum.adjoint
def maximum_adjoint(x, y, out, dout):
    half = where(equal(x, y), dout * 0.5, 0)
    return where(x > y, dout, half), where(y > x, dout, half)


@primitive(type=_numbers, traits=_SYMMETRIC)
def minimum(x, y):
    """Smaller of two elements; NaN where one is NaN, and -0.0 is smaller than 0.0.

    Of equal elements each gets half of the gradient. Where one is NaN none gets any.

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
    >>> p.minimum(np.array([1.0, 0.0, np.nan]), np.array([0.5, -0.0, 1.0]))
    array([ 0.5, -0. ,  nan])
    """
    return _extreme(np.minimum, x, y)


@minimum.adjoint
def minimum_adjoint(x, y, out, dout):
    half = where(equal(x, y), dout * 0.5, 0)
    return where(x < y, dout, half), where(y < x, dout, half)


@primitive(type=_numbers, traits={Trait.ELEMENTWISE})
def clip(x, low, high):
    """`x`, but at least `low`, and then at most `high`: ``minimum(maximum(x, low), high)``.

    NaN where an operand is NaN. The gradient goes to the operand that is the result; to `x` where
    it equals a bound.

    Parameters
    ----------
    x, low, high : Tensors of numbers, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not numbers of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.clip(np.array([-2.0, 0.5, 3.0]), 0.0, 1.0)
    array([0. , 0.5, 1. ])
    """
    return _extreme(np.minimum, _extreme(np.maximum, x, low), high)


@clip.adjoint
def clip_adjoint(x, low, high, out, dout):
    dx = where(logical_and(low <= x, x <= high), dout, 0)
    dlow = where(logical_and(x < low, low <= high), dout, 0)
    dhigh = where(logical_or(high < x, high < low), dout, 0)
    return dx, dlow, dhigh


@primitive(type=_numbers, traits={Trait.ELEMENTWISE})
def relu(x):
    """`x` where it is above 0, else 0.0; NaN stays NaN. The gradient at 0, and at NaN, is 0.

    Parameters
    ----------
    x : Tensor of numbers, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is bool.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.relu(np.array([-1.5, -0.0, 2.0, np.nan]))
    array([ 0.,  0.,  2., nan])
    """
    zero = x.dtype.type(0)
    return np.maximum(x, zero) + zero  # -0.0 + 0.0 is 0.0


@relu.adjoint
def relu_adjoint(x, out, dout):
    return (where(x > 0, dout, 0),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def sqrt(x):
    """Square root of floats; NaN below 0. The derivative at 0 is infinite.

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
    >>> p.sqrt(np.array([4.0, 0.0, -0.0]))
    array([ 2.,  0., -0.])
    """
    return np.sqrt(x)


@sqrt.adjoint
def sqrt_adjoint(x, out, dout):
    return (dout / (2 * out),)


@primitive(type=_floats, traits={Trait.ELEMENTWISE})
def rsqrt(x):
    """One divided by the square root; an infinity of its sign for a zero, NaN below.

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
    >>> p.rsqrt(np.array([4.0, 0.0, np.inf]))
    array([0.5, inf, 0. ])
    """
    return x.dtype.type(1) / np.sqrt(x)


@rsqrt.adjoint
def rsqrt_adjoint(x, out, dout):
    return (dout * (out / x * -0.5),)


def _integer_power(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    zero, one = x.dtype.type(0), x.dtype.type(1)
    whole = np.power(x, np.maximum(y, zero))
    unit = np.where((x == one) | (x == -one), np.power(x, y & one), zero)
    return np.where(y < zero, unit, whole)


@primitive(type=_numbers, traits={Trait.ELEMENTWISE})
def pow(x, y):
    """`x` to the power `y`, with NumPy broadcasting.

    Floats are C's `pow`: ``x**0`` and ``1**y`` are 1 for all, NaN included; a negative number to
    a fractional power is NaN. Integers wrap, and a negative power is the quotient rounded towards
    0: 0, unless `x` is 1 or -1. ``0**-1`` is 0, like all integers divided by 0.

    The gradient of ``x**0`` with respect to `x` is 0, also at 0. With respect to `y` it is
    ``out * log(x)`` where `x` is positive, and 0 elsewhere.

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
    >>> p.pow(np.array([2.0, 0.0, -8.0]), np.array([3.0, 0.0, 2.0]))
    array([ 8.,  1., 64.])
    >>> p.pow(np.array([2, 2, -1]), np.array([10, -1, -3]))
    array([1024,    0,   -1])
    """
    return np.power(x, y) if x.dtype.kind == "f" else _integer_power(x, y)
