"""How are truth values combined, and bits combined and shifted?

``logical_*`` take bools only, ``bit_*`` integers or bools, shifts integers only.
"""

from __future__ import annotations

import numpy as np

from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Trait
from s2sad.prims.define import primitive
from s2sad.prims.rules import elementwise, is_bool, is_integer


def _has_bits(dtype: DType) -> bool:
    return dtype.is_integer or dtype is dtypes.bool_


_bools = elementwise(is_bool, "bools")
_bits = elementwise(_has_bits, "integers or bools")
_integers = elementwise(is_integer, "integers")
_NONDIFF = "the result is not a float"
_SYMMETRIC = {Trait.ELEMENTWISE, Trait.COMMUTATIVE}


@primitive(type=_bools, traits=_SYMMETRIC, nondiff=_NONDIFF)
def logical_and(x, y):
    """Whether both of two bools hold, elementwise.

    Parameters
    ----------
    x, y : Tensors of bools, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not bools of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.logical_and(np.array([True, False]), True)
    array([ True, False])
    """
    return np.logical_and(x, y)


@primitive(type=_bools, traits=_SYMMETRIC, nondiff=_NONDIFF)
def logical_or(x, y):
    """Whether at least one of two bools holds, elementwise.

    Parameters
    ----------
    x, y : Tensors of bools, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not bools of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.logical_or(np.array([True, False]), False)
    array([ True, False])
    """
    return np.logical_or(x, y)


@primitive(type=_bools, traits=_SYMMETRIC, nondiff=_NONDIFF)
def logical_xor(x, y):
    """Whether exactly one of two bools holds, elementwise.

    Parameters
    ----------
    x, y : Tensors of bools, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not bools of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.logical_xor(np.array([True, False]), True)
    array([False,  True])
    """
    return np.logical_xor(x, y)


@primitive(type=_bools, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def logical_not(x):
    """Whether a bool does not hold, elementwise.

    Parameters
    ----------
    x : Tensor of bools, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is not bool.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.logical_not(np.array([True, False]))
    array([False,  True])
    """
    return np.logical_not(x)


@primitive(type=_bits, traits=_SYMMETRIC, nondiff=_NONDIFF)
def bit_and(x, y):
    """Bits that are set in both operands; for bools, whether both hold.

    Parameters
    ----------
    x, y : Tensors of integers or bools, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not integers or bools of one dtype, E0401 if their shapes do not
        broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.bit_and(np.array([6, -1]), 3)
    array([2, 3])
    """
    return np.bitwise_and(x, y)


@primitive(type=_bits, traits=_SYMMETRIC, nondiff=_NONDIFF)
def bit_or(x, y):
    """Bits that are set in at least one operand; for bools, whether one holds.

    Parameters
    ----------
    x, y : Tensors of integers or bools, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not integers or bools of one dtype, E0401 if their shapes do not
        broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.bit_or(np.array([6, -1]), 3)
    array([ 7, -1])
    """
    return np.bitwise_or(x, y)


@primitive(type=_bits, traits=_SYMMETRIC, nondiff=_NONDIFF)
def bit_xor(x, y):
    """Bits that are set in exactly one operand; for bools, whether exactly one holds.

    Parameters
    ----------
    x, y : Tensors of integers or bools, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not integers or bools of one dtype, E0401 if their shapes do not
        broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.bit_xor(np.array([6, -1]), 3)
    array([ 5, -4])
    """
    return np.bitwise_xor(x, y)


@primitive(type=_bits, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def bit_not(x):
    """All bits inverted; for bools, whether it does not hold.

    Parameters
    ----------
    x : Tensor of integers or bools, of any shape

    Raises
    ------
    S2sadError
        E0301 if `x` is float.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.bit_not(np.array([0, -6]))
    array([-1,  5])
    """
    return np.bitwise_not(x)


@primitive(type=_integers, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def shift_left(x, count):
    """`x` times two to the power `count`, wrapping: bits move towards the sign.

    A count below 0, or of the width of the dtype and above, moves all bits out: 0.

    Parameters
    ----------
    x, count : Tensors of integers, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not integers of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.shift_left(np.array([1, 3, 3]), np.array([4, 63, 64])).tolist()
    [16, -9223372036854775808, 0]
    """
    inside = _is_inside(x, count)
    shifted = np.left_shift(x, np.where(inside, count, count.dtype.type(0)))
    return np.where(inside, shifted, x.dtype.type(0))


@primitive(type=_integers, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def shift_right(x, count):
    """`x` divided by two to the power `count`, rounded down: the sign is kept.

    A count below 0, or of the width of the dtype and above, leaves the sign only: 0 or -1.

    Parameters
    ----------
    x, count : Tensors of integers, of one dtype; shapes broadcast

    Raises
    ------
    S2sadError
        E0301 if they are not integers of one dtype, E0401 if their shapes do not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.shift_right(np.array([16, -5, -5, 5]), np.array([4, 1, 64, -1])).tolist()
    [1, -3, -1, 0]
    """
    last = count.dtype.type(8 * x.dtype.itemsize - (x.dtype.kind == "i"))
    return np.right_shift(x, np.where(_is_inside(x, count), count, last))


def _is_inside(x: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Whether each count is one that the shift of a machine word allows."""
    return (count >= 0) & (count < 8 * x.dtype.itemsize)
