"""Are batches of images such that they can be compared, and which patches do they have?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.patches import unfold
from s2sad.ops.promotion import require_floats, type_of
from s2sad.ops.spatial import require_axes


def require_images(what: str, one: Any, other: Any, least: int) -> None:
    """Two batches of floats (E0301), (N, C, H, W), of one shape and at least `least` wide (E0401).

    Raises
    ------
    S2sadError
        Also E0304 for what is no Tensor.
    """
    for images in (one, other):
        require_axes(what, require_floats(images, what), 4)
    if tuple(one.shape) != tuple(other.shape) or one.dtype is not other.dtype:
        raise fail("E0401", f"{what} of images that differ: {type_of(one)} and {type_of(other)}")
    if min(one.shape[2:]) < least:
        raise fail("E0401", f"{what} needs {least} rows and columns, got {type_of(one)}")


def rows_of_patches(
    x: Any, kernel: tuple[int, int], stride: tuple[int, int], rate: tuple[int, int], padding: str
) -> Any:
    """Patches of (N, C, H, W) along the channels, those of one element of the patch together."""
    require_axes("Unfold", x, 4)
    batch, channels, *size = x.shape
    reach = [(k - 1) * r + 1 for k, r in zip(kernel, rate, strict=True)]
    if padding == "same":
        counts = [-(-n // s) for n, s in zip(size, stride, strict=True)]
        more = [
            max((count - 1) * s + k - n, 0)
            for count, s, k, n in zip(counts, stride, reach, size, strict=True)
        ]
        low = (0, 0, *(m // 2 for m in more))
        x = p.pad(x, 0, low=low, high=(0, 0, *(m - m // 2 for m in more)))
    else:
        counts = [(n - k) // s + 1 for n, k, s in zip(size, reach, stride, strict=True)]
    columns = unfold(x, kernel, rate, 0, stride)
    parts = p.reshape(columns, shape=(batch, channels, kernel[0] * kernel[1], *counts))
    turned = p.transpose(parts, perm=(0, 2, 1, 3, 4))
    return p.reshape(turned, shape=(batch, -1, *counts))
