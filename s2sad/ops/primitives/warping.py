"""Which objects read pictures at places between their elements?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import warping
from s2sad.ops.primitives.base import primitive
from s2sad.ops.settings import flag


@primitive(align_corners=flag)
def GridSampler2D(
    input_x: Any, grid: Any, *, interpolation_mode: str = "bilinear", padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Any:  # fmt: skip
    """Pictures of shape (N, C, H, W), read at the places of `grid`: `ops.grid_sample`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, middle = ms.Tensor([[[[1.0, 3.0]]]]), ms.Tensor([[[[0.0, 0.0]]]])
    >>> GridSampler2D()(x, middle).tolist()
    [[[[2.0]]]]
    """
    return warping.grid_sample(input_x, grid, interpolation_mode, padding_mode, align_corners)
