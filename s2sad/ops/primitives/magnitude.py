"""Which objects measure how long tensors are?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.ops import magnitude
from s2sad.ops.primitives.base import primitive
from s2sad.ops.promotion import as_dtype, promote_floats, require_tensors
from s2sad.ops.settings import flag, integer, integers, not_negative
from s2sad.prims.shape import require_shape


def _axes(name: str, given: Any) -> Any:
    """An int, or a tuple or list of one or more (E0303)."""
    return integers(name, given) if isinstance(given, (tuple, list)) else integer(name, given)


def _order(name: str, given: Any) -> int:
    """An int (E0303) that is not negative (E0404)."""
    return integer(name, given, 0)


@primitive(axis=_axes, p=_order, keep_dims=flag, epsilon=not_negative)
def LpNorm(
    input: Any, *, axis: Any, p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12
) -> Any:
    """Norm ``sum(|x|**p)**(1/p)`` over the axes `axis`, `epsilon` where it is less than that.

    With `p` 0, the number of elements that are not 0. Where `epsilon` is given the gradient is 0.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0403 for an axis that does not exist, or is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> LpNorm([0, 1])(ms.Tensor([[3.0, 4.0], [0.0, 0.0]])).tolist()
    5.0
    >>> LpNorm(1, p=1, epsilon=0.5)(ms.Tensor([[3.0, -4.0], [0.0, 0.0]])).tolist()
    [7.0, 0.5]
    """
    return _at_least(magnitude.vector_norm(input, p, axis, keep_dims), epsilon)


def _at_least(length: Any, epsilon: float) -> Any:
    return p.where(p.less(length, epsilon), epsilon, length)


@primitive()
def SquareSumAll(x: Any, y: Any) -> Any:
    """Sums of the squares of all elements: of `x`, and of `y`, which has the same shape.

    Integers and bools are taken as float32.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for shapes that differ.

    Examples
    --------
    >>> import s2sad as ms
    >>> first, second = SquareSumAll()(ms.Tensor([0.0, 2.0]), ms.Tensor([1.0, 3.0]))
    >>> first.item(), second.item()
    (4.0, 10.0)
    """
    one, other = promote_floats(*require_tensors("SquareSumAll", x, y))
    require_shape(other.shape, one.shape, "the second operand")
    return _square_sum(one), _square_sum(other)


def _square_sum(x: Any) -> Any:
    wide = as_dtype(x, x.dtype.compute)
    return as_dtype(p.reduce_sum(p.square(wide), axis=None), x.dtype)
