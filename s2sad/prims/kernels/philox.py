"""Which bits, uniforms, normals, integers and permutations does a random state give?

Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers:
as easy as 1, 2, 3", SC 2011: block number `counter` under key `key` is four words of 32 bits.
A state is one int64 array of shape (3,), ``(key, counter_low, counter_high)``, each the bits of
an unsigned word. The first word of a block's counter is the low half of `counter_low`.
A state of another dtype or shape and a negative size are a ValueError everywhere.

A draw is a pure function of state and shape and returns the state after it: the counter, modulo
2**128, advanced by the number of blocks that the draw began. Element e of a draw, in C order,
takes words from the start of the first block onwards:

================================  =====================================================
draw                              words of element e, numbered through the blocks
================================  =====================================================
bits, float32 uniform             e
float64 uniform, integers, keys   2e (low half), 2e+1 (high half)
float32 normal                    both of its pair: 2p, 2p+1 with p = e//2
float64 normal                    both of its pair: 4p, ..., 4p+3 with p = e//2
================================  =====================================================
"""

from __future__ import annotations

import math
import operator

import numpy as np
import numpy.typing as npt

Array = np.ndarray
Shape = tuple[int, ...]

ROUNDS = 10
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)

MASK32 = 0xFFFFFFFF
MASK64 = 0xFFFFFFFFFFFFFFFF
LOW_HALF, HALF_BITS = np.uint64(MASK32), np.uint64(32)
# Keeps the blocks that derive keys apart from those that are drawn: "fold_in\0" as a number.
FOLD_TAG = 0x666F6C645F696E00


def seed_state(seed: int) -> Array:
    """State with `seed` as its key and a counter of 0.

    Parameters
    ----------
    seed : int
        From -2**63 to 2**64 - 1; a negative seed stands for its two's complement.

    Returns
    -------
    int64, shape (3,)

    Raises
    ------
    ValueError
        If `seed` is out of range: taking it modulo 2**64 would give two seeds one stream.

    Examples
    --------
    >>> seed_state(7).tolist()
    [7, 0, 0]
    """
    return _state(_word64(seed, "seed"), 0)


def fold_in(state: Array, data: int) -> Array:
    """State of a stream of its own for each `state` and `data`.

    Parameters
    ----------
    state : int64, shape (3,)
    data : int
        From -2**63 to 2**64 - 1, such as a step, a layer or a rank.

    Returns
    -------
    int64, shape (3,)
        Its `key` and `counter_high` are pseudorandom, its `counter_low` is 0.

    Raises
    ------
    ValueError
        If `data` is out of range.

    Notes
    -----
    Two blocks: the first encrypts the counter under the tagged key; its lower half is the key
    under which the second encrypts ``(data, upper half of the first)``.

    Examples
    --------
    >>> bool((fold_in(seed_state(7), 0) == fold_in(seed_state(7), 1)).all())
    False
    """
    key, counter = _parts(state)
    low, high = _half_words(philox4x32(key ^ FOLD_TAG, counter, 1)).tolist()
    tail = _word64(data, "data") | high << 64
    key, high = _half_words(philox4x32(low, tail, 1)).tolist()
    return _state(key, high << 64)


