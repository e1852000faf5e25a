"""Which methods of Tensor are linear algebra?"""

from __future__ import annotations

from s2sad.ops import distances, factoring, linalg, magnitude, products, solving

METHODS = {
    "__matmul__": linalg.matmul, "addbmm": linalg.addbmm, "addmm": linalg.addmm,
    "addmv": linalg.addmv, "addr": products.addr, "baddbmm": linalg.baddbmm, "bmm": linalg.bmm,
    "cholesky": factoring.cholesky, "cholesky_inverse": factoring.cholesky_inverse,
    "cholesky_solve": factoring.cholesky_solve, "cross": linalg.cross, "det": solving.det,
    "dist": distances.dist, "dot": linalg.dot, "ger": products.ger, "inner": linalg.inner,
    "inverse": solving.inverse, "kron": linalg.kron, "logdet": solving.logdet,
    "lstsq": solving.lstsq, "matmul": linalg.matmul, "matrix_power": solving.matrix_power,
    "mm": linalg.mm, "mv": linalg.mv, "norm": magnitude.norm, "outer": linalg.outer,
    "pinv": solving.pinv, "qr": factoring.qr, "renorm": products.renorm, "slogdet": solving.slogdet,
    "svd": factoring.svd, "trace": linalg.trace,
}  # fmt: skip
