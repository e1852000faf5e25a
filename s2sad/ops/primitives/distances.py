"""Which objects measure distances?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import distances
from s2sad.ops.primitives.base import primitive
from s2sad.ops.settings import number


@primitive(p=number)
def Cdist(input_x: Any, input_y: Any, *, p: float = 2.0) -> Any:
    """The distance of each row of one from each of the other: `ops.cdist`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Cdist()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0]])).tolist()
    [[5.0]]
    """
    return distances.cdist(input_x, input_y, p)
