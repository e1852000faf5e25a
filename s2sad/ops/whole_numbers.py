"""Which divisors do integers share, and what is division that rounds towards zero?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.ops.division import fmod
from s2sad.ops.promotion import as_tensor, dtype_met, promote, require_integers


def gcd(input: Any, other: Any) -> Any:
    """The greatest integer that divides both; 0 for two zeros. Shapes broadcast.

    Parameters
    ----------
    input, other : Tensor of integers, or int
        One at least a Tensor.

    Raises
    ------
    S2sadError
        E0301 for what are no integers, E0304 for what is neither Tensor nor number, E0401 when
        shapes do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> gcd(ms.Tensor([12, -9, 0]), ms.Tensor([18, 6, 5])).asnumpy()
    array([6, 3, 5])
    """
    x, y = _integers(input, other)
    zero = p.zeros_like(p.add(x, y))  # both are carried in the shape that they broadcast to

    def step(x: Any, y: Any) -> tuple[Any, Any]:
        is_going_on = p.not_equal(y, 0)
        rest = p.mod(x, p.where(is_going_on, y, 1))
        return p.where(is_going_on, y, x), p.where(is_going_on, rest, y)

    found, _ = p.while_(
        p.add(x, zero), p.add(y, zero),
        condition=lambda _, y: p.reduce_any(p.not_equal(y, 0)), body=step,
    )  # fmt: skip
    return p.abs(found)


def lcm(input: Any, other: Any) -> Any:
    """The least integer that both divide; 0 where one is 0. Shapes broadcast.

    Arguments and errors are those of `gcd`. What does not fit the dtype wraps.

    Examples
    --------
    >>> import s2sad as ms
    >>> lcm(ms.Tensor([4, -3, 0]), ms.Tensor([6, 5, 5])).asnumpy()
    array([12, 15,  0])
    """
    x, y = _integers(input, other)
    shared = gcd(x, y)
    part = p.floor_div(x, p.where(p.equal(shared, 0), 1, shared))
    return p.abs(p.mul(part, y))


def _integers(*given: Any) -> tuple[Any, ...]:
    met = promote(*given)
    dtype = dtype_met(*met)
    return tuple(require_integers(as_tensor(x, dtype), "operands of gcd and lcm") for x in met)


def truncate_div(x: Any, y: Any) -> Any:
    """``x / y`` rounded towards zero; shapes broadcast.

    Parameters
    ----------
    x, y : Tensor or number
        One at least a Tensor.

    Raises
    ------
    S2sadError
        E0304 for what is neither Tensor nor number, E0401 when shapes do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> truncate_div(ms.Tensor([7, -7]), 2).asnumpy()
    array([ 3, -3])
    """
    above, below = promote(x, y)
    dtype = dtype_met(above, below)
    above, below = as_tensor(above, dtype), as_tensor(below, dtype)
    if dtype.is_float:
        return p.trunc(p.div(above, below))
    rounded = p.floor_div(above, below)
    is_apart = p.logical_xor(p.less(above, 0), p.less(below, 0))
    is_low = p.logical_and(is_apart, p.not_equal(p.mul(rounded, below), above))
    return p.where(p.logical_and(is_low, p.not_equal(below, 0)), p.add(rounded, 1), rounded)


def truncate_mod(x: Any, y: Any) -> Any:
    """The rest of `truncate_div`, with the sign of `x`: `fmod`.

    Arguments and errors are those of `truncate_div`.

    Examples
    --------
    >>> import s2sad as ms
    >>> truncate_mod(ms.Tensor([7, -7]), 2).asnumpy()
    array([ 1, -1])
    """
    return fmod(x, y)
