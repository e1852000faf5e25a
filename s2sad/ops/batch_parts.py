"""What is a part of a batch?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import is_tensor, type_of
from s2sad.prims.arrange import slice_axis


def part_of(x: Any, place: int, count: int) -> Any:
    """Part `place` of `count` equal ones of a tensor along its first axis; all else is shared.

    Raises
    ------
    S2sadError
        E0401 for a first axis that cannot be divided.

    Examples
    --------
    >>> import s2sad as ms
    >>> part_of(ms.Tensor([1, 2, 3, 4]), 1, 2).asnumpy()
    array([3, 4])
    """
    if not is_tensor(x):
        return x
    if not x.ndim or not isinstance(x.shape[0], int) or x.shape[0] % count:
        raise fail("E0401", f"the first axis of {type_of(x)} does not make {count} equal parts")
    size = x.shape[0] // count
    return slice_axis(x, 0, place * size, (place + 1) * size)
