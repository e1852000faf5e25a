"""What may be chosen in transforms of images?"""

from __future__ import annotations

from enum import Enum, IntEnum


class Border(str, Enum):
    """What stands beyond the border: a constant, the edge, or a mirror image with or without it."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class Inter(IntEnum):
    """How values between pixels are found."""

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = 2
    LINEAR = 2
    BICUBIC = 3
    CUBIC = 3
    AREA = 4
    PILCUBIC = 5
