"""Which transforms change numbers and the order of axes, and leave the picture as it is?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.transforms.base import OfArray, require_numbers
from s2sad.dataset.transforms.values import TypeCast, numpy_dtype
from s2sad.dataset.vision.base import OfImage, are_images, height_axis, image_of, is_pil


class Rescale(OfArray):
    """``x * rescale + shift`` in float32.

    Examples
    --------
    >>> from s2sad.dataset import vision
    >>> vision.Rescale(0.5, 1.0)(np.array([[0, 4]], np.uint8))
    array([[1., 3.]], dtype=float32)
    """

    def __init__(self, rescale: float, shift: float) -> None:
        self.rescale = np.float32(rescale)
        self.shift = np.float32(shift)

    def compute(self, value: np.ndarray) -> np.ndarray:
        require_numbers(value, self)
        result = np.multiply(value, self.rescale, dtype=np.float32, casting="same_kind")
        result += self.shift
        return result

    batched = compute


class Normalize(OfArray):
    """``(x - mean) / std`` in float32, a mean and a deviation for each channel.

    Parameters
    ----------
    mean, std : sequence of float
        As many as channels, or one for all.
    is_hwc : bool
        Whether channels are the last axis, else the first; an image of two axes has one channel.
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], is_hwc: bool = True) -> None:
        self.mean, self.std = np.array(mean, np.float32), np.array(std, np.float32)
        self.is_hwc = is_hwc
        if self.mean.ndim != 1 or self.mean.shape != self.std.shape or not len(self.mean):
            raise fail("E0404", f"Normalize takes as many of mean as of std, got {mean}, {std}")
        if not (self.std > 0).all():
            raise fail("E0404", f"std has numbers above 0, got {std}")

    def compute(self, value: np.ndarray) -> np.ndarray:
        return self._normal(image_of(value, self), value.ndim)

    def batched(self, rows: np.ndarray) -> np.ndarray | None:
        return self._normal(rows, rows.ndim - 1) if are_images(rows) else None

    def _normal(self, values: np.ndarray, axes: int) -> np.ndarray:
        channels = 1 if axes == 2 else values.shape[-1 if self.is_hwc else -3]
        if len(self.mean) not in (1, channels):
            raise fail(
                "E0401", f"Normalize has {len(self.mean)} means for {channels} channels",
                help="is_hwc=False says that channels come first, as after HWC2CHW and ToTensor",
            )  # fmt: skip
        shape = (-1,) if self.is_hwc or axes == 2 else (-1, 1, 1)
        result = np.subtract(
            values, self.mean.reshape(shape), dtype=np.float32, casting="same_kind"
        )
        result /= self.std.reshape(shape)
        return result


class HWC2CHW(OfArray):
    """Channels first; an image of two axes stays as it is."""

    def compute(self, value: np.ndarray) -> np.ndarray:
        image = image_of(value, self)
        return image if image.ndim == 2 else channels_first(image)

    def batched(self, rows: np.ndarray) -> np.ndarray | None:
        if not are_images(rows):
            return None
        return rows if rows.ndim == 3 else channels_first(rows)


def channels_first(images: np.ndarray) -> np.ndarray:
    """The last axis before the two in front of it."""
    if images.shape[-1] == 1:  # nothing moves in memory
        return images.reshape(*images.shape[:-3], 1, *images.shape[-3:-1])
    return np.ascontiguousarray(np.moveaxis(images, -1, -3))


class ToTensor(OfArray):
    """Channels first, from 0 to 1 in place of 0 to 255; an image of two axes gets one channel.

    Parameters
    ----------
    output_type : dtype
    """

    def __init__(self, output_type: Any = np.float32) -> None:
        self.output_type = numpy_dtype(output_type)

    def __call__(self, value: Any) -> np.ndarray:
        return self.compute(np.asarray(value) if is_pil(value) else image_of(value, self))

    def compute(self, value: np.ndarray) -> np.ndarray:
        return self._scaled(value if value.ndim == 3 else value[..., np.newaxis])

    def batched(self, rows: np.ndarray) -> np.ndarray | None:
        if not are_images(rows):
            return None
        return self._scaled(rows if rows.ndim == 4 else rows[..., np.newaxis])

    def _scaled(self, images: np.ndarray) -> np.ndarray:
        scaled = np.divide(images, np.float32(255), dtype=np.float32, casting="same_kind")
        return channels_first(scaled).astype(self.output_type, copy=False)


class ToType(TypeCast):
    """The same numbers as another dtype: `transforms.TypeCast`."""


class Invert(OfImage):
    """255 minus each of the values, which are uint8."""

    def compute(self, image: np.ndarray) -> np.ndarray:
        if image.dtype != np.uint8:
            raise fail("E0301", f"Invert takes images of uint8, got {image.dtype}")
        return 255 - image

    def batched(self, rows: np.ndarray) -> np.ndarray | None:
        return self.compute(rows) if are_images(rows) else None


class HorizontalFlip(OfImage):
    """Left and right exchanged."""

    def compute(self, image: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(np.flip(image, height_axis(image) + 1))


class VerticalFlip(OfImage):
    """Top and bottom exchanged."""

    def compute(self, image: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(np.flip(image, height_axis(image)))