def philox4x32(key: int, counter: int, count: int) -> Array:
    """Blocks `counter`, `counter` + 1, ... of the stream of `key`.

    Parameters
    ----------
    key : int
        64 bits, the low half being the first word of the key.
    counter : int
        128 bits, the lowest 32 being the first word.
    count : int
        How many blocks.

    Returns
    -------
    uint32, shape (count, 4)

    Examples
    --------
    >>> [f"{word:08x}" for word in philox4x32(0, 0, 1)[0].tolist()]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    words = _counters(counter, count)
    keys = [key & MASK32, key >> 32]
    for _ in range(ROUNDS):
        words = _round(words, keys)
        keys = [(k + weyl) & MASK32 for k, weyl in zip(keys, WEYL, strict=True)]
    return np.stack(words, axis=-1).astype(np.uint32)


def random_bits(state: Array, shape: Shape) -> tuple[Array, Array]:
    """Random words of 32 bits.

    Parameters
    ----------
    state : int64, shape (3,)
    shape : tuple of int

    Returns
    -------
    bits : int32, shape `shape`
        All 2**32 patterns are equally likely.
    state : int64, shape (3,)

    Examples
    --------
    >>> random_bits(seed_state(0), (2,))[0].view(np.uint32).tolist()
    [1713891541, 3781805453]
    """
    words, state = _draw(state, _size(shape))
    return words.view(np.int32).reshape(shape), state


def uniform(state: Array, shape: Shape, dtype: npt.DTypeLike) -> tuple[Array, Array]:
    """Uniform numbers in [0, 1), all of them multiples of one power of two.

    Parameters
    ----------
    state : int64, shape (3,)
    shape : tuple of int
    dtype : float32 or float64
        float32: the high 24 bits of a word, times 2**-24. float64: the high 53 bits of two
        words, times 2**-53.

    Returns
    -------
    values : `dtype`, shape `shape`
    state : int64, shape (3,)

    Raises
    ------
    TypeError
        If `dtype` is another one.

    Examples
    --------
    >>> uniform(seed_state(0), (2,), np.float64)[0].round(6).tolist()
    [0.88052, 0.605482]
    """
    if _float_type(dtype) == np.float32:
        words, state = _draw(state, _size(shape))
        values = (words >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)
    else:
        words, state = _draw64(state, _size(shape))
        values = _unit(words)
    return values.reshape(shape), state


def normal(state: Array, shape: Shape, dtype: npt.DTypeLike) -> tuple[Array, Array]:
    """Normal numbers of mean 0 and variance 1.

    Parameters
    ----------
    state : int64, shape (3,)
    shape : tuple of int
    dtype : float32 or float64
        float32 computes in float64 from uniforms of 32 bits and rounds; its values stay within
        6.67. float64 starts from uniforms of 53 bits; its values stay within 8.58.

    Returns
    -------
    values : `dtype`, shape `shape`
    state : int64, shape (3,)

    Raises
    ------
    TypeError
        If `dtype` is another one.

    Notes
    -----
    G. E. P. Box and M. E. Muller, 1958: with u and v uniform in [0, 1), elements 2p and 2p + 1
    are ``sqrt(-2 log(1 - u))`` times the cosine and the sine of the float64 product of ``2 pi``
    and v. ``1 - u`` is exact and never 0.

    Examples
    --------
    >>> normal(seed_state(0), (2,), np.float32)[0].astype(np.float64).round(4).tolist()
    [0.7379, -0.6884]
    """
    size, dtype = _size(shape), _float_type(dtype)
    pairs = (size + 1) // 2
    if dtype == np.float32:
        words, state = _draw(state, 2 * pairs)
        uniforms = words * 2.0**-32
    else:
        words, state = _draw64(state, 2 * pairs)
        uniforms = _unit(words)
    values = _box_muller(uniforms[0::2], uniforms[1::2])
    return values[:size].astype(dtype).reshape(shape), state


def randint(state: Array, shape: Shape, low: int, high: int) -> tuple[Array, Array]:
    """Integers from `low` to `high` - 1, as good as equally likely.

    Parameters
    ----------
    state : int64, shape (3,)
    shape : tuple of int
    low, high : int
        ``-2**63 <= low < high <= 2**63``. Static.

    Returns
    -------
    values : int64, shape `shape`
    state : int64, shape (3,)

    Raises
    ------
    ValueError
        If the bounds are empty or out of range.

    Notes
    -----
    Multiply-shift, ``low + (bits * range >> 64)`` with 64 random bits: a value's probability
    differs from ``1/range`` by less than 2**-64, thus by less than a part of ``range / 2**64``.

    Examples
    --------
    >>> randint(seed_state(0), (4,), 0, 10)[0].tolist()
    [8, 6, 3, 0]
    """
    low, high = operator.index(low), operator.index(high)
    if not -(2**63) <= low < high <= 2**63:
        raise ValueError(f"expected -2**63 <= low < high <= 2**63, got low={low}, high={high}")
    words, state = _draw64(state, _size(shape))
    offset = _multiply_high(words, high - low)
    values = offset + np.uint64(low & MASK64)
    return values.view(np.int64).reshape(shape), state


def permutation(state: Array, n: int) -> tuple[Array, Array]:
    """The numbers 0 to `n` - 1 in random order.

    Parameters
    ----------
    state : int64, shape (3,)
    n : int

    Returns
    -------
    order : int64, shape (n,)
    state : int64, shape (3,)

    Notes
    -----
    A stable sort by random keys of 64 bits, unsigned. Two keys agree with probability
    ``n**2 / 2**65`` at most, and then keep their order.

    Examples
    --------
    >>> permutation(seed_state(0), 5)[0].tolist()
    [3, 4, 2, 1, 0]
    """
    keys, state = _draw64(state, _size((n,)))
    return np.argsort(keys, kind="stable").astype(np.int64), state


def _word64(value: int, name: str) -> int:
    value = operator.index(value)
    if not -(2**63) <= value < 2**64:
        raise ValueError(f"expected a {name} from -2**63 to 2**64 - 1, got {value}")
    return value & MASK64


def _size(shape: Shape) -> int:
    if any(size < 0 for size in shape):
        raise ValueError(f"expected sizes of at least 0, got shape {shape}")
    return math.prod(shape)


def _float_type(dtype: npt.DTypeLike) -> np.dtype:
    resolved = np.dtype(dtype)
    if resolved not in (np.float32, np.float64):
        raise TypeError(f"expected float32 or float64, got {resolved}")
    return resolved


def _state(key: int, counter: int) -> Array:
    words = (key, counter & MASK64, counter >> 64 & MASK64)
    return np.array(words, dtype=np.uint64).view(np.int64)


def _parts(state: Array) -> tuple[int, int]:
    """The key and the counter as unsigned numbers."""
    if state.dtype != np.int64 or state.shape != (3,):
        raise ValueError(f"expected an int64 state of shape (3,), got {state.dtype}{state.shape}")
    key, low, high = (word & MASK64 for word in state.tolist())
    return key, high << 64 | low


def _draw(state: Array, count: int) -> tuple[Array, Array]:
    """The next `count` words, and the state after them."""
    key, counter = _parts(state)
    blocks = -(-count // 4)
    words = philox4x32(key, counter, blocks).ravel()[:count]
    return words, _state(key, counter + blocks)


def _draw64(state: Array, count: int) -> tuple[Array, Array]:
    """The next `count` words of 64 bits, and the state after them."""
    words, state = _draw(state, 2 * count)
    return _half_words(words), state


def _half_words(words: Array) -> Array:
    """Join words of 32 bits in pairs, the low half first, whatever the machine's byte order."""
    halves = words.reshape(-1, 2).astype(np.uint64)
    return halves[:, 0] | halves[:, 1] << HALF_BITS


