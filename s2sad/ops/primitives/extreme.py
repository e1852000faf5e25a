"""Which objects give the larger, or the smaller, of two?"""

from __future__ import annotations

from s2sad.ops import extreme
from s2sad.ops.primitives.base import like

Maximum = like(extreme.maximum, "Maximum", "ms.Tensor([1.0, 3.0]), 2.0", "[2.0, 3.0]")
Minimum = like(extreme.minimum, "Minimum", "ms.Tensor([1.0, 3.0]), 2.0", "[1.0, 2.0]")
