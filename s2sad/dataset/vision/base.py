"""What do transforms of images have in common: heights, widths, channels, images of Pillow?

An image is an array of shape (height, width) or (height, width, channels), or one of Pillow's. Of
Pillow's the result is Pillow's again.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.core.datafiles import pillow
from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import whole
from s2sad.dataset.transforms.base import Transform, array_of, require_numbers

#: Size of an image: height and width.
Size = tuple[int, int]


def is_pil(image: object) -> bool:
    """Whether `image` is one of Pillow's."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(image, module.Image)


class OfImage(Transform, ABC):
    """A transform of one image that is computed on its array: classes define `compute`."""

    def __call__(self, image: Any) -> Any:
        if is_pil(image):
            result = self.compute(np.asarray(image))
            return pillow("Image", self).fromarray(result)
        return self.compute(image_of(image, self))

    @abstractmethod
    def compute(self, image: np.ndarray) -> np.ndarray:
        """The result for one image."""


def image_of(value: Any, transform: object) -> np.ndarray:
    """The array of an image.

    Raises
    ------
    S2sadError
        E0401 for one that has neither two axes nor three, E0301 for one without numbers.
    """
    array = array_of(value, transform)
    if array.ndim not in (2, 3):
        raise fail(
            "E0401", f"{type(transform).__name__} takes images of shape (height, width) or "
            f"(height, width, channels), got {list(array.shape)}",
            help="vision.Decode makes arrays of the bytes of files" if array.ndim == 1 else None,
        )  # fmt: skip
    require_numbers(array, transform)
    return array


def are_images(rows: np.ndarray) -> bool:
    """Whether each of the stacked `rows` is an image."""
    return rows.ndim in (3, 4) and rows.dtype.kind in "biuf"


def height_axis(image: np.ndarray, is_stacked: bool = False) -> int:
    """The axis of heights, counted from the end; that of widths is the next one."""
    return -2 if image.ndim - is_stacked == 2 else -3


def size_of(name: str, given: Any) -> Size:
    """Height and width: an int is both of them."""
    if isinstance(given, (list, tuple)):
        if len(given) != 2:
            raise fail("E0303", f"{name} is an int or (height, width), got {given!r}")
        return whole(name, given[0], 1), whole(name, given[1], 1)
    return whole(name, given, 1), whole(name, given, 1)


def margins_of(name: str, given: Any) -> tuple[int, int, int, int]:
    """Left, top, right, bottom: an int is all, two are left and right, top and bottom."""
    if isinstance(given, (list, tuple)):
        sides = [whole(name, side, 0) for side in given]
    else:
        sides = [whole(name, given, 0)] * 4
    if len(sides) == 2:
        sides = sides * 2
    if len(sides) != 4:
        raise fail("E0303", f"{name} is an int, or 2 or 4 of them, got {given!r}")
    return sides[0], sides[1], sides[2], sides[3]


def bounds_of(name: str, given: Sequence[float], least: float) -> tuple[float, float]:
    """A lower and an upper bound."""
    if not isinstance(given, (list, tuple)) or len(given) != 2:
        raise fail("E0303", f"{name} is (least, most), got {given!r}")
    low, high = map(float, given)
    if not least <= low <= high:
        raise fail("E0404", f"{name} is (least, most) from {least} on, got {given!r}")
    return low, high
