"""What are the incomplete gamma functions, and the logarithms of gamma and beta integrals?

The logarithm of a gamma function is large where its argument is, and what is wanted are small
differences of such: they are taken here before rounding, by Stirling's series.
"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ir import dims
from s2sad.ops.promotion import as_dtype, promote_floats

#: From here on Stirling's series is exact with these terms, in float64: B(2k) / (2k (2k - 1)).
LARGE = 12.0
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)
#: A loop ends when its steps are this small: what a gradient needs of them is then as small.
NOTHING = 1e-19


def log_gamma_term(a: Any, x: Any, over: Any | None = None) -> Any:
    """Logarithm of ``x**a * exp(-x) / gamma(a + 1)``, the probability of `a` events of `x`.

    Parameters
    ----------
    a, x : Tensor of floats, of one dtype
        Not negative, else NaN. They broadcast.
    over : Tensor, optional
        ``x - a``, where that is known more exactly than from the two.

    Examples
    --------
    >>> import s2sad as ms
    >>> log_gamma_term(ms.Tensor([0.0, 1e6]), ms.Tensor([0.0, 1e6])).asnumpy().round(4)
    array([ 0.    , -7.8267], dtype=float32)
    """
    is_large = p.greater_equal(a, LARGE)
    count = p.where(is_large, a, LARGE)
    excess = p.div(p.sub(x, count) if over is None else over, count)
    is_low = p.less(excess, -0.5)
    ratio = p.where(is_low, p.div(x, count), 1.0)
    log = p.where(is_low, p.log(ratio), p.log1p(p.where(is_low, 0.0, excess)))
    around = p.sub(p.mul(count, p.sub(log, excess)), p.mul(0.5, p.log(count)))
    large = p.sub(around, p.add(_correction(count), HALF_LOG_TAU))
    few = p.where(is_large, 1.0, a)
    is_none = p.logical_and(p.equal(few, 0.0), p.equal(x, 0.0))
    power = p.mul(few, p.log(p.where(is_none, 1.0, x)))
    small = p.sub(p.sub(power, x), p.lgamma(p.add(few, 1.0)))
    found = p.where(is_large, large, small)
    found = p.where(p.logical_and(p.is_inf(x), p.greater(x, 0.0)), -math.inf, found)
    is_outside = p.logical_or(p.less(a, 0.0), p.less(x, 0.0))
    return p.where(is_outside, math.nan, found)


def _correction(x: Any) -> Any:
    """What Stirling's series adds to the logarithm of a gamma function, at `LARGE` or more."""
    inverse = p.div(1.0, x)
    square = p.square(inverse)
    total = STIRLING[-1]
    for coefficient in STIRLING[-2::-1]:
        total = p.add(p.mul(square, total), coefficient)
    return p.mul(inverse, total)


def log_beta(a: Any, b: Any) -> Any:
    """Logarithm of ``gamma(a) * gamma(b) / gamma(a + b)``.

    Parameters
    ----------
    a, b : Tensor of floats, of one dtype
        Positive. They broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> log_beta(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1e6])).asnumpy().round(4)
    array([  0.   , -27.631], dtype=float32)
    """
    is_first = p.less(a, b)
    small, large = p.where(is_first, a, b), p.where(is_first, b, a)
    is_large = p.greater_equal(large, LARGE)
    apart = p.where(is_large, 1.0, large)
    plain = p.sub(p.add(p.lgamma(small), p.lgamma(apart)), p.lgamma(p.add(small, apart)))
    beside = p.where(is_large, large, LARGE)
    return p.where(is_large, _log_beta_of_large(small, beside), plain)


def log_beta_term(a: Any, b: Any, x: Any) -> Any:
    """Logarithm of ``x**a * (1 - x)**b / beta(a, b)``, with `a` and `b` positive, x inside (0, 1).

    It is made of three terms of `log_gamma_term`, in which the large logarithms cancel.

    Examples
    --------
    >>> import s2sad as ms
    >>> many = ms.Tensor([1.0, 1e6])
    >>> log_beta_term(many, many, ms.Tensor(0.5)).asnumpy().round(3)
    array([-1.386,  5.642], dtype=float32)
    """
    total = p.add(a, b)
    over = p.sub(p.mul(total, x), a)
    first = log_gamma_term(a, p.mul(total, x), over)
    second = log_gamma_term(b, p.mul(total, p.sub(1.0, x)), p.neg(over))
    both = p.sub(p.add(first, second), log_gamma_term(total, total))
    return p.add(both, p.add(p.log(a), p.log(p.div(b, total))))


def _log_beta_of_large(small: Any, large: Any) -> Any:
    """By the difference of the logarithms of gamma at `large` and at the sum."""
    total = p.add(small, large)
    ratio = p.div(small, large)
    corrections = p.sub(_correction(large), _correction(total))
    bend = p.mul(p.sub(0.5, large), p.log1p(ratio))
    is_large = p.greater_equal(small, LARGE)
    few = p.where(is_large, 1.0, small)
    one = p.sub(p.add(p.lgamma(few), few), p.mul(few, p.log(total)))
    many = p.where(is_large, small, LARGE)
    both = p.add(_correction(many), p.sub(HALF_LOG_TAU, p.mul(0.5, p.log(many))))
    both = p.sub(both, p.mul(many, p.log1p(p.div(large, many))))
    return p.add(p.add(corrections, bend), p.where(is_large, both, one))


