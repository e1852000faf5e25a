"""Which objects round?"""

from __future__ import annotations

from s2sad.ops import rounding
from s2sad.ops.primitives.base import like

Ceil = like(rounding.ceil, "Ceil", "ms.Tensor([-1.5, 1.5])", "[-1.0, 2.0]")
Floor = like(rounding.floor, "Floor", "ms.Tensor([-1.5, 1.5])", "[-2.0, 1.0]")
Rint = like(rounding.round, "Rint", "ms.Tensor([0.5, 1.5])", "[0.0, 2.0]")
Round = like(rounding.round, "Round", "ms.Tensor([0.5, 1.5])", "[0.0, 2.0]")
Trunc = like(rounding.trunc, "Trunc", "ms.Tensor([-1.5, 1.5])", "[-1.0, 1.0]")
