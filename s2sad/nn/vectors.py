"""Which Cells make vectors of indices, measure vectors, or shorten them?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.dtypes import DType
from s2sad.ops.magnitude import l1_penalty
from s2sad.ops.settings import flag, integer, positive


class OneHot(Cell):
    """Rows that hold `on_value` at an index, and `off_value` else; see `ops.one_hot`.

    Parameters
    ----------
    axis : int
        Where the new axis, of `depth` elements, stands.
    depth : int
    on_value, off_value : float
    dtype : DType
        Of the rows.

    Raises
    ------
    S2sadError
        E0303 for a setting that is no int; in a call those of `ops.one_hot`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.OneHot(depth=3)(ms.Tensor([2, 0])).asnumpy()
    array([[0., 0., 1.],
           [1., 0., 0.]], dtype=float32)
    """

    def __init__(
        self,
        axis: int = -1,
        depth: int = 1,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.axis, self.depth = integer("axis", axis), integer("depth", depth, 0)
        self.on_value, self.off_value, self.dtype = on_value, off_value, dtype

    def construct(self, indices: Any) -> Any:
        on, off = ops.full((), self.on_value, dtype=self.dtype), self.off_value
        return ops.one_hot(indices, self.depth, on, ops.full((), off, dtype=self.dtype), self.axis)

    def extend_repr(self) -> str:
        return f"axis={self.axis}, depth={self.depth}"


class Norm(Cell):
    """Length of the vectors over the axes `axis`, all when empty; see `ops.norm`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Norm(axis=1)(ms.Tensor([[3.0, 4.0], [0.0, 2.0]])).asnumpy()
    array([5., 2.], dtype=float32)
    """

    def __init__(self, axis: int | tuple[int, ...] = (), keep_dims: bool = False) -> None:
        super().__init__()
        self.axis, self.keep_dims = axis, flag("keep_dims", keep_dims)

    def construct(self, x: Any) -> Any:
        return ops.norm(x, dim=self.axis, keepdim=self.keep_dims)

    def extend_repr(self) -> str:
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class ClipByNorm(Cell):
    """`x` times ``clip_norm / max(norm, clip_norm)``, in float32.

    Parameters
    ----------
    axis : int or tuple of int, optional
        Those of a vector; one vector is all of `x` without them.

    Raises
    ------
    S2sadError
        In a call E0304 for what is no Tensor, E0401 for a `clip_norm` that does not broadcast,
        E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.ClipByNorm()(ms.Tensor([3.0, 4.0]), ms.Tensor([2.5])).asnumpy()
    array([1.5, 2. ], dtype=float32)
    """

    def __init__(self, axis: int | tuple[int, ...] | None = None) -> None:
        super().__init__()
        self.axis = axis

    def construct(self, x: Any, clip_norm: Any) -> Any:
        wide, limit = ops.cast(x, dtypes.float32), ops.cast(clip_norm, dtypes.float32)
        length = ops.norm(wide, dim=self.axis, keepdim=True)
        return wide * (limit / p.maximum(length, limit))


class L1Regularizer(Cell):
    """`scale` times the sum of the absolute values of a tensor, in float32 at least.

    Parameters
    ----------
    scale : float
        Positive.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a `scale` that cannot be; in a call E0301 for bools, E0304 for what is no
        Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.L1Regularizer(0.5)(ms.Tensor([[1.0, -2.0], [-3.0, 4.0]])).item()
    5.0
    """

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = positive("scale", scale)

    def construct(self, weights: Any) -> Any:
        return l1_penalty(weights, self.scale)
