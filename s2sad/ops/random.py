"""How are uniform and normal numbers drawn, from a Generator that goes on by each draw?

All come from `s2sad.core.generator.DEFAULT` unless a `generator` is given. A `seed` names one of as
many streams of that Generator: after the same `set_seed`, the same program draws the same numbers,
and two draws with one seed still differ.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.core.generator import Generator
from s2sad.ir import dims
from s2sad.ops.draws import Draw, drawn, float_dtype
from s2sad.ops.promotion import as_dtype, as_operand, as_tensor, dtype_of, is_tensor, require_tensor
from s2sad.ops.random_integers import as_bound, integers_between
from s2sad.ops.shapes import as_shape


def rand(
    *size: Any, dtype: Any = None, seed: int | None = None, generator: Generator | None = None
) -> Any:
    """Uniform numbers in [0, 1).

    Parameters
    ----------
    *size : int, or one tuple of int
        The shape.
    dtype : DType of floats, optional
        By default float32. Narrow floats are float32 numbers rounded, and the largest of these
        round to 1.
    seed : int, optional
    generator : Generator, optional

    Raises
    ------
    S2sadError
        E0301 for another dtype, E0303 or E0404 for sizes or a seed that cannot be.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.set_seed(0)
    >>> rand(2).asnumpy().round(3)
    array([0.399, 0.881], dtype=float32)
    """
    return drawn(_uniform(_sizes(size), float_dtype(dtype)), seed, generator=generator)


def _sizes(size: tuple[Any, ...]) -> tuple[Any, ...]:
    """The shape that is given as sizes, or as one tuple or list of them."""
    is_whole = len(size) == 1 and isinstance(size[0], (tuple, list))
    return as_shape(size[0] if is_whole else size)


def _uniform(shape: tuple[Any, ...], dtype: DType) -> Draw:
    return lambda state: p.random_uniform(state, shape=shape, dtype=dtype)


def _normal(shape: tuple[Any, ...], dtype: DType) -> Draw:
    return lambda state: p.random_normal(state, shape=shape, dtype=dtype)


def randn(
    *size: Any, dtype: Any = None, seed: int | None = None, generator: Generator | None = None
) -> Any:
    """Normal numbers of mean 0 and variance 1; arguments as of `rand`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.set_seed(0)
    >>> randn((2,)).asnumpy().round(3)
    array([ 0.738, -0.688], dtype=float32)
    """
    return drawn(_normal(_sizes(size), float_dtype(dtype)), seed, generator=generator)


def rand_like(
    input: Any,
    seed: int | None = None,
    *,
    dtype: Any = None,
    generator: Generator | None = None,
) -> Any:
    """Uniform numbers in [0, 1), of the shape of `input` and of its dtype; see `rand`.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0301 where the dtype is none of floats.

    Examples
    --------
    >>> import s2sad as ms
    >>> rand_like(ms.Tensor([1.0, 2.0])).shape
    (2,)
    """
    like = require_tensor(input, "rand_like")
    draw = _uniform(like.shape, float_dtype(dtype, like.dtype))
    return drawn(draw, seed, generator=generator)


def randn_like(
    input: Any,
    seed: int | None = None,
    *,
    dtype: Any = None,
    generator: Generator | None = None,
) -> Any:
    """Normal numbers of mean 0 and variance 1, of shape and dtype of `input`; see `rand_like`.

    Examples
    --------
    >>> import s2sad as ms
    >>> randn_like(ms.Tensor([[1.0, 2.0]])).shape
    (1, 2)
    """
    like = require_tensor(input, "randn_like")
    draw = _normal(like.shape, float_dtype(dtype, like.dtype))
    return drawn(draw, seed, generator=generator)


def standard_normal(
    shape: Any, seed: int | None = None, *, generator: Generator | None = None
) -> Any:
    """Normal numbers of mean 0 and variance 1, float32; errors as of `rand`.

    Examples
    --------
    >>> standard_normal((2, 3)).shape
    (2, 3)
    """
    return drawn(_normal(as_shape(shape), dtypes.float32), seed, generator=generator)


def normal(
    shape: Any,
    mean: Any,
    stddev: Any,
    seed: int | None = None,
    *,
    generator: Generator | None = None,
) -> Any:
    """Normal numbers around `mean`, as far as `stddev` says.

    Parameters
    ----------
    shape : tuple of int
    mean, stddev : Tensor or number
        They broadcast with `shape`.
    seed : int, optional
    generator : Generator, optional

    Returns
    -------
    Tensor
        float32, or float64 where `mean` or `stddev` is. Its gradient by these is that of
        ``mean + stddev * z``, z being what was drawn.

    Raises
    ------
    S2sadError
        E0304 for a `mean` or `stddev` that is neither Tensor nor number, E0401 where shapes do not
        broadcast, E0303 or E0404 for a shape or seed that cannot be.

    Examples
    --------
    >>> import s2sad as ms
    >>> normal((3,), ms.Tensor(5.0), ms.Tensor(0.0)).asnumpy()
    array([5., 5., 5.], dtype=float32)
    """
    mean, stddev = as_operand(mean), as_operand(stddev)
    dtype = wide_dtype(mean, stddev)
    center, spread = as_tensor(mean, dtype), as_tensor(stddev, dtype)
    whole = dims.broadcast(as_shape(shape), center.shape, spread.shape)
    numbers = drawn(_normal(whole, dtype), seed, generator=generator)
    return p.add(center, p.mul(spread, numbers))


def wide_dtype(*operands: Any) -> DType:
    """float64 where an operand is a Tensor of it, else float32."""
    wide = any(is_tensor(x) and x.dtype is dtypes.float64 for x in operands)
    return dtypes.float64 if wide else dtypes.float32


def uniform(
    shape: Any,
    minval: Any,
    maxval: Any,
    seed: int | None = None,
    dtype: Any = dtypes.float32,
    *,
    generator: Generator | None = None,
) -> Any:
    """Uniform numbers from `minval` up to and, but for rounding, without `maxval`.

    Parameters
    ----------
    shape : tuple of int
    minval, maxval : Tensor or number
        For floats they broadcast with `shape`; for integers each is one number.
    seed : int, optional
    dtype : DType
        Of floats or integers.
    generator : Generator, optional

    Raises
    ------
    S2sadError
        E0301 for a dtype of bools, E0304 for bounds that are neither Tensors nor numbers, E0401
        where shapes do not broadcast, E0303 or E0404 for a shape or seed that cannot be, E0404 for
        integers of which there is none between the bounds.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.set_seed(0)
    >>> uniform((2,), ms.Tensor([0.0, 10.0]), ms.Tensor([1.0, 20.0])).asnumpy().round(3)
    array([ 0.399, 18.805], dtype=float32)
    """
    found = dtype_of(dtype)
    low, high = as_operand(minval), as_operand(maxval)
    if found.is_integer:
        draw = integers_between(as_bound(low), as_bound(high), as_shape(shape))
        return as_dtype(drawn(draw, seed, generator=generator), found)
    wide = float_dtype(found).compute
    low, high = as_tensor(low, wide), as_tensor(high, wide)
    whole = dims.broadcast(as_shape(shape), low.shape, high.shape)
    numbers = drawn(_uniform(whole, wide), seed, generator=generator)
    return as_dtype(p.add(low, p.mul(p.sub(high, low), numbers)), found)
