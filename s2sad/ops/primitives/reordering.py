"""Which objects move elements between axes, and turn parts of an axis round?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops import reordering, shuffling
from s2sad.ops.primitives.base import primitive
from s2sad.ops.settings import integer, integers


@primitive(seq_dim=integer, batch_dim=integer)
def ReverseSequence(x: Any, seq_lengths: Any, *, seq_dim: int, batch_dim: int = 0) -> Any:
    """The first elements of each sequence in the reverse order: `ops.reverse_sequence`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ReverseSequence(1)(ms.Tensor([[1.0, 2.0, 3.0]]), ms.Tensor([2])).tolist()
    [[2.0, 1.0, 3.0]]
    """
    return reordering.reverse_sequence(x, seq_lengths, seq_dim, batch_dim)


@primitive()
def SpaceToBatchND(input_x: Any, *, block_shape: Any, paddings: Any) -> Any:
    """Blocks of the spatial axes as elements of the batch: `ops.space_to_batch_nd`.

    Examples
    --------
    >>> import s2sad as ms
    >>> SpaceToBatchND([1, 2], [[0, 0], [0, 0]])(ms.Tensor([[[[1.0, 2.0]]]])).tolist()
    [[[[1.0]]], [[[2.0]]]]
    """
    return reordering.space_to_batch_nd(input_x, block_shape, paddings)


@primitive()
def BatchToSpaceND(input_x: Any, *, block_shape: Any, crops: Any) -> Any:
    """Elements of the batch as blocks of the spatial axes: `ops.batch_to_space_nd`.

    Examples
    --------
    >>> import s2sad as ms
    >>> BatchToSpaceND([1, 2], [[0, 0], [0, 0]])(ms.Tensor([[[[1.0]]], [[[2.0]]]])).tolist()
    [[[[1.0, 2.0]]]]
    """
    return reordering.batch_to_space_nd(input_x, block_shape, crops)


def _block(name: str, given: Any) -> int:
    """An int (E0303) of at least 2 (E0404)."""
    return integer(name, given, 2)


@primitive(block_size=_block)
def SpaceToDepth(x: Any, *, block_size: int) -> Any:
    """Squares of elements of images as channels: of (N, C, H, W), ``block_size**2`` times as many.

    Element (i, j) of each square of channel c goes to channel ``(i * block_size + j) * C + c``,
    where `ops.pixel_unshuffle` gives it to a neighbour.

    Raises
    ------
    S2sadError
        E0401 for a height or width that `block_size` does not divide, or other than four axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> SpaceToDepth(2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).tolist()
    [[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]]
    """
    return shuffling.space_to_depth(x, block_size)


@primitive(block_size=_block)
def DepthToSpace(x: Any, *, block_size: int) -> Any:
    """Undo `SpaceToDepth`: groups of channels as squares of elements.

    Raises
    ------
    S2sadError
        E0401 for channels that ``block_size**2`` does not divide, or other than four axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> DepthToSpace(2)(ms.Tensor([[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]])).tolist()
    [[[[1.0, 2.0], [3.0, 4.0]]]]
    """
    return shuffling.depth_to_space(x, block_size)


@primitive()
def InvertPermutation(input_x: Any) -> Any:
    """Where each of the numbers 0 to n - 1 stands in the tuple or list `input_x`, as a tuple.

    Raises
    ------
    S2sadError
        E0303 for what is no tuple or list of ints, a Tensor as well; E0404 where one of the numbers
        is missing.

    Examples
    --------
    >>> InvertPermutation()((3, 4, 0, 2, 1))
    (2, 4, 3, 0, 1)
    """
    order = integers("input_x", input_x)
    places = {number: place for place, number in enumerate(order)}
    if places.keys() != set(range(len(order))):
        raise fail("E0404", f"input_x orders the numbers 0 to {len(order) - 1}, got {order}")
    return tuple(places[number] for number in range(len(order)))
