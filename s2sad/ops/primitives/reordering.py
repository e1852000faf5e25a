"""Which objects move elements between axes, and turn parts of an axis round?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import reordering
from s2sad.ops.primitives.base import primitive
from s2sad.ops.settings import integer


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
