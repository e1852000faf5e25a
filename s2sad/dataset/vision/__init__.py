"""What MindSpore offers under ``mindspore.dataset.vision``: transforms of images.

NumPy computes those that are exact; Pillow, the extra ``s2sad[vision]``, what it is known for.
"""

from s2sad.core.elsewhere import missing as _missing
from s2sad.dataset.vision import utils
from s2sad.dataset.vision.base import is_pil
from s2sad.dataset.vision.cropping import (
    CenterCrop,
    Crop,
    CutOut,
    Pad,
    RandomCrop,
    RandomErasing,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
)
from s2sad.dataset.vision.of_pillow import (
    Decode,
    Grayscale,
    RandomColorAdjust,
    RandomCropDecodeResize,
    RandomGrayscale,
    RandomRotation,
    ToPIL,
)
from s2sad.dataset.vision.pixels import (
    HWC2CHW,
    HorizontalFlip,
    Invert,
    Normalize,
    Rescale,
    ToTensor,
    ToType,
    VerticalFlip,
)
from s2sad.dataset.vision.resizing import RandomResize, Resize
from s2sad.dataset.vision.utils import Border, Inter

__all__ = [
    "Border", "CenterCrop", "Crop", "CutOut", "Decode", "Grayscale", "HWC2CHW",
    "HorizontalFlip", "Inter", "Invert", "Normalize", "Pad", "RandomColorAdjust", "RandomCrop",
    "RandomCropDecodeResize", "RandomErasing", "RandomGrayscale", "RandomHorizontalFlip",
    "RandomResize", "RandomResizedCrop", "RandomRotation", "RandomVerticalFlip", "Rescale",
    "Resize", "ToPIL", "ToTensor", "ToType", "VerticalFlip", "is_pil", "utils",
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.dataset.vision", name, __all__)
