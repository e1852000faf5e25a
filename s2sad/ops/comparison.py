"""Comparisons and selection, with MindSpore's promotion."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.dtypes import bool_, uint8
from s2sad.ops.promotion import as_dtype, as_operand, constant, default_dtype, is_tensor, promote


def less(input: Any, other: Any) -> Any:
    """Whether ``input < other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> less(ms.Tensor([1.0, 3.0]), 2).asnumpy()
    array([ True, False])
    """
    return p.less(*_ordered(input, other))


def less_equal(input: Any, other: Any) -> Any:
    """Whether ``input <= other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> less_equal(ms.Tensor([1.0, 3.0]), 3).asnumpy()
    array([ True,  True])
    """
    return p.less_equal(*_ordered(input, other))


def greater(input: Any, other: Any) -> Any:
    """Whether ``input > other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> greater(ms.Tensor([1.0, 3.0]), 2).asnumpy()
    array([False,  True])
    """
    return p.greater(*_ordered(input, other))


def greater_equal(input: Any, other: Any) -> Any:
    """Whether ``input >= other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> greater_equal(ms.Tensor([1.0, 3.0]), 1).asnumpy()
    array([ True,  True])
    """
    return p.greater_equal(*_ordered(input, other))


def _ordered(*operands: Any) -> tuple[Any, ...]:
    """`operands` in one dtype that has an order; False comes before True."""
    given = promote(*operands)
    return tuple(as_dtype(x, uint8) if is_tensor(x) and x.dtype is bool_ else x for x in given)


def equal(input: Any, other: Any) -> Any:
    """Whether ``input == other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> equal(ms.Tensor([1, 3]), 3).asnumpy()
    array([False,  True])
    """
    return p.equal(*promote(input, other))


def not_equal(input: Any, other: Any) -> Any:
    """Whether ``input != other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> not_equal(ms.Tensor([1, 3]), 3).asnumpy()
    array([ True, False])
    """
    return p.not_equal(*promote(input, other))


def where(condition: Any, input: Any, other: Any) -> Any:
    """`input` where `condition` holds, else `other`; all three broadcast.

    The gradient reaches only the side that was selected, so a NaN on the other does not leak.

    Parameters
    ----------
    condition : Tensor of bool
    input, other : Tensor or number
        Two numbers give float32, int64 or bool.

    Raises
    ------
    S2sadError
        E0301 when `condition` is no bool, E0401 when the shapes do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([-1.0, 2.0])
    >>> where(x > 0, x, 0.0).asnumpy()
    array([0., 2.], dtype=float32)
    """
    condition = as_operand(condition, (input, other))
    sides = as_operand(input, (condition,)), as_operand(other, (condition,))
    if any(map(is_tensor, sides)):
        return p.where(condition, *promote(*sides))
    dtype = default_dtype(*sides)
    return p.where(condition, *(constant(x, dtype) for x in sides))
