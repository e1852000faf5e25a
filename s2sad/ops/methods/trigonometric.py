"""Which methods of Tensor are trigonometric functions?"""

from __future__ import annotations

from s2sad.ops import trigonometric

METHODS = {
    name: getattr(trigonometric, name)
    for name in (
        "acos", "arccos", "arcsin", "arctan", "arctan2", "asin", "atan", "atan2", "cos", "deg2rad",
        "rad2deg", "sin", "sinc", "tan",
    )
}  # fmt: skip
