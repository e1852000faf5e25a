"""How are integers and orders drawn? For seeds and generators see `s2sad.ops.random`."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.generator import Generator
from s2sad.ops.draws import Draw, drawn, integer_dtype
from s2sad.ops.promotion import as_dtype, as_operand, holds, is_tensor, require_tensor
from s2sad.ops.settings import integer
from s2sad.ops.shapes import as_shape


def as_bound(bound: Any) -> Any:
    """A bound of integers as a scalar of int64, or an int."""
    if is_tensor(bound):
        if not bound.dtype.is_integer:
            raise fail("E0301", f"bounds of integers are integers, got {bound.dtype.name}")
        return p.reshape(as_dtype(bound, dtypes.int64), shape=())
    if not holds(dtypes.int64, integer("a bound of integers", bound)):
        raise fail("E0404", f"a bound of integers fits int64, got {bound}")
    return bound


def integers_between(low: Any, high: Any, shape: tuple[Any, ...]) -> Draw:
    """The draw of integers from `low` up to and without `high` (E0404 where there are none)."""
    if isinstance(low, int) and isinstance(high, int) and low >= high:
        raise fail("E0404", f"there is no integer from {low} up to and without {high}")
    return lambda state: p.random_int(state, low, high, shape=shape)


def randint(
    low: Any,
    high: Any,
    size: Any,
    seed: int | None = None,
    *,
    dtype: Any = None,
    generator: Generator | None = None,
) -> Any:
    """Integers from `low` up to and without `high`, all equally likely.

    Parameters
    ----------
    low, high : int, or Tensor of one integer
    size : tuple of int
        The shape.
    seed : int, optional
    dtype : DType of integers, optional
        By default int64.
    generator : Generator, optional

    Raises
    ------
    S2sadError
        E0301 for another dtype, E0303 or E0404 for a bound, shape or seed that cannot be.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.set_seed(0)
    >>> randint(0, 10, (4,)).asnumpy()
    array([8, 6, 3, 0])
    """
    draw = integers_between(as_bound(as_operand(low)), as_bound(as_operand(high)), as_shape(size))
    found = integer_dtype(dtype)
    return as_dtype(drawn(draw, seed, generator=generator), found)


def randint_like(
    input: Any,
    low: Any,
    high: Any,
    seed: int | None = None,
    *,
    dtype: Any = None,
    generator: Generator | None = None,
) -> Any:
    """Integers as from `randint`, of the shape of `input` and of its dtype.

    E0304 for what is no Tensor; other arguments and errors are those of `randint`.

    Examples
    --------
    >>> import s2sad as ms
    >>> randint_like(ms.Tensor([1, 2]), 5, 6).asnumpy()
    array([5, 5])
    """
    like = require_tensor(input, "randint_like")
    found = integer_dtype(dtype, like.dtype)
    return randint(low, high, like.shape, seed, dtype=found, generator=generator)


def randperm(
    n: int,
    seed: int = 0,
    offset: int = 0,
    dtype: Any = dtypes.int64,
    *,
    generator: Generator | None = None,
) -> Any:
    """The integers 0 to ``n - 1`` in random order; with `seed` and `offset` 0 there is no seed.

    Parameters
    ----------
    n : int
    seed, offset : int
        Not negative.
    dtype : DType
        Of integers.
    generator : Generator, optional

    Returns
    -------
    Tensor, shape (n,)

    Raises
    ------
    S2sadError
        E0301 for a dtype that is none of integers, E0303 or E0404 for a size or seed that cannot
        be.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.set_seed(0)
    >>> randperm(5).asnumpy()
    array([3, 4, 2, 1, 0])
    """
    found = integer_dtype(dtype)
    seeds = (seed, offset) if seed or offset else ()
    draw = _permutation(n)
    return as_dtype(drawn(draw, *seeds, generator=generator), found)


def _permutation(n: Any) -> Draw:
    return lambda state: p.random_permutation(state, n=n)


def shuffle(x: Any, seed: int | None = None, *, generator: Generator | None = None) -> Any:
    """The rows of `x`, along its first axis, in random order.

    Parameters
    ----------
    x : Tensor, shape (n, ...)
    seed, generator
        As of `rand`.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for a 0-d one; others as of `rand`.

    Examples
    --------
    >>> import s2sad as ms
    >>> sorted(shuffle(ms.Tensor([1, 2, 3])).tolist())
    [1, 2, 3]
    """
    rows = require_tensor(x, "shuffle")
    if not rows.ndim:
        raise fail("E0401", "shuffle needs a Tensor with an axis, got a 0-d one")
    order = drawn(_permutation(rows.shape[0]), seed, generator=generator)
    return p.gather(rows, order, axis=0)
