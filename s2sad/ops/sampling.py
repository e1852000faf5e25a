"""How is a random choice made, with given probabilities?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.generator import Generator
from s2sad.ir import dims
from s2sad.ops.draws import drawn, integer_dtype
from s2sad.ops.promotion import as_dtype, constant, floats_of, is_tensor, require_tensor
from s2sad.ops.settings import flag, fraction, integer, positive
from s2sad.prims.rules import axis_of


def bernoulli(
    input: Any, p: Any = 0.5, seed: int | None = None, *, generator: Generator | None = None
) -> Any:
    """1 with probability `p`, else 0, element by element, of shape and dtype of `input`.

    Parameters
    ----------
    input : Tensor
        Its elements do not matter.
    p : float, or Tensor that broadcasts to `input`
        A float is from 0 to 1. In a Tensor: at or below 0 never, at or above 1 always, NaN never.
    seed : int, optional
    generator : Generator, optional

    Raises
    ------
    S2sadError
        E0304 for an `input` that is no Tensor, E0303 or E0404 for a `p` that cannot be, E0401 for
        one that does not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> bernoulli(ms.Tensor([7, 8, 9]), ms.Tensor([0.0, 1.0, 1.0])).asnumpy()
    array([0, 1, 1])
    """
    like = require_tensor(input, "bernoulli")
    if is_tensor(p):
        chance = floats_of(p, "bernoulli")
    else:
        chance = constant(fraction("p", p), dtypes.float32)
    return as_dtype(_coins(chance, like.shape, seed, generator), like.dtype)


def _coins(chance: Any, shape: Any, seed: int | None, generator: Generator | None) -> Any:
    whole = p.broadcast_to(chance, shape=shape)
    return drawn(lambda state: p.bernoulli(state, whole), seed, generator=generator)


def multinomial(
    input: Any,
    num_samples: int,
    replacement: bool = True,
    seed: int | None = None,
    *,
    generator: Generator | None = None,
) -> Any:
    """Places drawn with probabilities in the ratio of the elements of `input`.

    Parameters
    ----------
    input : Tensor of numbers, shape (n,) or (rows, n)
        Finite and not negative, in each row one at least positive.
    num_samples : int
        At least 1; without `replacement` at most n.
    replacement : bool
        Whether a place may be drawn again.
    seed : int, optional
    generator : Generator, optional

    Returns
    -------
    Tensor, int32, shape (num_samples,) or (rows, num_samples)

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for another shape, E0303 or E0404 for another number of
        samples; at run time E0501 for weights that cannot be, and where fewer than `num_samples`
        are positive without `replacement`.

    Notes
    -----
    Without replacement, the places of the smallest ``e / w``, with w the weights and e drawn from
    the exponential distribution: P. S. Efraimidis and P. G. Spirakis, 2006.

    Examples
    --------
    >>> import s2sad as ms
    >>> multinomial(ms.Tensor([0.0, 3.0, 0.0]), 2).asnumpy()
    array([1, 1], dtype=int32)
    """
    weights = as_dtype(require_tensor(input, "multinomial"), dtypes.float64)
    if weights.ndim not in (1, 2) or not weights.shape[-1]:
        raise fail("E0401", f"multinomial takes one or more weights a row, got {weights.shape}")
    count = _count(num_samples, None if flag("replacement", replacement) else weights.shape[-1])
    choose = _with_replacement if replacement else _without_replacement
    return as_dtype(choose(weights, count, seed, generator), dtypes.int32)


def _count(samples: Any, most: int | None) -> int:
    count = integer("the number of samples", samples, 1)
    if most is not None and dims.less(most, count):
        raise fail("E0404", f"the number of samples is at most {most}, got {count}")
    return count


def _with_replacement(
    weights: Any, count: int, seed: int | None, generator: Generator | None
) -> Any:
    shape = (*weights.shape[:-1], count)
    uniform = drawn(
        lambda state: p.random_uniform(state, shape=shape, dtype=dtypes.float64),
        seed, generator=generator,
    )  # fmt: skip
    bounds = p.cumsum(weights, axis=-1)
    total = p.reduce_max(bounds, axis=-1, keepdims=True)
    # Below the total, whatever the rounding; and the first bound above it ends a positive weight.
    places = p.searchsorted(bounds, p.mul(uniform, total), right=True)
    return _checked(places, _are_weights(weights), weights)


def _are_weights(weights: Any) -> Any:
    """Which rows hold weights, of shape (..., 1)."""
    good = p.logical_and(p.is_finite(weights), p.greater_equal(weights, 0))
    total = p.reduce_sum(weights, axis=-1, keepdims=True)
    return p.logical_and(
        p.reduce_all(good, axis=-1, keepdims=True),
        p.logical_and(p.greater(total, 0), p.is_finite(total)),
    )


def _without_replacement(
    weights: Any, count: int, seed: int | None, generator: Generator | None
) -> Any:
    uniform = drawn(
        lambda state: p.random_uniform(state, shape=weights.shape, dtype=dtypes.float64),
        seed, generator=generator,
    )  # fmt: skip
    exponential = p.neg(p.log1p(p.neg(uniform)))
    times = p.where(p.greater(weights, 0), p.div(exponential, weights), float("inf"))
    places = p.top_k(times, k=count, axis=-1, largest=False)[1]
    taken = p.gather_elements(weights, places, axis=-1)
    is_good = p.logical_and(_are_weights(weights), p.greater(taken, 0))
    return _checked(places, is_good, weights)


def _checked(places: Any, is_good: Any, weights: Any) -> Any:
    """`places`, where they are good; an index that is out of range (E0501) elsewhere."""
    numbers = p.iota(dtype=dtypes.int64, shape=weights.shape[-1:], axis=0)
    return p.gather(numbers, p.where(is_good, places, p.axis_size(weights, axis=-1)), axis=0)


def random_categorical(
    logits: Any,
    num_sample: int,
    seed: int = 0,
    dtype: Any = dtypes.int64,
    *,
    generator: Generator | None = None,
) -> Any:
    """Classes drawn with the probabilities that logits give; with `seed` 0 there is no seed.

    Parameters
    ----------
    logits : Tensor of floats, shape (rows, classes)
    num_sample : int
    seed : int
    dtype : DType of integers
    generator : Generator, optional

    Returns
    -------
    Tensor of `dtype`, shape (rows, num_sample)

    Raises
    ------
    S2sadError
        Those of `multinomial`; E0301 for another dtype.

    Examples
    --------
    >>> import s2sad as ms
    >>> random_categorical(ms.Tensor([[0.0, 900.0]]), 3).asnumpy()
    array([[1, 1, 1]])
    """
    found = integer_dtype(dtype)
    scores = as_dtype(floats_of(logits, "random_categorical"), dtypes.float64)
    if scores.ndim != 2 or not scores.shape[-1]:
        raise fail("E0401", f"random_categorical takes rows of logits, got {scores.shape}")
    count = _count(num_sample, None)
    chances = p.softmax(scores, axis=-1)
    return as_dtype(_with_replacement(chances, count, seed or None, generator), found)


def gumbel_softmax(logits: Any, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Any:
    """A class drawn with the probabilities that logits give, as a distribution near to it.

    Parameters
    ----------
    logits : Tensor of floats
    tau : float
        Positive: the smaller, the nearer.
    hard : bool
        Whether to give the class itself, one-hot; its gradient is that of the distribution.
    dim : int
        The axis of classes.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0303 or E0404 for a `tau` or `hard` that cannot be, E0403 for
        an axis that does not exist.

    Notes
    -----
    E. Jang, S. Gu and B. Poole, "Categorical reparameterization with Gumbel-softmax", 2017.

    Examples
    --------
    >>> import s2sad as ms
    >>> gumbel_softmax(ms.Tensor([0.0, 900.0]), hard=True).asnumpy()
    array([0., 1.], dtype=float32)
    """
    scores = floats_of(logits, "gumbel_softmax")
    temperature = positive("tau", tau)
    wide = as_dtype(scores, scores.dtype.compute)
    soft = p.softmax(p.div(p.add(wide, _gumbel(wide)), temperature), axis=dim)
    if flag("hard", hard):
        soft = p.add(p.sub(_largest(soft, dim), p.stop_gradient(soft)), soft)
    return as_dtype(soft, scores.dtype)


def _gumbel(x: Any) -> Any:
    """Numbers of the Gumbel distribution, ``-log(-log u)``, all of them finite."""
    uniform = drawn(lambda state: p.random_uniform(state, shape=x.shape, dtype=dtypes.float64))
    exponential = p.maximum(p.neg(p.log1p(p.neg(uniform))), 2.0**-54)  # a uniform 0 gives 0
    return as_dtype(p.neg(p.log(exponential)), x.dtype)


def _largest(soft: Any, axis: int) -> Any:
    """One where an element is the largest along `axis`, the first of them, else zero."""
    axis = axis_of(axis, soft.ndim)
    places = p.argmax(soft, axis=axis)
    return p.one_hot(places, depth=soft.shape[axis], dtype=soft.dtype, axis=axis)
