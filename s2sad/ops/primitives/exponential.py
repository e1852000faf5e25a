"""Which objects compute exponentials, logarithms, and hyperbolic functions?"""

from __future__ import annotations

from s2sad.ops import exponential
from s2sad.ops.primitives.base import like

Acosh = like(exponential.acosh, "Acosh", "ms.Tensor([1.0])", "[0.0]")
Asinh = like(exponential.asinh, "Asinh", "ms.Tensor([0.0])", "[0.0]")
Atanh = like(exponential.atanh, "Atanh", "ms.Tensor([0.0])", "[0.0]")
Cosh = like(exponential.cosh, "Cosh", "ms.Tensor([0.0])", "[1.0]")
Exp = like(exponential.exp, "Exp", "ms.Tensor([0.0])", "[1.0]")
Expm1 = like(exponential.expm1, "Expm1", "ms.Tensor([0.0])", "[0.0]")
Log = like(exponential.log, "Log", "ms.Tensor([1.0])", "[0.0]")
Log1p = like(exponential.log1p, "Log1p", "ms.Tensor([0.0])", "[0.0]")
Sinh = like(exponential.sinh, "Sinh", "ms.Tensor([0.0])", "[0.0]")
Xlogy = like(exponential.xlogy, "Xlogy", "ms.Tensor([0.0]), ms.Tensor([0.0])", "[0.0]")
