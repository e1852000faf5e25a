"""Which methods of Tensor are error functions, or come from the gamma function?"""

from __future__ import annotations

from s2sad.ops import special

METHODS = {name: getattr(special, name) for name in ("digamma", "erf", "erfc", "erfinv", "lgamma")}
