"""Which objects draw at random?

Each has two seeds: with both 0 it draws from the Generator of the process, else from a stream of
that of its own.
"""

from __future__ import annotations

from typing import Any

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops import distributions, random, random_integers, sampling
from s2sad.ops.primitives.base import primitive
from s2sad.ops.primitives.checks import of_integers
from s2sad.ops.settings import integer
from s2sad.ops.shapes import cast


def _half(name: str, given: Any) -> int:
    """One of two seeds, which fit into one together."""
    if integer(name, given, 0) >= 2**31:
        raise fail("E0404", f"{name} has 31 bits, got {given}")
    return given


def _stream(seed: int, seed2: int) -> int | None:
    return (seed2 << 31) + seed or None


@primitive(seed=_half, seed2=_half)
def StandardNormal(shape: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Normal numbers of mean 0 and variance 1, float32, of a shape: `ops.standard_normal`.

    Examples
    --------
    >>> StandardNormal(seed=3)((2, 3)).shape
    (2, 3)
    """
    return random.standard_normal(shape, _stream(seed, seed2))


@primitive(seed=_half, seed2=_half)
def UniformReal(shape: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Numbers from 0 up to and without 1, float32, of a shape: `ops.uniform`.

    Examples
    --------
    >>> UniformReal(seed=3)((2, 3)).shape
    (2, 3)
    """
    return random.uniform(shape, 0.0, 1.0, _stream(seed, seed2))


@primitive(seed=_half, seed2=_half)
def UniformInt(shape: Any, minval: Any, maxval: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Integers from `minval` up to and without `maxval`, int32, of a shape: `ops.randint`.

    Examples
    --------
    >>> UniformInt()((2,), 5, 6).tolist()
    [5, 5]
    """
    return random_integers.randint(minval, maxval, shape, _stream(seed, seed2), dtype=dtypes.int32)


@primitive(seed=_half, seed2=_half)
def RandomShuffle(x: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """The rows of `x` in another order: `ops.shuffle`.

    Examples
    --------
    >>> import s2sad as ms
    >>> sorted(RandomShuffle()(ms.Tensor([1, 2, 3])).tolist())
    [1, 2, 3]
    """
    return random_integers.shuffle(x, _stream(seed, seed2))


@primitive(seed=_half, seed2=_half, dtype=of_integers)
def Multinomial(
    x: Any, num_samples: int, *, seed: int = 0, seed2: int = 0, dtype: Any = dtypes.int32
) -> Any:
    """Places drawn with probabilities in the ratio of the elements of `x`: `ops.multinomial`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Multinomial()(ms.Tensor([0.0, 1.0]), 3)
    Tensor(shape=[3], dtype=Int32, value= [1, 1, 1])
    """
    return cast(sampling.multinomial(x, num_samples, True, _stream(seed, seed2)), dtype)


@primitive(dtype=of_integers)
def RandomCategorical(
    logits: Any, num_sample: int, seed: int = 0, *, dtype: Any = dtypes.int64
) -> Any:
    """Classes drawn with the probabilities that logits give: `ops.random_categorical`.

    Examples
    --------
    >>> import s2sad as ms
    >>> RandomCategorical()(ms.Tensor([[0.0, 300.0]]), 3).tolist()
    [[1, 1, 1]]
    """
    return sampling.random_categorical(logits, num_sample, seed, dtype)


@primitive(seed=integer, offset=integer)
def Bernoulli(x: Any, p: Any, *, seed: int = -1, offset: int = 0) -> Any:
    """1 with the probability `p`, else 0, of the shape of `x`: `ops.bernoulli`. -1 is no seed.

    Examples
    --------
    >>> import s2sad as ms
    >>> Bernoulli()(ms.Tensor([5.0, 5.0]), ms.Tensor([0.0, 1.0])).tolist()
    [0.0, 1.0]
    """
    return sampling.bernoulli(x, p, None if seed == -1 else seed)


@primitive(seed=_half, seed2=_half)
def Gamma(shape: Any, alpha: Any, beta: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Numbers of a gamma distribution: `ops.gamma`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Gamma(seed=3)((2, 3), ms.Tensor(1.0), ms.Tensor(2.0)).shape
    (2, 3)
    """
    return distributions.gamma(shape, alpha, beta, _stream(seed, seed2))


@primitive(seed=_half, seed2=_half)
def Poisson(shape: Any, mean: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Counts of events of which there are `mean` on average: `ops.poisson`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Poisson()((3,), ms.Tensor(0.0)).tolist()
    [0, 0, 0]
    """
    return distributions.poisson(shape, mean, _stream(seed, seed2))


@primitive(seed=_half, seed2=_half)
def StandardLaplace(shape: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Numbers of a Laplace distribution of mean 0 and scale 1: `ops.standard_laplace`.

    Examples
    --------
    >>> StandardLaplace(seed=3)((2, 3)).shape
    (2, 3)
    """
    return distributions.standard_laplace(shape, _stream(seed, seed2))
