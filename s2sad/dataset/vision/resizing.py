"""How is an image made of another size?

Arrays are resized as OpenCV does, and so MindSpore: the centre of a pixel is at a half, and nothing
is smoothed before an image gets smaller. Images of Pillow are resized by Pillow, which smooths.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import whole
from s2sad.dataset.draws import generator
from s2sad.dataset.vision.base import (
    OfImage,
    Size,
    are_images,
    height_axis,
    is_pil,
    pillow,
    size_of,
)
from s2sad.dataset.vision.utils import Inter

#: OpenCV's number for cubic convolution (Keys, 1981, has -0.5).
CUBIC = -0.75


def _cubic(distance: np.ndarray) -> np.ndarray:
    """Weight of a pixel at `distance`, from 0 to 2: Keys's kernel."""
    near = ((CUBIC + 2) * distance - (CUBIC + 3)) * distance * distance + 1
    far = ((CUBIC * distance - 5 * CUBIC) * distance + 8 * CUBIC) * distance - 4 * CUBIC
    return np.where(distance <= 1, near, far)


def taps(size: int, wanted: int, interpolation: Inter) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each of `wanted` pixels those of `size` that it is made of, and their weights."""
    if interpolation is Inter.NEAREST:
        index = np.minimum(np.floor(np.arange(wanted) * (size / wanted)).astype(int), size - 1)
        return [(index, np.ones(wanted, np.float32))]
    centre = (np.arange(wanted) + 0.5) * (size / wanted) - 0.5
    base = np.floor(centre).astype(int)
    part = centre - base
    if interpolation is Inter.BILINEAR:
        weights = [1 - part, part]
        offsets = [0, 1]
    else:
        offsets = [-1, 0, 1, 2]
        weights = [_cubic(np.abs(part - offset)) for offset in offsets]
    return [
        (np.clip(base + offset, 0, size - 1), weight.astype(np.float32))
        for offset, weight in zip(offsets, weights, strict=True)
    ]


def resized(images: np.ndarray, axis: int, size: Size, interpolation: Inter) -> np.ndarray:
    """`images` with `size` in place of axes `axis` and the next one; integers rounded once."""
    if images.shape[axis : axis + 2 or None] == size:
        return images.copy()
    result = images
    for place, wanted in zip((axis, axis + 1), size, strict=True):
        parts = taps(result.shape[place], wanted, interpolation)
        result = _along(result, place, parts)
    if images.dtype.kind in "iu" and result.dtype.kind == "f":
        bounds = np.iinfo(images.dtype)
        result = np.clip(np.rint(result), bounds.min, bounds.max)
    return result.astype(images.dtype, copy=False)


def _along(images: np.ndarray, axis: int, parts: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    if len(parts) == 1:
        return images.take(parts[0][0], axis)
    shape = (-1,) + (1,) * (-axis - 1)
    total = None
    for index, weight in parts:
        scale = weight.astype(np.float64) if images.dtype == np.float64 else weight
        term = images.take(index, axis) * scale.reshape(shape)
        total = term if total is None else total + term
    assert total is not None
    return total


def interpolation_of(given: Any) -> Inter:
    """`given`, if arrays can be resized so.

    Raises
    ------
    S2sadError
        E0303 for what is no Inter, E0712 for kinds that there are not here.
    """
    if not isinstance(given, Inter):
        raise fail("E0303", f"interpolation is one of vision.Inter, got {given!r}")
    if given not in (Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC):
        raise fail("E0712", f"there is no {given} in this version", help="take Inter.BILINEAR")
    return given


class Resize(OfImage):
    """An image of another size.

    Parameters
    ----------
    size : int or (height, width)
        An int is the length of the shorter side; the other one keeps the proportion.
    interpolation : Inter
        NEAREST, BILINEAR or BICUBIC.

    Examples
    --------
    >>> from s2sad.dataset import vision
    >>> vision.Resize((2, 4))(np.array([[0, 4], [8, 12]], np.float32)).tolist()
    [[0.0, 1.0, 3.0, 4.0], [8.0, 9.0, 11.0, 12.0]]
    """

    def __init__(self, size: int | Size, interpolation: Inter = Inter.BILINEAR) -> None:
        is_side = not isinstance(size, (list, tuple))
        self.size = whole("size", size, 1) if is_side else size_of("size", size)
        self.interpolation = interpolation_of(interpolation)

    def __call__(self, image: Any) -> Any:
        if not is_pil(image):
            return super().__call__(image)
        height, width = self._target(image.size[1], image.size[0])
        return image.resize((width, height), getattr(
            pillow("Image", self).Resampling, self.interpolation.name
        ))  # fmt: skip

    def _target(self, height: int, width: int) -> Size:
        if isinstance(self.size, tuple):
            return self.size
        if height < width:
            return self.size, int(self.size * width / height)
        return int(self.size * height / width), self.size

    def compute(self, image: np.ndarray) -> np.ndarray:
        axis = height_axis(image)
        target = self._target(image.shape[axis], image.shape[axis + 1])
        return resized(image, axis, target, self.interpolation)

    def batched(self, rows: np.ndarray) -> np.ndarray | None:
        if not are_images(rows):
            return None
        axis = height_axis(rows, is_stacked=True)
        target = self._target(rows.shape[axis], rows.shape[axis + 1])
        return resized(rows, axis, target, self.interpolation)


class RandomResize(Resize):
    """`Resize` by a kind of interpolation that is drawn."""

    def __init__(self, size: int | Size) -> None:
        super().__init__(size)

    batched = None  # type: ignore[assignment]

    def compute(self, image: np.ndarray) -> np.ndarray:
        kinds = (Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC)
        return Resize(self.size, kinds[generator().integers(len(kinds))]).compute(image)
