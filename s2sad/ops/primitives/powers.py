"""Which objects divide, but where there is nothing to divide?"""

from __future__ import annotations

from s2sad.ops import powers
from s2sad.ops.primitives.base import like

Xdivy = like(powers.xdivy, "Xdivy", "ms.Tensor([0.0, 3.0]), ms.Tensor([0.0, 2.0])", "[0.0, 1.5]")
