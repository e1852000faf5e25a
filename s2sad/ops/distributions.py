"""How are waiting times, counts and two-sided exponentials drawn?

For seeds and generators see `s2sad.ops.random`.
"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.generator import Generator
from s2sad.ir import dims
from s2sad.ops.draws import drawn
from s2sad.ops.promotion import as_dtype, as_operand, as_tensor, dtype_of, is_tensor
from s2sad.ops.random import wide_dtype
from s2sad.ops.shapes import as_shape
from s2sad.ops.state import stop_gradient

#: Proposals for each number. At least 95 % of them fit, so that all fail with a chance of 2e-16.
PROPOSALS = 12
#: Chances below this are lost in the rounding of those that were subtracted before.
NOTHING = 1e-18


def gamma(
    shape: Any, alpha: Any, beta: Any, seed: int | None = None, *,
    generator: Generator | None = None,
) -> Any:  # fmt: skip
    """Numbers of the density ``beta**alpha * x**(alpha-1) * exp(-beta*x) / Gamma(alpha)``.

    Parameters
    ----------
    shape : tuple of int
    alpha, beta : Tensor or number
        Positive, which is not checked; they broadcast with `shape`.
    seed : int, optional
    generator : Generator, optional

    Returns
    -------
    Tensor
        float32, or float64 where `alpha` or `beta` is. It has a gradient by `beta`, none by
        `alpha`.

    Raises
    ------
    S2sadError
        E0304 for what is neither Tensor nor number, E0401 where shapes do not broadcast, E0303 or
        E0404 for a shape or seed that cannot be.

    Notes
    -----
    Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.set_seed(0)
    >>> gamma((1000,), ms.Tensor(3.0), ms.Tensor(2.0)).mean().item() > 1.4
    True
    """
    alpha, beta = as_operand(alpha), as_operand(beta)
    dtype = wide_dtype(alpha, beta)
    form, rate = as_tensor(alpha, dtype), as_tensor(beta, dtype)
    whole = dims.broadcast(as_shape(shape), form.shape, rate.shape)
    standard = _standard_gamma(stop_gradient(form), whole, seed, generator)
    return p.div(standard, rate)


def random_gamma(shape: Any, alpha: Any, seed: int | None = None) -> Any:
    """Numbers as of `gamma` with the rate 1, for each element of `alpha` as many as `shape` says.

    Parameters
    ----------
    shape : tuple of int
    alpha : Tensor of floats
        Positive, which is not checked.
    seed : int, optional

    Returns
    -------
    Tensor, shape ``shape + alpha.shape``

    Raises
    ------
    S2sadError
        Those of `gamma`.

    Examples
    --------
    >>> import s2sad as ms
    >>> random_gamma((2,), ms.Tensor([1.0, 2.0, 3.0])).shape
    (2, 3)
    """
    form = as_operand(alpha)
    behind = tuple(form.shape) if is_tensor(form) else ()
    return gamma((*as_shape(shape), *behind), form, 1.0, seed)


def _standard_gamma(
    form: Any, shape: tuple[Any, ...], seed: int | None, generator: Generator | None
) -> Any:
    """Numbers of the rate 1: the first proposal that fits, of several for each."""
    is_small = p.less(form, 1.0)
    shifted = p.sub(p.where(is_small, p.add(form, 1.0), form), 1 / 3)
    spread = p.div(1 / 3, p.sqrt(shifted))

    def draw(state: Any) -> tuple[Any, Any]:
        normal, state = p.random_normal(state, shape=(PROPOSALS, *shape), dtype=form.dtype)
        chance, state = p.random_uniform(state, shape=(PROPOSALS, *shape), dtype=form.dtype)
        power, state = p.random_uniform(state, shape=shape, dtype=form.dtype)
        side = p.add(p.mul(spread, normal), 1.0)
        cube = p.mul(p.square(side), side)
        fits = _fits(normal, chance, p.where(p.greater(cube, 0.0), cube, 1.0), shifted)
        fits = p.logical_and(fits, p.greater(cube, 0.0))
        first = p.expand_dims(p.argmax(as_dtype(fits, dtypes.int32), axis=0), axis=0)
        found = p.mul(p.squeeze(p.gather_elements(cube, first, axis=0), axis=0), shifted)
        boost = p.pow(p.sub(1.0, power), p.div(1.0, p.where(is_small, form, 1.0)))
        return p.where(is_small, p.mul(found, boost), found), state

    return drawn(draw, seed, generator=generator)


def _fits(normal: Any, chance: Any, cube: Any, shifted: Any) -> Any:
    """Whether a proposal is taken, by its chance."""
    bound = p.mul(shifted, p.add(p.sub(1.0, cube), p.log(cube)))
    return p.less(p.log(chance), p.add(p.mul(p.square(normal), 0.5), bound))


def poisson(
    shape: Any, mean: Any, seed: int | None = None, *, generator: Generator | None = None
) -> Any:
    """Counts of events of which there are `mean` on average.

    Parameters
    ----------
    shape : tuple of int
    mean : Tensor or number
        Finite and not negative; of others the count is -1. It broadcasts with `shape`.
    seed : int, optional
    generator : Generator, optional

    Returns
    -------
    Tensor, int32

    Raises
    ------
    S2sadError
        E0304 for what is neither Tensor nor number, E0401 where shapes do not broadcast, E0303 or
        E0404 for a shape or seed that cannot be.

    Notes
    -----
    The distribution is inverted in float64 from its most likely count outwards, so it takes a
    number of steps like the root of the largest `mean`.

    Examples
    --------
    >>> import s2sad as ms
    >>> poisson((3,), ms.Tensor(0.0)).asnumpy()
    array([0, 0, 0], dtype=int32)
    """
    rate = as_tensor(as_operand(mean), dtypes.float64)
    whole = dims.broadcast(as_shape(shape), rate.shape)
    return as_dtype(_counts(rate, whole, seed, generator), dtypes.int32)


def random_poisson(
    shape: Any, rate: Any, seed: int | None = None, dtype: Any = dtypes.float32
) -> Any:
    """Counts as of `poisson`, for each element of `rate` as many as `shape` says.

    Parameters
    ----------
    shape : tuple of int
    rate : Tensor
        Finite and not negative; of others the count is -1.
    seed : int, optional
    dtype : DType
        Of the result.

    Returns
    -------
    Tensor, shape ``shape + rate.shape``

    Raises
    ------
    S2sadError
        Those of `poisson`; E0303 for no dtype.

    Examples
    --------
    >>> import s2sad as ms
    >>> random_poisson((2,), ms.Tensor([0.0, 0.0])).asnumpy()
    array([[0., 0.],
           [0., 0.]], dtype=float32)
    """
    found, given = dtype_of(dtype), as_operand(rate)
    behind = tuple(given.shape) if is_tensor(given) else ()
    wide = as_tensor(given, dtypes.float64)
    return as_dtype(_counts(wide, (*as_shape(shape), *behind), seed, None), found)


def _counts(
    rate: Any, shape: tuple[Any, ...], seed: int | None, generator: Generator | None
) -> Any:
    """Counts as float64: the distribution, inverted at uniform numbers."""
    known = p.logical_and(p.greater_equal(rate, 0.0), p.less(rate, math.inf))
    mean = p.broadcast_to(p.where(known, stop_gradient(rate), 0.0), shape=shape)
    middle = p.floor(mean)
    log = p.log(p.where(p.greater(mean, 0.0), mean, 1.0))
    top = p.exp(p.sub(p.sub(p.mul(middle, log), mean), p.lgamma(p.add(middle, 1.0))))
    left = drawn(
        lambda state: p.random_uniform(state, shape=shape, dtype=dtypes.float64), seed,
        generator=generator,
    )  # fmt: skip
    found = p.where(p.less(left, top), middle, -1.0)
    carried = (p.sub(left, top), found, top, top, middle, mean, p.ones_like(mean))
    _, found, *_ = p.while_(*carried, condition=_goes_on, body=_outwards)
    return p.where(known, p.where(p.less(found, 0.0), middle, found), -1.0)


def _goes_on(
    left: Any, found: Any, above: Any, below: Any, middle: Any, mean: Any, step: Any
) -> Any:
    is_open = p.logical_and(p.less(found, 0.0), p.greater(p.add(above, below), NOTHING))
    return p.reduce_any(is_open)


def _outwards(
    left: Any, found: Any, above: Any, below: Any, middle: Any, mean: Any, step: Any
) -> tuple[Any, ...]:
    """One count further up and one further down: is it one of these?"""
    safe = p.where(p.greater(mean, 0.0), mean, 1.0)
    high, low = p.add(middle, step), p.sub(middle, step)
    above = p.mul(above, p.div(mean, high))
    below = p.where(p.less(low, 0.0), 0.0, p.mul(below, p.div(p.add(low, 1.0), safe)))
    for chance, count in ((above, high), (below, low)):
        is_it = p.logical_and(p.less(found, 0.0), p.less(left, chance))
        found, left = p.where(is_it, count, found), p.sub(left, chance)
    return left, found, above, below, middle, mean, p.add(step, 1.0)


def standard_laplace(shape: Any, seed: int | None = None) -> Any:
    """Numbers of the density ``exp(-|x|) / 2``.

    Parameters
    ----------
    shape : tuple of int
    seed : int, optional

    Returns
    -------
    Tensor, float32

    Raises
    ------
    S2sadError
        E0303 or E0404 for a shape or seed that cannot be.

    Examples
    --------
    >>> import s2sad as ms
    >>> standard_laplace((2, 3)).shape
    (2, 3)
    """
    return _laplace(as_shape(shape), seed)


def laplace(shape: Any, mean: Any, lambda_param: Any, seed: int | None = None) -> Any:
    """Numbers of the density ``exp(-|x - mean| / lambda) / (2 lambda)``.

    Parameters
    ----------
    shape : tuple of int
    mean, lambda_param : Tensor or number
        They broadcast with `shape`.
    seed : int, optional

    Returns
    -------
    Tensor, float32

    Raises
    ------
    S2sadError
        Those of `gamma`.

    Examples
    --------
    >>> import s2sad as ms
    >>> laplace((2,), ms.Tensor(5.0), ms.Tensor(0.0)).asnumpy()
    array([5., 5.], dtype=float32)
    """
    center, spread = (as_tensor(as_operand(x), dtypes.float32) for x in (mean, lambda_param))
    whole = dims.broadcast(as_shape(shape), center.shape, spread.shape)
    return p.add(center, p.mul(spread, _laplace(whole, seed)))


def _laplace(shape: tuple[Any, ...], seed: int | None) -> Any:
    """The logarithm of a uniform number, to either side."""

    def draw(state: Any) -> tuple[Any, Any]:
        chance, state = p.random_uniform(state, shape=shape, dtype=dtypes.float32)
        side, state = p.random_uniform(state, shape=shape, dtype=dtypes.float32)
        size = p.log(p.sub(1.0, chance))
        return p.where(p.less(side, 0.5), size, p.neg(size)), state

    return drawn(draw, seed)
