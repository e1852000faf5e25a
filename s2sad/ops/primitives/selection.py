"""Which objects choose element by element?"""

from __future__ import annotations

from s2sad.ops import selection
from s2sad.ops.primitives.base import like

CHOICE = "ms.Tensor([True, False]), ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])"

MaskedFill = like(
    selection.masked_fill, "MaskedFill", "ms.Tensor([1.0, 2.0]), ms.Tensor([True, False]), 9.0",
    "[9.0, 2.0]",
)  # fmt: skip
Select = like(selection.select, "Select", CHOICE, "[1.0, 4.0]")
