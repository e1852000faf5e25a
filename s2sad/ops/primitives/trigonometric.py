"""Which objects compute angles, and functions of them?"""

from __future__ import annotations

from s2sad.ops import trigonometric
from s2sad.ops.primitives.base import like

ACos = like(trigonometric.acos, "ACos", "ms.Tensor([1.0])", "[0.0]")
Asin = like(trigonometric.asin, "Asin", "ms.Tensor([0.0])", "[0.0]")
Atan = like(trigonometric.atan, "Atan", "ms.Tensor([0.0])", "[0.0]")
Atan2 = like(trigonometric.atan2, "Atan2", "ms.Tensor([0.0]), ms.Tensor([1.0])", "[0.0]")
Cos = like(trigonometric.cos, "Cos", "ms.Tensor([0.0])", "[1.0]")
Sin = like(trigonometric.sin, "Sin", "ms.Tensor([0.0])", "[0.0]")
Sinc = like(trigonometric.sinc, "Sinc", "ms.Tensor([0.0])", "[1.0]")
Tan = like(trigonometric.tan, "Tan", "ms.Tensor([0.0])", "[0.0]")
