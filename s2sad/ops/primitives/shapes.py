"""Which objects say shapes and dtypes, and change them?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import shapes
from s2sad.ops.primitives.base import like, primitive
from s2sad.ops.shapes import as_shape

MATRIX = "ms.Tensor([[1.0, 2.0]])"

Cast = like(shapes.cast, "Cast", "ms.Tensor([1.5, -1.5]), ms.int32", "[1, -1]")
DType = like(shapes.dtype, "DType", MATRIX, "s2sad.float32", shown="{}")
DynamicShape = like(shapes.dyn_shape, "DynamicShape", MATRIX, "[1, 2]")
ExpandDims = like(shapes.expand_dims, "ExpandDims", "ms.Tensor([1.0, 2.0]), 0", "[[1.0, 2.0]]")
Flatten = like(shapes.flatten, "Flatten", "ms.Tensor([[[1.0], [2.0]]])", "[[1.0, 2.0]]", operands=1)
Rank = like(shapes.rank, "Rank", MATRIX, "2", shown="{}")
Reshape = like(shapes.reshape, "Reshape", f"{MATRIX}, (-1, 1)", "[[1.0], [2.0]]")
Shape = like(shapes.shape, "Shape", MATRIX, "(1, 2)", shown="{}")
Size = like(shapes.size, "Size", MATRIX, "2", shown="{}")
TensorShape = like(shapes.dyn_shape, "TensorShape", MATRIX, "[1, 2]")


@primitive()
def Squeeze(input: Any, *, axis: Any = ()) -> Any:
    """Without axes of size 1: `axis`, an int or a tuple of int, or all where it is empty.

    Raises
    ------
    S2sadError
        Those of `ops.squeeze`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Squeeze(0)(ms.Tensor([[[1.0]]])).shape, Squeeze()(ms.Tensor([[[1.0]]])).shape
    ((1, 1), ())
    """
    return shapes.squeeze(input, None if axis == () else axis)


@primitive(shape=lambda name, given: as_shape(given))
def BroadcastTo(input: Any, *, shape: Any) -> Any:
    """`input` repeated to `shape`, a tuple of int: `ops.broadcast_to`.

    Examples
    --------
    >>> import s2sad as ms
    >>> BroadcastTo((2, -1))(ms.Tensor([[1.0, 2.0]])).tolist()
    [[1.0, 2.0], [1.0, 2.0]]
    """
    return shapes.broadcast_to(input, shape)
