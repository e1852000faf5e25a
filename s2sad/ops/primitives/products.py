"""Which objects take a band of matrices?"""

from __future__ import annotations

from s2sad.ops import products
from s2sad.ops.primitives.base import like

MatrixBandPart = like(
    products.matrix_band_part, "MatrixBandPart", "ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0, -1",
    "[[1.0, 2.0], [0.0, 4.0]]",
)  # fmt: skip
