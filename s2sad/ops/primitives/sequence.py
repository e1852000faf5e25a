"""Which objects count?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import sequence
from s2sad.ops.primitives.base import like, primitive
from s2sad.ops.settings import integer

LinSpace = like(sequence.linspace, "LinSpace", "1.0, 2.0, 3", "[1.0, 1.5, 2.0]")


@primitive(maxlen=integer)
def Range(start: Any, end: Any, step: Any, *, maxlen: int = 1000000) -> Any:
    """``start, start + step, ...`` before `end`, at most `maxlen` of them: `ops.range`.

    Examples
    --------
    >>> Range()(0, 6, 2).tolist()
    [0, 2, 4]
    """
    return sequence.range(start, end, step, maxlen)
