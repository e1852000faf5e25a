"""How is a tensor laid on a finer or coarser grid, as a Cell?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.ops.resize import grid_of, resized
from s2sad.ops.settings import flag


class Upsample(Cell):
    """The spatial axes on another grid; see `ops.interpolate`, which says what the settings mean.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Upsample(scale_factor=2.0)(ms.Tensor([[[1.0, 2.0]]])).asnumpy()
    array([[[1., 1., 2., 2.]]], dtype=float32)
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def construct(self, x: Any) -> Any:
        return ops.interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners,
            self.recompute_scale_factor,
        )  # fmt: skip

    def extend_repr(self) -> str:
        return (
            f"size={self.size}, scale_factor={self.scale_factor}, mode={self.mode}, "
            f"align_corners={self.align_corners}, "
            f"recompute_scale_factor={self.recompute_scale_factor}"
        )


class ResizeBilinear(Cell):
    """Pictures of shape (N, C, H, W) on another grid, linear along both axes; of older MindSpore.

    Called with `size`, two ints, or an int `scale_factor`, by which both are multiplied. Of m
    elements over n, number i lies at ``i * n / m``; with `align_corners` at ``i * (n - 1) / (m -
    1)``; with `half_pixel_centers` at ``(i + 0.5) * n / m - 0.5``.

    Raises
    ------
    S2sadError
        In a call E0302 for both of `size` and `scale_factor`, or none; those of
        `ops.ResizeBilinearV2`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.ResizeBilinear()(ms.Tensor([[[[1.0, 2.0]]]]), (1, 4)).tolist()
    [[[[1.0, 1.5, 2.0, 2.0]]]]
    """

    def __init__(self, half_pixel_centers: bool = False) -> None:
        super().__init__()
        self.half_pixel_centers = flag("half_pixel_centers", half_pixel_centers)

    def construct(
        self, x: Any, size: Any = None, scale_factor: Any = None, align_corners: bool = False
    ) -> Any:
        return resized(
            self.cls_name, x, grid_of(self.cls_name, x, size, scale_factor), "bilinear",
            flag("align_corners", align_corners), self.half_pixel_centers,
        )  # fmt: skip
