"""Which objects divide?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import division
from s2sad.ops.comparison import equal, where
from s2sad.ops.primitives.base import like, primitive

PAIR = "ms.Tensor([-7.0, 7.0]), 2.0"

Div = like(division.div, "Div", PAIR, "[-3.5, 3.5]")
FloorDiv = like(division.floor_div, "FloorDiv", PAIR, "[-4.0, 3.0]")
FloorMod = like(division.floor_mod, "FloorMod", PAIR, "[1.0, 1.0]")
Mod = like(division.fmod, "Mod", PAIR, "[-1.0, 1.0]")
RealDiv = like(division.true_divide, "RealDiv", PAIR, "[-3.5, 3.5]")
Reciprocal = like(division.reciprocal, "Reciprocal", "ms.Tensor([4.0])", "[0.25]")
Inv = like(division.reciprocal, "Inv", "ms.Tensor([4.0])", "[0.25]")


@primitive()
def DivNoNan(x1: Any, x2: Any) -> Any:
    """Quotient, and 0, without a gradient, where `x2` is 0: of two Tensors.

    Examples
    --------
    >>> import s2sad as ms
    >>> DivNoNan()(ms.Tensor([1.0, 3.0]), ms.Tensor([0.0, 2.0])).tolist()
    [0.0, 1.5]
    """
    is_zero = equal(x2, 0)
    return where(is_zero, 0, division.div(x1, where(is_zero, 1, x2)))
