"""Which transforms cut images out, fill them up, or turn them round?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import chance, flag, whole
from s2sad.dataset.draws import generator
from s2sad.dataset.vision.base import (
    OfImage,
    Size,
    are_images,
    bounds_of,
    height_axis,
    margins_of,
    size_of,
)
from s2sad.dataset.vision.pixels import HorizontalFlip, VerticalFlip
from s2sad.dataset.vision.resizing import interpolation_of, resized
from s2sad.dataset.vision.utils import Border, Inter

Margins = tuple[int, int, int, int]


def extent(image: np.ndarray) -> Size:
    """Height and width of an image."""
    axis = height_axis(image)
    return image.shape[axis], image.shape[axis + 1]


def cut(image: np.ndarray, top: int, left: int, size: Size, is_stacked: bool = False) -> np.ndarray:
    """A copy of the part of `size` whose corner is at `top` and `left`."""
    lead = (slice(None),) * is_stacked
    part = (slice(top, top + size[0]), slice(left, left + size[1]))
    return image[lead + part].copy()


def padded(image: np.ndarray, margins: Margins, fill: Any, mode: Border) -> np.ndarray:
    """`image` with margins at its left, top, right and bottom."""
    left, top, right, bottom = margins
    widths = [(top, bottom), (left, right)] + [(0, 0)] * (image.ndim - 2)
    if mode is not Border.CONSTANT:
        return np.pad(image, widths, mode.value)
    height, width = extent(image)
    shape = (height + top + bottom, width + left + right, *image.shape[2:])
    result = np.empty(shape, image.dtype)
    result[...] = fill
    result[top : top + height, left : left + width] = image
    return result


def border(given: Any) -> Border:
    """`given`, if it is a Border; else E0303."""
    if not isinstance(given, Border):
        raise fail("E0303", f"padding_mode is one of vision.Border, got {given!r}")
    return given


def require_within(name: str, size: Size, image: np.ndarray) -> None:
    """E0401 where an image is smaller than what is to be cut out."""
    if size[0] > extent(image)[0] or size[1] > extent(image)[1]:
        raise fail("E0401", f"{name} cuts {size} out of an image of {extent(image)}")


class Crop(OfImage):
    """The part of `size` whose corner is at `coordinates`, (top, left)."""

    def __init__(self, coordinates: Size, size: int | Size) -> None:
        self.top, self.left = (whole("coordinates", each, 0) for each in coordinates)
        self.size = size_of("size", size)

    def compute(self, image: np.ndarray) -> np.ndarray:
        require_within("Crop", (self.top + self.size[0], self.left + self.size[1]), image)
        return cut(image, self.top, self.left, self.size)


class CenterCrop(OfImage):
    """The part of `size` in the middle; an image that is smaller gets zeros around it."""

    def __init__(self, size: int | Size) -> None:
        self.size = size_of("size", size)

    def compute(self, image: np.ndarray) -> np.ndarray:
        image = _at_least(image, self.size)
        height, width = extent(image)
        return cut(image, (height - self.size[0]) // 2, (width - self.size[1]) // 2, self.size)

    def batched(self, rows: np.ndarray) -> np.ndarray | None:
        if not are_images(rows):
            return None
        height, width = rows.shape[1:3]
        if height < self.size[0] or width < self.size[1]:
            return None
        top, left = (height - self.size[0]) // 2, (width - self.size[1]) // 2
        return cut(rows, top, left, self.size, is_stacked=True)


def _at_least(image: np.ndarray, size: Size) -> np.ndarray:
    """`image`, with zeros around it where it is smaller than `size`."""
    height, width = (max(0, wanted - now) for wanted, now in zip(size, extent(image), strict=True))
    if not height and not width:
        return image
    margins = (width // 2, height // 2, width - width // 2, height - height // 2)
    return padded(image, margins, 0, Border.CONSTANT)


class Pad(OfImage):
    """An image with margins.

    Parameters
    ----------
    padding : int, 2 or 4 ints
        All; left and right, top and bottom; or left, top, right, bottom.
    fill_value : int or tuple of int
        What stands there, for each channel, where `padding_mode` is CONSTANT.
    padding_mode : Border
    """

    def __init__(
        self, padding: Any, fill_value: Any = 0, padding_mode: Border = Border.CONSTANT
    ) -> None:
        self.margins = margins_of("padding", padding)
        self.fill = fill_value
        self.mode = border(padding_mode)

    def compute(self, image: np.ndarray) -> np.ndarray:
        return padded(image, self.margins, self.fill, self.mode)


class RandomCrop(OfImage):
    """A part of `size` anywhere, after `padding`.

    Parameters
    ----------
    size : int or (height, width)
    padding : int, 2 or 4 ints, optional
    pad_if_needed : bool
        Fill smaller images up.
    fill_value, padding_mode
        As `Pad` has them.
    """

    def __init__(
        self, size: int | Size, padding: Any = None, pad_if_needed: bool = False,
        fill_value: Any = 0, padding_mode: Border = Border.CONSTANT,
    ) -> None:  # fmt: skip
        self.size = size_of("size", size)
        self.margins = None if padding is None else margins_of("padding", padding)
        self.pad_if_needed = flag("pad_if_needed", pad_if_needed)
        self.fill = fill_value
        self.mode = border(padding_mode)

    def compute(self, image: np.ndarray) -> np.ndarray:
        if self.margins is not None:
            image = padded(image, self.margins, self.fill, self.mode)
        if self.pad_if_needed:
            image = self._filled_up(image)
        require_within("RandomCrop", self.size, image)
        height, width = extent(image)
        top = int(generator().integers(height - self.size[0] + 1))
        left = int(generator().integers(width - self.size[1] + 1))
        return cut(image, top, left, self.size)

    def _filled_up(self, image: np.ndarray) -> np.ndarray:
        pairs = zip(self.size, extent(image), strict=True)
        height, width = (max(0, wanted - now) for wanted, now in pairs)
        return padded(image, (width, height, width, height), self.fill, self.mode)


class RandomResizedCrop(OfImage):
    """A part of random area and proportion, resized.

    Source: torchvision's and MindSpore's; ten tries, then the middle.

    Parameters
    ----------
    size : int or (height, width)
    scale, ratio : (least, most)
        Of the area of the image, and of width to height.
    interpolation : Inter
    max_attempts : int
    """

    def __init__(
        self, size: int | Size, scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3 / 4, 4 / 3), interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:  # fmt: skip
        self.size = size_of("size", size)
        self.scale = bounds_of("scale", scale, 0)
        self.ratio = bounds_of("ratio", ratio, 1e-9)
        self.interpolation = interpolation_of(interpolation)
        self.attempts = whole("max_attempts", max_attempts, 1)

    def compute(self, image: np.ndarray) -> np.ndarray:
        top, left, size = self._part(*extent(image))
        part = cut(image, top, left, size)
        return resized(part, height_axis(part), self.size, self.interpolation)

    def _part(self, height: int, width: int) -> tuple[int, int, Size]:
        rng = generator()
        for _ in range(self.attempts):
            area = height * width * rng.uniform(*self.scale)
            ratio = math.exp(rng.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            wide, high = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < wide <= width and 0 < high <= height:
                top, left = rng.integers(height - high + 1), rng.integers(width - wide + 1)
                return int(top), int(left), (high, wide)
        wide = min(width, max(1, round(height * self.ratio[1])))
        high = min(height, max(1, round(width / self.ratio[0])))
        return (height - high) // 2, (width - wide) // 2, (high, wide)


class RandomHorizontalFlip(HorizontalFlip):
    """Left and right exchanged with probability `prob`."""

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = chance("prob", prob)

    def compute(self, image: np.ndarray) -> np.ndarray:
        return super().compute(image) if generator().random() < self.prob else image


class RandomVerticalFlip(VerticalFlip):
    """Top and bottom exchanged with probability `prob`."""

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = chance("prob", prob)

    def compute(self, image: np.ndarray) -> np.ndarray:
        return super().compute(image) if generator().random() < self.prob else image


class CutOut(OfImage):
    """`num_patches` squares of `length` with zeros, anywhere.

    Parameters
    ----------
    length, num_patches : int
    is_hwc : bool
        Whether channels are the last axis, else the first.
    """

    def __init__(self, length: int, num_patches: int = 1, is_hwc: bool = True) -> None:
        self.length = whole("length", length, 1)
        self.patches = whole("num_patches", num_patches, 1)
        self.is_hwc = flag("is_hwc", is_hwc)

    def compute(self, image: np.ndarray) -> np.ndarray:
        is_first = image.ndim == 3 and not self.is_hwc
        result = image.copy()
        pixels = np.moveaxis(result, 0, -1) if is_first else result
        require_within("CutOut", (self.length, self.length), pixels)
        for _ in range(self.patches):
            top, left = (int(generator().integers(x - self.length + 1)) for x in extent(pixels))
            pixels[top : top + self.length, left : left + self.length] = 0
        return result


class RandomErasing(OfImage):
    """A rectangle erased from an image with channels first, with probability `prob`.

    Source: Zhong et al., Random Erasing Data Augmentation, 2017.

    Parameters
    ----------
    prob : float
    scale, ratio : (least, most)
        Of the area of the image, and of height to width.
    value : number, sequence or "random"
        What stands there then: for each channel, or normal random numbers.
    inplace : bool
        Write the image that is given.
    max_attempts : int
    """

    def __init__(
        self, prob: float = 0.5, scale: tuple[float, float] = (0.02, 0.33),
        ratio: tuple[float, float] = (0.3, 3.3), value: Any = 0, inplace: bool = False,
        max_attempts: int = 10,
    ) -> None:  # fmt: skip
        self.prob = chance("prob", prob)
        self.scale = bounds_of("scale", scale, 0)
        self.ratio = bounds_of("ratio", ratio, 1e-9)
        self.value = value
        self.inplace = flag("inplace", inplace)
        self.attempts = whole("max_attempts", max_attempts, 1)

    def compute(self, image: np.ndarray) -> np.ndarray:
        if image.ndim != 3:
            raise fail("E0401", f"RandomErasing takes (channels, height, width), got {image.shape}")
        rng = generator()
        if rng.random() >= self.prob:
            return image
        result = image if self.inplace else image.copy()
        channels, height, width = image.shape
        for _ in range(self.attempts):
            area = height * width * rng.uniform(*self.scale)
            ratio = math.exp(rng.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            high, wide = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < high < height and 0 < wide < width:
                top, left = rng.integers(height - high + 1), rng.integers(width - wide + 1)
                result[:, top : top + high, left : left + wide] = self._patch(channels, high, wide)
                break
        return result

    def _patch(self, channels: int, height: int, width: int) -> Any:
        if isinstance(self.value, str):
            if self.value != "random":
                raise fail("E0404", f'value is a number, numbers or "random", got {self.value!r}')
            return generator().standard_normal((channels, height, width))
        value = np.asarray(self.value)
        return value.reshape(-1, 1, 1) if value.ndim else value
