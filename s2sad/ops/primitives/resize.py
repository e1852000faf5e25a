"""Which objects make pictures larger or smaller?"""

from __future__ import annotations

from typing import Any

from s2sad.ops.primitives.base import older, primitive
from s2sad.ops.resize import resized
from s2sad.ops.settings import flag


@primitive(align_corners=flag, half_pixel_centers=flag)
def ResizeNearestNeighbor(
    input_x: Any, *, size: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    """Pictures of shape (N, C, H, W) on a grid of `size`, each element that of the nearest one.

    Of m elements over n, number i is the old one at ``floor(i * n / m)``; with `align_corners` the
    nearest one to ``i * (n - 1) / (m - 1)``; with `half_pixel_centers`
    ``floor((i + 0.5) * n / m)``.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, E0401 for other axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> ResizeNearestNeighbor((1, 4))(ms.Tensor([[[[1.0, 2.0]]]])).tolist()
    [[[[1.0, 1.0, 2.0, 2.0]]]]
    """
    return resized(
        "ResizeNearestNeighbor", input_x, size, "nearest", align_corners, half_pixel_centers
    )


@primitive(align_corners=flag, half_pixel_centers=flag)
def ResizeBilinearV2(
    image: Any, size: Any, *, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    """Pictures of shape (N, C, H, W) on a grid of `size`, interpolated linearly along both axes.

    Of m elements over n, number i lies at ``i * n / m``; with `align_corners` at
    ``i * (n - 1) / (m - 1)``; with `half_pixel_centers` at ``(i + 0.5) * n / m - 0.5``.

    Raises
    ------
    S2sadError
        E0301 unless `image` is of floats, E0303 or E0404 for a setting of another form or value,
        E0401 for other axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> ResizeBilinearV2()(ms.Tensor([[[[1.0, 2.0]]]]), (1, 4)).tolist()
    [[[[1.0, 1.5, 2.0, 2.0]]]]
    """
    return resized("ResizeBilinearV2", image, size, "bilinear", align_corners, half_pixel_centers)


@primitive(align_corners=flag, half_pixel_centers=flag)
def _Bilinear(
    x: Any, *, size: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    return resized("ResizeBilinear", x, size, "bilinear", align_corners, half_pixel_centers)


ResizeBilinear = older(
    _Bilinear, "ResizeBilinear", "(1, 4)", "ms.Tensor([[[[1.0, 2.0]]]])",
    "[[[[1.0, 1.5, 2.0, 2.0]]]]", instead="ResizeBilinearV2",
)  # fmt: skip
