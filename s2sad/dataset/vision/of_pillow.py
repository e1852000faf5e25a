"""Which transforms are Pillow's: files decoded, images turned by an angle, colours changed?

They take arrays as well, uint8, and then give arrays.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import chance, flag
from s2sad.dataset.draws import generator
from s2sad.dataset.transforms.base import Transform, array_of
from s2sad.dataset.vision.base import Size, bounds_of, image_of, is_pil, pillow
from s2sad.dataset.vision.cropping import RandomResizedCrop
from s2sad.dataset.vision.resizing import interpolation_of
from s2sad.dataset.vision.utils import Inter


class Decode(Transform):
    """The RGB image of the bytes of a file: JPEG, PNG, BMP and whatever else Pillow reads.

    Parameters
    ----------
    to_pil : bool
        Give Pillow's image rather than an array.
    """

    def __init__(self, to_pil: bool = False) -> None:
        self.to_pil = flag("to_pil", to_pil)

    def __call__(self, value: Any) -> Any:
        data = value if isinstance(value, bytes) else array_of(value, self)
        if isinstance(data, np.ndarray) and (data.dtype != np.uint8 or data.ndim != 1):
            raise fail("E0401", f"Decode takes the bytes of a file, got {data.dtype} {data.shape}")
        reader = pillow("Image", self)
        try:
            image = reader.open(io.BytesIO(bytes(data))).convert("RGB")
        except OSError as error:
            raise fail("E0608", f"Decode cannot read an image: {error}") from error
        return image if self.to_pil else np.array(image)


class RandomCropDecodeResize(Transform):
    """`RandomResizedCrop`, with its arguments, of the image of the bytes of a file."""

    def __init__(
        self, size: int | Size, scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3 / 4, 4 / 3), interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:  # fmt: skip
        self.decode = Decode()
        self.crop = RandomResizedCrop(size, scale, ratio, interpolation, max_attempts)

    def __call__(self, value: Any) -> Any:
        return self.crop(self.decode(value))


class ToPIL(Transform):
    """Pillow's image of an array of uint8."""

    def __call__(self, value: Any) -> Any:
        return value if is_pil(value) else _as_pillow(value, self)


def _as_pillow(value: Any, transform: object) -> Any:
    array = image_of(value, transform)
    if array.dtype != np.uint8:
        name = type(transform).__name__
        raise fail("E0301", f"{name} takes images of uint8, got {array.dtype}")
    squeezed = array[..., 0] if array.ndim == 3 and array.shape[2] == 1 else array
    return pillow("Image", transform).fromarray(squeezed)


class OfPillow(Transform, ABC):
    """A transform that Pillow computes: classes define `changed`."""

    def __call__(self, value: Any) -> Any:
        if is_pil(value):
            return self.changed(value)
        result = np.array(self.changed(_as_pillow(value, self)))
        has_channel = image_of(value, self).ndim == 3 and result.ndim == 2
        return result[..., np.newaxis] if has_channel else result

    @abstractmethod
    def changed(self, image: Any) -> Any:
        """The result for one image of Pillow's."""


class Grayscale(OfPillow):
    """Brightness only, in 1 channel or in 3 that are equal."""

    def __init__(self, num_output_channels: int = 1) -> None:
        if num_output_channels not in (1, 3):
            raise fail("E0404", f"num_output_channels is 1 or 3, got {num_output_channels!r}")
        self.channels = num_output_channels

    def changed(self, image: Any) -> Any:
        grey = image.convert("L")
        return grey if self.channels == 1 else grey.convert("RGB")


class RandomGrayscale(Grayscale):
    """Brightness in place of each colour, with probability `prob`."""

    def __init__(self, prob: float = 0.1) -> None:
        super().__init__(3)
        self.prob = chance("prob", prob)

    def changed(self, image: Any) -> Any:
        is_changed = image.mode != "L" and generator().random() < self.prob
        return super().changed(image) if is_changed else image


class RandomRotation(OfPillow):
    """An image turned by a random angle, against the clock.

    Parameters
    ----------
    degrees : number or (least, most)
        A number d is (-d, d).
    resample : Inter
    expand : bool
        Let the image grow as far as its corners.
    center : (x, y), optional
    fill_value : int or tuple of int
        What stands where nothing was.
    """

    def __init__(
        self, degrees: Any, resample: Inter = Inter.NEAREST, expand: bool = False,
        center: tuple[int, int] | None = None, fill_value: Any = 0,
    ) -> None:  # fmt: skip
        given = degrees if isinstance(degrees, (list, tuple)) else (-degrees, degrees)
        self.degrees = bounds_of("degrees", given, -float("inf"))
        self.resample = interpolation_of(resample)
        self.expand = flag("expand", expand)
        self.center = center
        self.fill = fill_value

    def changed(self, image: Any) -> Any:
        resampling = getattr(pillow("Image", self).Resampling, self.resample.name)
        angle = generator().uniform(*self.degrees)
        bands = len(image.getbands())
        fill = (self.fill,) * bands if bands > 1 and not isinstance(self.fill, tuple) else self.fill
        return image.rotate(angle, resampling, self.expand, self.center, fillcolor=fill)


class RandomColorAdjust(OfPillow):
    """Brightness, contrast, saturation and hue changed at random.

    Parameters
    ----------
    brightness, contrast, saturation : number or (least, most)
        Factors; a number v is (max(0, 1 - v), 1 + v).
    hue : number or (least, most)
        Of the circle of colours, from -0.5 to 0.5; a number v is (-v, v).
    """

    def __init__(
        self, brightness: Any = (1, 1), contrast: Any = (1, 1), saturation: Any = (1, 1),
        hue: Any = (0, 0),
    ) -> None:  # fmt: skip
        self.brightness = _factors("brightness", brightness)
        self.contrast = _factors("contrast", contrast)
        self.saturation = _factors("saturation", saturation)
        given = hue if isinstance(hue, (list, tuple)) else (-hue, hue)
        self.hue = bounds_of("hue", given, -0.5)
        if self.hue[1] > 0.5:
            raise fail("E0404", f"hue is from -0.5 to 0.5, got {hue!r}")

    def changed(self, image: Any) -> Any:
        enhance = pillow("ImageEnhance", self)
        steps: list[Callable[[Any], Any]] = [
            lambda x: enhance.Brightness(x).enhance(generator().uniform(*self.brightness)),
            lambda x: enhance.Contrast(x).enhance(generator().uniform(*self.contrast)),
            lambda x: enhance.Color(x).enhance(generator().uniform(*self.saturation)),
            self._turned,
        ]
        for index in generator().permutation(len(steps)):
            image = steps[index](image)
        return image

    def _turned(self, image: Any) -> Any:
        """`image` with its hue moved round the circle."""
        shift = round(generator().uniform(*self.hue) * 256)
        if not shift or image.mode == "L":
            return image
        hue, *others = image.convert("HSV").split()
        moved = ((np.array(hue).astype(int) + shift) % 256).astype(np.uint8)
        module = pillow("Image", self)
        return module.merge("HSV", (module.fromarray(moved), *others)).convert(image.mode)


def _factors(name: str, given: Any) -> tuple[float, float]:
    if isinstance(given, (list, tuple)):
        return bounds_of(name, given, 0)
    return bounds_of(name, (max(0.0, 1 - given), 1 + given), 0)