def _unit(words: Array) -> Array:
    return (words >> np.uint64(11)) * 2.0**-53


def _box_muller(u: Array, v: Array) -> Array:
    radius = np.sqrt(-2 * np.log1p(-u))
    angle = (2 * math.pi) * v
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1).ravel()


def _counters(first: int, count: int) -> list[Array]:
    """Four arrays: the words of `count` counters from `first` on, modulo 2**128."""
    start = np.uint64(first & MASK64)
    low = start + np.arange(count, dtype=np.uint64)
    high = np.full(count, first >> 64 & MASK64, np.uint64) + (low < start)
    return [low & LOW_HALF, low >> HALF_BITS, high & LOW_HALF, high >> HALF_BITS]


def _round(words: list[Array], keys: list[int]) -> list[Array]:
    first, second = (
        word * np.uint64(multiplier)
        for word, multiplier in zip(words[0::2], MULTIPLIERS, strict=True)
    )
    return [
        second >> HALF_BITS ^ words[1] ^ np.uint64(keys[0]),
        second & LOW_HALF,
        first >> HALF_BITS ^ words[3] ^ np.uint64(keys[1]),
        first & LOW_HALF,
    ]


def _multiply_high(words: Array, factor: int) -> Array:
    """The upper 64 bits of each product with a factor of at most 2**64."""
    if factor == 2**64:
        return words
    low, high = words & LOW_HALF, words >> HALF_BITS
    factor_low, factor_high = np.uint64(factor & MASK32), np.uint64(factor >> 32)
    middle = high * factor_low + (low * factor_low >> HALF_BITS)
    carry = low * factor_high + (middle & LOW_HALF)
    return high * factor_high + (middle >> HALF_BITS) + (carry >> HALF_BITS)
