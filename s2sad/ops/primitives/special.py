"""Which objects compute the error function, and what belongs to the gamma function?"""

from __future__ import annotations

from s2sad.ops import special
from s2sad.ops.primitives.base import like

Digamma = like(special.digamma, "Digamma", "ms.Tensor([1e9])", "[20.72326...]")
Erf = like(special.erf, "Erf", "ms.Tensor([0.0])", "[0.0]")
Erfc = like(special.erfc, "Erfc", "ms.Tensor([0.0])", "[1.0]")
Erfinv = like(special.erfinv, "Erfinv", "ms.Tensor([0.0])", "[0.0]")
Lgamma = like(special.lgamma, "Lgamma", "ms.Tensor([1.0])", "[0.0]")
