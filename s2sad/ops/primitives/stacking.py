"""Which objects add up several tensors?"""

from __future__ import annotations

from s2sad.ops import stacking
from s2sad.ops.primitives.base import like

TERMS = "(ms.Tensor([1.0]), ms.Tensor([2.0]), ms.Tensor([4.0]))"

AccumulateNV2 = like(stacking.addn, "AccumulateNV2", TERMS, "[7.0]")
AddN = like(stacking.addn, "AddN", TERMS, "[7.0]")
