"""Which methods of Tensor are linear algebra?"""

from __future__ import annotations

from s2sad.ops import linalg, magnitude

METHODS = {
    "__matmul__": linalg.matmul, "addbmm": linalg.addbmm, "addmm": linalg.addmm,
    "addmv": linalg.addmv, "baddbmm": linalg.baddbmm, "bmm": linalg.bmm, "cross": linalg.cross,
    "dot": linalg.dot, "inner": linalg.inner, "kron": linalg.kron, "matmul": linalg.matmul,
    "mm": linalg.mm, "mv": linalg.mv, "norm": magnitude.norm, "outer": linalg.outer,
    "trace": linalg.trace,
}  # fmt: skip
