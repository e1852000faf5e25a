"""What are quotients and remainders: true, rounded down as Python's, or cut off as C's?

Integers divided by 0 give 0, and have the remainder 0. Rounded quotients count as constant: their
gradient is 0.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.autocast import decided
from s2sad.ops.promotion import (
    as_tensor,
    dtype_met,
    floats_of,
    promote,
    promote_floats,
    require_broadcast,
)


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """Elementwise quotient.

    Parameters
    ----------
    input, other : Tensor or number
        At least one Tensor.
    rounding_mode : {None, "floor", "trunc"}
        None for the true quotient, of integers and bools in float32; "floor" to round it down, as
        `floor_divide` does; "trunc" to round it towards 0. Rounded ones of integers are integers.

    Raises
    ------
    S2sadError
        E0404 for another mode.

    Examples
    --------
    >>> import s2sad as ms
    >>> div(ms.Tensor([1, 2]), 2).asnumpy()
    array([0.5, 1. ], dtype=float32)
    >>> div(ms.Tensor([-7, 7]), 2, rounding_mode="trunc").asnumpy()
    array([-3,  3])
    """
    if rounding_mode is None:
        return p.div(*promote_floats(input, other))
    if rounding_mode == "floor":
        return floor_divide(input, other)
    if rounding_mode == "trunc":
        return _truncated(*promote(input, other))
    raise fail("E0404", f"rounding_mode is None, 'floor' or 'trunc', got {rounding_mode!r}")


divide = div


def _truncated(x: Any, y: Any) -> Any:
    if dtype_met(x, y).is_float:
        return p.trunc(p.div(x, y))
    down = p.floor_div(x, y)
    is_too_low = p.logical_and(p.less(down, 0), p.not_equal(p.mod(x, y), 0))
    return p.where(is_too_low, p.add(down, 1), down)


def true_divide(dividend: Any, divisor: Any) -> Any:
    """The true quotient, as `div` gives it.

    Arguments and errors are those of `div`.

    Examples
    --------
    >>> import s2sad as ms
    >>> true_divide(ms.Tensor([1, 2]), 2).asnumpy()
    array([0.5, 1. ], dtype=float32)
    """
    return div(dividend, divisor)


def floor_divide(input: Any, other: Any) -> Any:
    """The quotient rounded down, as Python's ``//``.

    Operands and errors are those of `add`; bools have none (E0301).

    Examples
    --------
    >>> import s2sad as ms
    >>> floor_divide(ms.Tensor([-7, 7, 7]), ms.Tensor([2, 2, 0])).asnumpy()
    array([-4,  3,  0])
    """
    return p.floor_div(*promote(input, other))


def floor_div(x: Any, y: Any) -> Any:
    """The quotient rounded down, as Python's ``//``.

    Arguments and errors are those of `floor_divide`.

    Examples
    --------
    >>> import s2sad as ms
    >>> floor_div(ms.Tensor([-7.0, 7.0]), 2).asnumpy()
    array([-4.,  3.], dtype=float32)
    """
    return floor_divide(x, y)


def remainder(input: Any, other: Any) -> Any:
    """What `floor_divide` leaves, as Python's ``%``: with the sign of `other`.

    Operands and errors are those of `add`; bools have none (E0301).

    Examples
    --------
    >>> import s2sad as ms
    >>> remainder(ms.Tensor([-7, 7, 7]), ms.Tensor([2, -2, 0])).asnumpy()
    array([ 1, -1,  0])
    """
    return p.mod(*promote(input, other))


def floor_mod(x: Any, y: Any) -> Any:
    """What `floor_div` leaves, as Python's ``%``: with the sign of `y`.

    Arguments and errors are those of `remainder`.

    Examples
    --------
    >>> import s2sad as ms
    >>> floor_mod(ms.Tensor([-7.0, 7.0]), 2).asnumpy()
    array([1., 1.], dtype=float32)
    """
    return remainder(x, y)


def divide_with_remainder(x: Any, y: Any) -> tuple[Any, Any]:
    """``divmod(x, y)``: quotient rounded down, and remainder."""
    return floor_divide(x, y), remainder(x, y)


def fmod(input: Any, other: Any) -> Any:
    """What the quotient rounded towards 0 leaves, as C's `fmod`: with the sign of `input`.

    Operands and errors are those of `add`; bools have none (E0301).

    Examples
    --------
    >>> import s2sad as ms
    >>> fmod(ms.Tensor([-7, 7]), ms.Tensor([2, -2])).asnumpy()
    array([-1,  1])
    """
    x, y = promote(input, other)
    dtype = dtype_met(x, y)
    if not dtype.is_float:
        x, y = as_tensor(x, dtype), as_tensor(y, dtype)
        rest = p.mod(x, y)
        is_turned = p.logical_and(p.not_equal(rest, 0), p.not_equal(p.less(x, 0), p.less(y, 0)))
        return p.where(is_turned, p.sub(rest, y), rest)
    x, y = promote_floats(x, y)
    require_broadcast(x, y)
    # With the sign of x on the divisor both remainders agree, exactly; 1 / -0.0 is below 0.
    is_negative = p.logical_or(p.less(x, 0), p.less(p.div(1, x), 0))
    size = p.abs(y)
    return p.mod(x, p.where(is_negative, p.neg(size), size))


def reciprocal(input: Any) -> Any:
    """One divided by each element, of integers in float32.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> reciprocal(ms.Tensor([2.0, 0.0])).asnumpy()
    array([0.5, inf], dtype=float32)
    """
    (x,) = decided("reciprocal", input)
    return p.div(1, floats_of(x, "reciprocal"))
