"""How is a tensor laid on a finer or coarser grid, as a Cell?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell


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
