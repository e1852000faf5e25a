"""Which objects divide, and multiply, with 0 for a result whatever the other operand is?"""

from __future__ import annotations

from s2sad.ops import powers
from s2sad.ops.primitives.base import like

Xdivy = like(powers.xdivy, "Xdivy", "ms.Tensor([0.0, 3.0]), ms.Tensor([0.0, 2.0])", "[0.0, 1.5]")
MulNoNan = like(
    powers.mul_no_nan, "MulNoNan", 'ms.Tensor([float("nan"), 3.0]), ms.Tensor([0.0, 2.0])',
    "[0.0, 6.0]",
)  # fmt: skip