def lower_gamma(a: Any, x: Any) -> Any:
    """The incomplete gamma function P: the part of the gamma integral of `a` that is below `x`.

    Parameters
    ----------
    a, x : Tensor of floats, or one of them a number
        Not negative, else NaN. They broadcast.

    Notes
    -----
    By its series where ``x < a + 1``, else by a continued fraction for what is above (W. Gautschi,
    "A computational procedure for incomplete gamma functions", 1979; the fraction as of W. J.
    Lentz, 1976), in float64. Both take a number of steps like the root of `a` where `x` is near to
    it. There are gradients by `a` and by `x`, of every order.

    Examples
    --------
    >>> import s2sad as ms
    >>> lower_gamma(ms.Tensor([1.0, 1.0]), ms.Tensor([0.5, 20.0])).asnumpy().round(4)
    array([0.3935, 1.    ], dtype=float32)
    """
    return _part(a, x, is_upper=False)


def upper_gamma(a: Any, x: Any) -> Any:
    """The part of the gamma integral of `a` that is above `x`: what `lower_gamma` leaves of 1.

    Examples
    --------
    >>> import s2sad as ms
    >>> upper_gamma(ms.Tensor([1.0, 1.0]), ms.Tensor([0.5, 20.0])).asnumpy()
    array([6.0653067e-01, 2.0611537e-09], dtype=float32)
    """
    return _part(a, x, is_upper=True)


def _part(a: Any, x: Any, is_upper: bool) -> Any:
    given = promote_floats(a, x)
    shape = tuple(dims.broadcast(*(tuple(each.shape) for each in given)))
    a, x = (p.broadcast_to(as_dtype(each, dtypes.float64), shape=shape) for each in given)
    is_inner = p.logical_and(_is_positive(a), _is_positive(x))
    is_low = p.logical_and(is_inner, p.less(x, p.add(a, 1.0)))
    is_high = p.logical_and(is_inner, p.logical_not(is_low))
    front = p.exp(log_gamma_term(p.where(is_inner, a, 1.0), p.where(is_inner, x, 1.0)))
    low = p.mul(front, _series(p.where(is_low, a, 1.0), p.where(is_low, x, 1.0)))
    high = p.mul(front, _fraction(p.where(is_high, a, 1.0), p.where(is_high, x, 3.0)))
    if is_upper:
        inner = p.where(is_low, p.sub(1.0, low), high)
    else:
        inner = p.where(is_low, low, p.sub(1.0, high))
    return as_dtype(p.where(is_inner, inner, _at_the_ends(a, x, is_upper)), given[0].dtype)


def _is_positive(x: Any) -> Any:
    """Where `x` is positive and finite."""
    return p.logical_and(p.greater(x, 0.0), p.is_finite(x))


def _at_the_ends(a: Any, x: Any, is_upper: bool) -> Any:
    """What holds where `a` or `x` is 0 or infinite; NaN elsewhere."""
    nothing = p.logical_or(
        p.logical_and(p.equal(x, 0.0), p.greater(a, 0.0)),
        p.logical_and(p.equal(a, math.inf), p.logical_and(p.greater_equal(x, 0.0), p.is_finite(x))),
    )
    everything = p.logical_or(
        p.logical_and(p.equal(x, math.inf), p.logical_and(p.greater_equal(a, 0.0), p.is_finite(a))),
        p.logical_and(p.equal(a, 0.0), p.greater(x, 0.0)),
    )
    inside, outside = (1.0, 0.0) if is_upper else (0.0, 1.0)
    return p.where(nothing, inside, p.where(everything, outside, math.nan))


def _series(a: Any, x: Any) -> Any:
    """The sum of ``x**n / ((a + 1) ... (a + n))``."""

    def goes_on(term: Any, total: Any, step: Any, a: Any, x: Any) -> Any:
        return p.reduce_any(p.greater(term, p.mul(NOTHING, total)))

    def follow(term: Any, total: Any, step: Any, a: Any, x: Any) -> tuple[Any, ...]:
        term = p.mul(term, p.div(x, p.add(a, step)))
        return term, p.add(total, term), p.add(step, 1.0), a, x

    one = p.ones_like(a)
    return p.while_(one, one, one, a, x, condition=goes_on, body=follow)[1]


def _fraction(a: Any, x: Any) -> Any:
    """``a / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / ...))``.

    Where `a` is whole it ends, but its gradient by `a` does not: that of the `a` half way to the
    next says when enough steps were taken.
    """
    between = p.stop_gradient(p.add(p.floor(a), 0.5))
    away = p.sub(p.stop_gradient(a), between)

    def goes_on(found: Any, upper: Any, lower: Any, other: Any, below: Any, *rest: Any) -> Any:
        return p.reduce_any(p.greater(p.abs(p.sub(p.mul(other, below), 1.0)), 1e-15))

    def follow(
        found: Any, upper: Any, lower: Any, other: Any, below: Any, base: Any, step: Any, a: Any,
        between: Any, away: Any,
    ) -> tuple[Any, ...]:  # fmt: skip
        base = p.add(base, 2.0)
        upper, lower = _deeper(upper, lower, base, p.mul(step, p.sub(a, step)))
        factor = p.mul(step, p.sub(between, step))
        other, below = _deeper(other, below, p.add(p.stop_gradient(base), away), factor)
        found = p.mul(found, p.mul(upper, lower))
        return found, upper, lower, other, below, base, p.add(step, 1.0), a, between, away

    base = p.sub(p.add(x, 1.0), a)
    one, first = p.ones_like(a), p.div(1.0, base)
    start = (first, p.mul(1e300, one), first, p.mul(1e300, one), p.stop_gradient(first))
    carried = (*start, base, one, a, between, away)
    return p.mul(a, p.while_(*carried, condition=goes_on, body=follow)[0])


def _deeper(upper: Any, lower: Any, base: Any, factor: Any) -> tuple[Any, Any]:
    """The next level of a fraction: the factors by which it becomes more exact."""
    return p.add(base, p.div(factor, upper)), p.div(1.0, p.add(base, p.mul(factor, lower)))
