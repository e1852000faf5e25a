"""Which Cells are operations on arrays, without Parameters?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.ops.settings import flag


class Range(Cell):
    """Numbers from `start`, at each call the same, up to but without `limit`; see `ops.arange`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Range(1, 8, 2)().asnumpy(), ms.nn.Range(3)().asnumpy()
    (array([1, 3, 5, 7]), array([0, 1, 2]))
    """

    def __init__(self, start: float, limit: float | None = None, delta: float = 1) -> None:
        super().__init__()
        self.start, self.limit = (0, start) if limit is None else (start, limit)
        self.delta = delta

    def construct(self) -> Any:
        return ops.arange(self.start, self.limit, self.delta)


class Tril(Cell):
    """`x` with zeros above the diagonal `k`; see `ops.tril`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Tril()(ms.Tensor([[1, 2], [3, 4]])).asnumpy()
    array([[1, 0],
           [3, 4]])
    """

    def construct(self, x: Any, k: int = 0) -> Any:
        return ops.tril(x, k)


class Triu(Cell):
    """`x` with zeros below the diagonal `k`; see `ops.triu`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Triu()(ms.Tensor([[1, 2], [3, 4]])).asnumpy()
    array([[1, 2],
           [0, 4]])
    """

    def construct(self, x: Any, k: int = 0) -> Any:
        return ops.triu(x, k)


class MatMul(Cell):
    """Product of matrices, the last two axes of each turned beforehand or not; see `ops.matmul`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.MatMul(transpose_x2=True)(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0, 4.0]])).asnumpy()
    array([[11.]], dtype=float32)
    """

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1 = flag("transpose_x1", transpose_x1)
        self.transpose_x2 = flag("transpose_x2", transpose_x2)

    def construct(self, x1: Any, x2: Any) -> Any:
        if self.transpose_x1 and x1.ndim > 1:
            x1 = ops.swapaxes(x1, -1, -2)
        if self.transpose_x2 and x2.ndim > 1:
            x2 = ops.swapaxes(x2, -1, -2)
        return ops.matmul(x1, x2)


class Moments(Cell):
    """Mean and variance over `axis`, of all where it is None, the variance being the biased one.

    Examples
    --------
    >>> import s2sad as ms
    >>> mean, variance = ms.nn.Moments(axis=0)(ms.Tensor([[1.0], [3.0]]))
    >>> mean.asnumpy(), variance.asnumpy()
    (array([2.], dtype=float32), array([1.], dtype=float32))
    """

    def __init__(
        self, axis: int | tuple[int, ...] | None = None, keep_dims: bool | None = None
    ) -> None:
        super().__init__()
        self.axis = () if axis is None else axis
        self.keep_dims = flag("keep_dims", False if keep_dims is None else keep_dims)

    def construct(self, x: Any) -> Any:
        mean = ops.mean(x, self.axis, True)
        variance = ops.mean(ops.square(x - mean), self.axis, self.keep_dims)
        return ops.mean(x, self.axis, self.keep_dims), variance


class ReduceLogSumExp(Cell):
    """Logarithm of the sum of exponentials over `axis`; see `ops.logsumexp`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.ReduceLogSumExp(1)(ms.Tensor([[0.0, 0.0]])).asnumpy().round(4)
    array([0.6931], dtype=float32)
    """

    def __init__(self, axis: int | tuple[int, ...], keep_dims: bool = False) -> None:
        super().__init__()
        self.axis, self.keep_dims = axis, flag("keep_dims", keep_dims)

    def construct(self, x: Any) -> Any:
        return ops.logsumexp(x, self.axis, self.keep_dims)


class Roll(Cell):
    """Elements moved on along axes, the last ones to the front; see `ops.roll`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Roll(1, 0)(ms.Tensor([1, 2, 3])).asnumpy()
    array([3, 1, 2])
    """

    def __init__(self, shift: int | tuple[int, ...], axis: int | tuple[int, ...]) -> None:
        super().__init__()
        self.shift, self.axis = shift, axis

    def construct(self, input_x: Any) -> Any:
        return ops.roll(input_x, self.shift, self.axis)
