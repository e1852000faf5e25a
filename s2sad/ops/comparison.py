"""Comparisons and selection, with MindSpore's promotion."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.ops.promotion import promote


def less(input: Any, other: Any) -> Any:  # noqa: A002
    """Whether ``input < other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> less(ms.Tensor([1.0, 3.0]), 2).asnumpy()
    array([ True, False])
    """
    return p.less(*promote(input, other))


def less_equal(input: Any, other: Any) -> Any:  # noqa: A002
    """Whether ``input <= other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> less_equal(ms.Tensor([1.0, 3.0]), 3).asnumpy()
    array([ True,  True])
    """
    return p.less_equal(*promote(input, other))


def greater(input: Any, other: Any) -> Any:  # noqa: A002
    """Whether ``input > other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> greater(ms.Tensor([1.0, 3.0]), 2).asnumpy()
    array([False,  True])
    """
    return p.greater(*promote(input, other))


def greater_equal(input: Any, other: Any) -> Any:  # noqa: A002
    """Whether ``input >= other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> greater_equal(ms.Tensor([1.0, 3.0]), 1).asnumpy()
    array([ True,  True])
    """
    return p.greater_equal(*promote(input, other))


def equal(input: Any, other: Any) -> Any:  # noqa: A002
    """Whether ``input == other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> equal(ms.Tensor([1, 3]), 3).asnumpy()
    array([False,  True])
    """
    return p.equal(*promote(input, other))


def not_equal(input: Any, other: Any) -> Any:  # noqa: A002
    """Whether ``input != other``, elementwise.

    Examples
    --------
    >>> import s2sad as ms
    >>> not_equal(ms.Tensor([1, 3]), 3).asnumpy()
    array([ True, False])
    """
    return p.not_equal(*promote(input, other))


def where(condition: Any, input: Any, other: Any) -> Any:  # noqa: A002
    """`input` where `condition` holds, else `other`; all three broadcast.

    The gradient reaches only the side that was selected, so a NaN on the other does not leak.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([-1.0, 2.0])
    >>> where(x > 0, x, 0.0).asnumpy()
    array([0., 2.], dtype=float32)
    """
    return p.where(condition, *promote(input, other))
