"""Which objects look at signs?"""

from __future__ import annotations

from s2sad.ops import signs
from s2sad.ops.primitives.base import like

Heaviside = like(
    signs.heaviside, "Heaviside", "ms.Tensor([-1.0, 0.0, 2.0]), ms.Tensor([0.5])", "[0.0, 0.5, 1.0]"
)
