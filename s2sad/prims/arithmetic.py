"""Sums, products and what is made of them, element by element."""

from __future__ import annotations

import numpy as np

from s2sad.ir.primitive import Trait
from s2sad.prims.define import primitive
from s2sad.prims.rules import elementwise, is_float, is_number

_numbers = elementwise(is_number, "numbers")
_floats = elementwise(is_float, "floats")


@primitive(type=_numbers, traits={Trait.ELEMENTWISE, Trait.COMMUTATIVE}, linear=((0, 1),))
def add(x, y):
    """Elementwise sum, with NumPy broadcasting; integers wrap.

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


@primitive(type=_numbers, traits={Trait.ELEMENTWISE, Trait.COMMUTATIVE}, linear=(0, 1))
def mul(x, y):
    """Elementwise product, with NumPy broadcasting; integers wrap.

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
