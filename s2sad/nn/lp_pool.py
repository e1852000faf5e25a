"""Which Cells pool by a power mean?"""

from __future__ import annotations

from typing import Any, ClassVar

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.ops.settings import flag, positive
from s2sad.ops.spatial import sizes_of


class _LPPool(Cell):
    RANK: ClassVar[int]

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = positive("norm_type", norm_type)
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        sizes_of("kernel_size", kernel_size, self.RANK)
        sizes_of("stride", self.stride, self.RANK)
        self.ceil_mode = flag("ceil_mode", ceil_mode)

    def extend_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(_LPPool):
    """``sum(x**norm_type) ** (1 / norm_type)`` in each window of one axis; see `LPPool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.LPPool1d(2, 2)(ms.Tensor([[[3.0, 4.0, 6.0, 8.0]]])).asnumpy()
    array([[[ 5., 10.]]], dtype=float32)
    """

    RANK = 1

    def construct(self, x: Any) -> Any:
        return ops.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPool):
    """``sum(x**norm_type) ** (1 / norm_type)`` in each window of images, (N, C, H, W) or (C, H, W).

    Parameters
    ----------
    norm_type : float
        Positive.
    kernel_size : int, or tuple of two int
    stride : int or tuple of two int, optional
        None stands for `kernel_size`.
    ceil_mode : bool
        Whether windows may go beyond the edge.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in a call those of `ops.lp_pool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.LPPool2d(2, (1, 2))(ms.Tensor([[[3.0, 4.0, 6.0, 8.0]]])).asnumpy()
    array([[[ 5., 10.]]], dtype=float32)
    """

    RANK = 2

    def construct(self, x: Any) -> Any:
        return ops.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)
