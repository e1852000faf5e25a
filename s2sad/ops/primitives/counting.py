"""Which objects count hits?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import counting
from s2sad.ops.primitives.base import primitive
from s2sad.ops.settings import integer


@primitive(k=integer)
def InTopK(x1: Any, x2: Any, *, k: int) -> Any:
    """Whether the class that is wanted is among the `k` best: `ops.intopk`.

    Examples
    --------
    >>> import s2sad as ms
    >>> InTopK(1)(ms.Tensor([[0.1, 0.9], [0.8, 0.2]]), ms.Tensor([1, 1], ms.int32)).tolist()
    [True, False]
    """
    return counting.intopk(x1, x2, k)
