"""Which objects take elements by their indices?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import index
from s2sad.ops.primitives.base import like, older, primitive
from s2sad.ops.settings import integer

MATRIX = "ms.Tensor([[1.0, 2.0], [3.0, 4.0]])"

GatherD = like(
    index.gather_d, "GatherD", f"{MATRIX}, 1, ms.Tensor([[1], [0]])", "[[2.0], [3.0]]"
)  # fmt: skip
GatherNd = like(index.gather_nd, "GatherNd", f"{MATRIX}, ms.Tensor([[1, 0]])", "[3.0]")


@primitive(batch_dims=integer)
def Gather(input_params: Any, input_indices: Any, axis: int, *, batch_dims: int = 0) -> Any:
    """The slices of `input_params` at indices along `axis`: `ops.gather`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Gather()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([1, 0]), 0).tolist()
    [[3.0, 4.0], [1.0, 2.0]]
    """
    return index.gather(input_params, input_indices, axis, batch_dims)


GatherV2 = older(Gather, "GatherV2", "", f"{MATRIX}, ms.Tensor([1]), 1", "[[2.0], [4.0]]")
SparseGatherV2 = older(
    Gather, "SparseGatherV2", "", f"{MATRIX}, ms.Tensor([1]), 0", "[[3.0, 4.0]]"
)  # fmt: skip
