"""Which products, quotients, powers and logarithms have a meaning of their own at the edges?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ops.arithmetic import mul
from s2sad.ops.exponential import exp2
from s2sad.ops.promotion import (
    as_tensor,
    dtype_met,
    floats_of,
    promote,
    promote_floats,
    require_tensor,
)
from s2sad.ops.settings import fraction


def float_power(input: Any, exponent: Any) -> Any:
    """`input` to the power `exponent`, in float64; shapes broadcast.

    Parameters
    ----------
    input, exponent : Tensor or number
        One at least a Tensor.

    Raises
    ------
    S2sadError
        E0304 for what is neither Tensor nor number, E0401 when shapes do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> float_power(ms.Tensor([2, 3]), 2).asnumpy()
    array([4., 9.])
    """
    base, power = (as_tensor(each, dtypes.float64) for each in promote(input, exponent))
    return p.pow(base, power)


def ldexp(x: Any, other: Any) -> Any:
    """``x * 2**other``; shapes broadcast.

    Parameters
    ----------
    x, other : Tensor or number
        One at least a Tensor. Integers and bools are taken as float32.

    Raises
    ------
    S2sadError
        E0304 for what is neither Tensor nor number, E0401 when shapes do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> ldexp(ms.Tensor([1.0, 3.0]), ms.Tensor([1, 2])).asnumpy()
    array([ 2., 12.], dtype=float32)
    """
    size, power = promote_floats(x, other)
    return mul(size, exp2(power))


def xdivy(x: Any, y: Any) -> Any:
    """``x / y``, and 0 where `x` is 0, whatever `y` is; shapes broadcast.

    Parameters
    ----------
    x, y : Tensor or number
        One at least a Tensor. Integers and bools are taken as float32.

    Raises
    ------
    S2sadError
        E0304 for what is neither Tensor nor number, E0401 when shapes do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> xdivy(ms.Tensor([0.0, 1.0]), ms.Tensor([0.0, 4.0])).asnumpy()
    array([0.  , 0.25], dtype=float32)
    """
    above, below = promote_floats(x, y)
    is_none = p.logical_not(p.logical_or(p.less(below, 0), p.greater(below, 0)))  # 0 or NaN
    is_edge = p.logical_and(p.equal(above, 0), is_none)
    return p.where(is_edge, 0, p.div(above, p.where(is_edge, 1, below)))


def logit(input: Any, eps: float | None = None) -> Any:
    """``log(z / (1 - z))``, z being `input`, kept from `eps` to ``1 - eps`` where that is given.

    Parameters
    ----------
    input : Tensor
        Integers and bools are taken as float32.
    eps : float, optional
        From 0 to 1.

    Raises
    ------
    S2sadError
        E0303 or E0404 for an `eps` that cannot be, E0304 for what is no Tensor.

    Notes
    -----
    NaN outside of 0 to 1 where there is no `eps`, and so the gradient; infinite at the ends.

    Examples
    --------
    >>> import s2sad as ms
    >>> logit(ms.Tensor([0.5, 0.0]), 0.1).asnumpy().round(4)
    array([ 0.    , -2.1972], dtype=float32)
    """
    x = floats_of(require_tensor(input, "logit"), "logit")
    if eps is not None:
        x = p.clip(x, fraction("eps", eps), 1 - eps)
    inside = p.logical_and(p.greater_equal(x, 0), p.less_equal(x, 1))
    return p.where(inside, p.sub(p.log(x), p.log1p(p.neg(x))), p.mul(x, float("nan")))


def mul_no_nan(x: Any, y: Any) -> Any:
    """``x * y``, and 0 where `y` is 0, whatever `x` is; shapes broadcast.

    Parameters
    ----------
    x, y : Tensor or number
        One at least a Tensor.

    Raises
    ------
    S2sadError
        E0301 for two operands of bools, E0304 for what is neither Tensor nor number, E0401 when
        shapes do not broadcast.

    Notes
    -----
    Gradients are those of the product; where `y` is 0 and `x` not finite, that by `y` is 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> mul_no_nan(ms.Tensor([float("inf"), 3.0]), ms.Tensor([0.0, 2.0])).asnumpy()
    array([0., 6.], dtype=float32)
    """
    one, other = promote(x, y)
    dtype = dtype_met(one, other)
    one, other = as_tensor(one, dtype), as_tensor(other, dtype)
    if not dtype.is_float:
        return p.mul(one, other)
    none = p.equal(other, 0)
    is_edge = p.logical_and(none, p.logical_not(p.is_finite(one)))
    zero = p.where(none, 0, as_tensor(-0.0, dtype))  # no product is -0.0 where `y` is 0
    return p.add(p.mul(p.where(is_edge, 0, one), other), zero)
