"""Which objects give as many elements as the data decide?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import varying
from s2sad.ops.primitives.base import like, primitive
from s2sad.ops.settings import flag

MaskedSelect = like(
    varying.masked_select, "MaskedSelect", "ms.Tensor([1.0, 2.0]), ms.Tensor([False, True])",
    "[2.0]",
)  # fmt: skip
NonZero = like(varying.nonzero, "NonZero", "ms.Tensor([0.0, 2.0])", "[[1]]")
Unique = like(
    varying.unique, "Unique", "ms.Tensor([2.0, 1.0, 2.0])", "[[2.0, 1.0], [0, 1, 0]]",
    shown="[x.tolist() for x in {}]",
)  # fmt: skip


@primitive(return_inverse=flag, return_counts=flag)
def UniqueConsecutive(
    input: Any, *, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Of equal elements in a row the first one only: `ops.unique_consecutive`.

    Examples
    --------
    >>> import s2sad as ms
    >>> UniqueConsecutive()(ms.Tensor([1.0, 1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return varying.unique_consecutive(input, return_inverse, return_counts, dim)
