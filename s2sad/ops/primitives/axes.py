"""Which objects change the order of axes, or of what lies along them?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import axes
from s2sad.ops.primitives.base import like, primitive

Transpose = like(axes.transpose, "Transpose", "ms.Tensor([[1.0, 2.0]]), (1, 0)", "[[1.0], [2.0]]")


@primitive()
def ReverseV2(input: Any, *, axis: Any) -> Any:
    """In the reverse order along `axis`, an int or a tuple of int: `ops.flip`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ReverseV2([1])(ms.Tensor([[1.0, 2.0]])).tolist()
    [[2.0, 1.0]]
    """
    return axes.flip(input, (axis,) if isinstance(axis, int) else axis)


@primitive()
def Roll(input_x: Any, *, shift: Any, axis: Any) -> Any:
    """Moved by `shift` along `axis`, ints or tuples of int, round the end: `ops.roll`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Roll(shift=1, axis=0)(ms.Tensor([1.0, 2.0, 3.0])).tolist()
    [3.0, 1.0, 2.0]
    """
    return axes.roll(input_x, shift, axis)
