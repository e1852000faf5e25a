"""Which objects make tensors?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import creation
from s2sad.ops.primitives.base import like, primitive
from s2sad.ops.settings import integer

Eye = like(creation.eye, "Eye", "2, 2, ms.float32", "[[1.0, 0.0], [0.0, 1.0]]")
Fill = like(creation.fill, "Fill", "ms.float32, (2,), 3.0", "[3.0, 3.0]")
Ones = like(creation.ones, "Ones", "(2,), ms.float32", "[1.0, 1.0]")
OnesLike = like(creation.ones_like, "OnesLike", "ms.Tensor([5, 6])", "[1, 1]")
ScalarToTensor = like(creation.scalar_to_tensor, "ScalarToTensor", "1, ms.float32", "1.0")
TupleToArray = like(creation.tuple_to_array, "TupleToArray", "(1, 2)", "[1, 2]")
Zeros = like(creation.zeros, "Zeros", "(2,), ms.float32", "[0.0, 0.0]")
ZerosLike = like(creation.zeros_like, "ZerosLike", "ms.Tensor([5, 6])", "[0, 0]")


@primitive()
def FillV2(shape: Any, value: Any) -> Any:
    """A tensor of the shape `shape`, filled with `value`, a number or a Tensor: `ops.full`.

    Examples
    --------
    >>> import s2sad as ms
    >>> FillV2()((2,), ms.Tensor(3.0)).tolist()
    [3.0, 3.0]
    """
    return creation.full(shape, value)


@primitive(axis=integer)
def OneHot(indices: Any, depth: int, on_value: Any, off_value: Any, *, axis: int = -1) -> Any:
    """`on_value` at each index along a new `axis` of size `depth`, else `off_value`: `ops.one_hot`.

    Examples
    --------
    >>> import s2sad as ms
    >>> OneHot()(ms.Tensor([1, 0]), 2, ms.Tensor(1.0), ms.Tensor(0.0)).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    return creation.one_hot(indices, depth, on_value, off_value, axis)
