"""Which methods of Tensor are exponentials, logarithms or hyperbolic functions?"""

from __future__ import annotations

from s2sad.ops import exponential

METHODS = {
    name: getattr(exponential, name)
    for name in (
        "acosh", "arccosh", "arcsinh", "arctanh", "asinh", "atanh", "cosh", "exp", "exp2", "expm1",
        "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "sinh", "xlogy",
    )
}  # fmt: skip
