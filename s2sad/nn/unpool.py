"""Which Cells undo a pool of largest elements, as far as that can be?"""

from __future__ import annotations

from typing import Any, ClassVar

from s2sad.core.cell import Cell
from s2sad.ops.spatial import sizes_of
from s2sad.ops.unpooling import max_unpooled


class _MaxUnpool(Cell):
    RANK: ClassVar[int]

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size, self.padding = kernel_size, padding
        self.stride = kernel_size if stride is None else stride
        self.kernel = sizes_of("kernel_size", kernel_size, self.RANK)
        self.steps = sizes_of("stride", self.stride, self.RANK)
        self.ends = sizes_of("padding", padding, self.RANK, 0)

    def construct(self, x: Any, indices: Any, output_size: Any = None) -> Any:
        return max_unpooled(
            self.cls_name, self.RANK, x, indices, self.kernel, self.steps, self.ends, output_size
        )

    def extend_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Elements of (N, C, L) or (C, L) back at their places; see `MaxUnpool2d`."""

    RANK = 1


class MaxUnpool2d(_MaxUnpool):
    """Elements of (N, C, H, W) or (C, H, W) back at the places from which a pool took them.

    Parameters
    ----------
    kernel_size, stride, padding : int, or tuple of two int
        As of the pool; a stride of None stands for `kernel_size`.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in a call E0301 for indices that are
        no integers, E0401 for shapes that do not fit, E0404 for an ``output_size`` that no pool may
        have had, at run time E0501 for an index out of range.

    Notes
    -----
    Called with the elements, the indices that the pool gave, and ``output_size`` where it is not
    the least. What was not largest is 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[[1.0, 3.0, 0.0, 5.0]]])
    >>> pooled, indices = ms.ops.max_pool2d(x, (1, 2), return_indices=True)
    >>> ms.nn.MaxUnpool2d((1, 2))(pooled, indices).asnumpy()
    array([[[0., 3., 0., 5.]]], dtype=float32)
    """

    RANK = 2


class MaxUnpool3d(_MaxUnpool):
    """Elements of (N, C, D, H, W) or (C, D, H, W) back at their places; see `MaxUnpool2d`."""

    RANK = 3
