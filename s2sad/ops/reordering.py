"""Which order do elements take where lengths, or pairs, say so?"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.axes import flip
from s2sad.ops.creation import counted
from s2sad.ops.promotion import (
    as_dtype,
    constant,
    require_integers,
    require_tensor,
    type_of,
)
from s2sad.ops.settings import flag, integer
from s2sad.ops.sorting import sort
from s2sad.prims.arrange import static_size
from s2sad.prims.rules import axis_of


def reverse(x: Any, axis: Any) -> Any:
    """`x` with the order along one axis, or several, reversed: `flip`.

    Arguments and errors are those of `flip`.

    Examples
    --------
    >>> import s2sad as ms
    >>> reverse(ms.Tensor([[1, 2]]), [1]).asnumpy()
    array([[2, 1]])
    """
    return flip(x, (axis,) if isinstance(axis, int) else tuple(axis))


def reverse_sequence(x: Any, seq_lengths: Any, seq_dim: int, batch_dim: int = 0) -> Any:
    """`x` with the first elements of each sequence in reverse order, as many as its length says.

    Parameters
    ----------
    x : Tensor
    seq_lengths : Tensor of integers with one axis
        A length for each sequence.
    seq_dim : int
        The axis of places.
    batch_dim : int
        The axis of sequences.

    Raises
    ------
    S2sadError
        E0301 for lengths that are no integers, E0304 for what is no Tensor, E0401 where shapes do
        not fit, E0403 for an axis that does not exist or twice the same; at run time E0501 for a
        length beyond the axis.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1, 2, 3], [4, 5, 6]])
    >>> reverse_sequence(x, ms.Tensor([2, 3]), 1).asnumpy()
    array([[2, 1, 3],
           [6, 5, 4]])
    """
    x, lengths = require_tensor(x, "reverse_sequence"), require_tensor(seq_lengths, "seq_lengths")
    lengths = as_dtype(require_integers(lengths, "seq_lengths"), dtypes.int64)
    along, batch = axis_of(seq_dim, x.ndim), axis_of(batch_dim, x.ndim)
    if along == batch:
        raise fail("E0403", f"seq_dim and batch_dim are two axes, got {seq_dim} and {batch_dim}")
    if tuple(lengths.shape) != (x.shape[batch],):
        raise fail("E0401", f"{type_of(lengths)} lengths do not fit {x.shape[batch]} sequences")
    lengths = p.reshape(lengths, shape=_only(x.ndim, batch, x.shape[batch]))
    place = p.reshape(counted((x.shape[along],)), shape=_only(x.ndim, along, x.shape[along]))
    turned = p.sub(p.sub(lengths, 1), place)
    source = p.where(p.less(place, lengths), turned, place)
    return p.gather_elements(x, p.broadcast_to(source, shape=tuple(x.shape)), axis=along)


def _only(ndim: int, axis: int, size: Any) -> tuple[Any, ...]:
    return (*(1,) * axis, size, *(1,) * (ndim - axis - 1))


def msort(input: Any) -> Any:
    """`input` in ascending order along axis 0.

    Errors are those of `sort`.

    Examples
    --------
    >>> import s2sad as ms
    >>> msort(ms.Tensor([3, 1, 2])).asnumpy()
    array([1, 2, 3])
    """
    return sort(input, 0)[0]


def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """All choices of `r` elements of a vector, each in the vector's order, a row each.

    Parameters
    ----------
    input : Tensor with one axis
    r : int
        Not negative.
    with_replacement : bool
        Whether an element may be chosen again.

    Returns
    -------
    Tensor, shape (number of choices, r)

    Raises
    ------
    S2sadError
        E0303 and E0404 for settings that cannot be, E0304 for what is no Tensor, E0401 for other
        axes, E0402 for a size that is not known.

    Examples
    --------
    >>> import s2sad as ms
    >>> combinations(ms.Tensor([1, 2, 3])).asnumpy()
    array([[1, 2],
           [1, 3],
           [2, 3]])
    """
    x, count = require_tensor(input, "combinations"), integer("r", r, 0)
    if x.ndim != 1:
        raise fail("E0401", f"combinations takes a vector, got {type_of(x)}")
    places = range(static_size(x.shape[0], "the number of elements"))
    is_again = flag("with_replacement", with_replacement)
    choose = itertools.combinations_with_replacement if is_again else itertools.combinations
    rows = np.array(list(choose(places, count)), np.int64).reshape(-1, count)
    return p.gather(x, constant(rows, dtypes.int64), axis=0)


def space_to_batch_nd(input_x: Any, block_size: Any, paddings: Any) -> Any:
    """Spatial axes cut into blocks, of which each element goes to a batch of its own.

    Parameters
    ----------
    input_x : Tensor, shape (n, c, s_1, ..., s_k)
    block_size : int, or tuple or list of k ints
        At least 1.
    paddings : tuple or list of k pairs of int
        Zeros before and behind each spatial axis.

    Returns
    -------
    Tensor, shape (n * product of the blocks, c, (s_1 + padding) / block, ...)

    Raises
    ------
    S2sadError
        E0303 and E0404 for settings that cannot be, E0304 for what is no Tensor, E0401 where blocks
        do not fit.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[[[1, 2], [3, 4]]]])
    >>> space_to_batch_nd(x, [2, 2], [[0, 0], [0, 0]]).asnumpy().reshape(-1)
    array([1, 2, 3, 4])
    """
    x = require_tensor(input_x, "space_to_batch_nd")
    blocks, pairs = _blocks(x, block_size, paddings)
    count = len(blocks)
    front = (0,) * (x.ndim - count)
    x = p.pad(x, 0, low=(*front, *(a for a, _ in pairs)), high=(*front, *(b for _, b in pairs)))
    batch, *features = x.shape[: x.ndim - count]
    sizes = []
    for size, block in zip(x.shape[x.ndim - count :], blocks, strict=True):
        if size % block:
            raise fail("E0401", f"blocks of {block} do not fill an axis of {size}")
        sizes += [size // block, block]
    parts = p.reshape(x, shape=(batch, *features, *sizes))
    first = 1 + len(features)
    inner = [first + 2 * i + 1 for i in range(count)]
    outer = [first + 2 * i for i in range(count)]
    ordered = p.transpose(parts, perm=(*inner, 0, *range(1, first), *outer))
    whole = batch * int(np.prod(blocks))
    return p.reshape(ordered, shape=(whole, *features, *sizes[::2]))


def batch_to_space_nd(input_x: Any, block_shape: Any, crops: Any) -> Any:
    """Undo `space_to_batch_nd`, and leave `crops` of what results out.

    Parameters
    ----------
    input_x : Tensor, shape (n, c, s_1, ..., s_k)
    block_shape : int, or tuple or list of k ints
        At least 1.
    crops : tuple or list of k pairs of int
        Elements that are left out before and behind on each spatial axis.

    Raises
    ------
    S2sadError
        Those of `space_to_batch_nd`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[[[1]]], [[[2]]], [[[3]]], [[[4]]]])
    >>> batch_to_space_nd(x, [2, 2], [[0, 0], [0, 1]]).asnumpy().reshape(-1)
    array([1, 3])
    """
    x = require_tensor(input_x, "batch_to_space_nd")
    blocks, pairs = _blocks(x, block_shape, crops)
    count, product = len(blocks), int(np.prod(blocks))
    batch, *features = x.shape[: x.ndim - count]
    sizes = x.shape[x.ndim - count :]
    if batch % product:
        raise fail("E0401", f"blocks of {blocks} do not part a batch of {batch}")
    parts = p.reshape(x, shape=(*blocks, batch // product, *features, *sizes))
    first = count + 1 + len(features)
    spatial = [axis for i in range(count) for axis in (first + i, i)]
    ordered = p.transpose(parts, perm=(count, *range(count + 1, first), *spatial))
    wide = tuple(size * block for size, block in zip(sizes, blocks, strict=True))
    whole = p.reshape(ordered, shape=(batch // product, *features, *wide))
    front = tuple(whole.shape[: x.ndim - count])
    start = (*(0 for _ in front), *(a for a, _ in pairs))
    stop = (*front, *(size - b for size, (_, b) in zip(wide, pairs, strict=True)))
    if any(a > b for a, b in zip(start, stop, strict=True)):
        raise fail("E0401", f"crops {pairs} are more than there is of {wide}")
    return p.slice(whole, start=start, stop=stop)


def _blocks(x: Any, block_size: Any, pairs: Any) -> tuple[tuple[int, ...], list[Any]]:
    """The block of each spatial axis, and a pair of ints each."""
    if not isinstance(pairs, (tuple, list)) or not all(
        isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs
    ):
        raise fail("E0303", f"a pair of ints is needed for each spatial axis, got {pairs!r}")
    found = [tuple(integer("an end of an axis", end, 0) for end in pair) for pair in pairs]
    given = (block_size,) * len(found) if isinstance(block_size, int) else tuple(block_size)
    blocks = tuple(integer("block_size", block, 1) for block in given)
    if len(blocks) != len(found) or x.ndim < len(found) + 1:
        raise fail("E0401", f"{len(blocks)} blocks and {len(found)} pairs for {type_of(x)}")
    return blocks, found
