"""How do products of matrices map?"""

from __future__ import annotations

from s2sad.prims.batching.places import aligned
from s2sad.prims.linalg import matmul
from s2sad.prims.shape import reshape


@matmul.batch
def matmul_batch(x, y, *, mapped, size, transpose_a, transpose_b):
    if mapped == (True, False) and x.ndim == 3 and y.ndim == 2 and not transpose_a:
        _, rows, inner = x.shape  # one large product rather than many small ones
        found = matmul(reshape(x, shape=(size * rows, inner)), y, transpose_b=transpose_b)
        return reshape(found, shape=(size, rows, found.shape[1]))
    x, y = aligned([x, y], mapped)
    return matmul(x, y, transpose_a=transpose_a, transpose_b=transpose_b)
