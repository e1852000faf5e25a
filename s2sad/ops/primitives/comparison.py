"""Which objects compare?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import comparison
from s2sad.ops.arithmetic import abs as magnitude
from s2sad.ops.arithmetic import sub
from s2sad.ops.primitives.base import like, primitive
from s2sad.ops.settings import flag, not_negative, number

PAIR = "ms.Tensor([1.0, 2.0]), 2.0"
ONES = "ms.Tensor([1.0, float('nan'), float('inf')])"

Equal = like(comparison.equal, "Equal", PAIR, "[False, True]")
Greater = like(comparison.greater, "Greater", PAIR, "[False, False]")
GreaterEqual = like(comparison.greater_equal, "GreaterEqual", PAIR, "[False, True]")
IsFinite = like(comparison.isfinite, "IsFinite", ONES, "[True, False, False]")
IsInf = like(comparison.isinf, "IsInf", ONES, "[False, False, True]")
IsNan = like(comparison.isnan, "IsNan", ONES, "[False, True, False]")
Less = like(comparison.less, "Less", PAIR, "[True, False]")
LessEqual = like(comparison.less_equal, "LessEqual", PAIR, "[True, True]")
NotEqual = like(comparison.not_equal, "NotEqual", PAIR, "[True, False]")


@primitive(tolerance=number)
def ApproximateEqual(x: Any, y: Any, *, tolerance: float = 1e-5) -> Any:
    """Whether `x` and `y`, of one shape or broadcast, are less than `tolerance` apart.

    Examples
    --------
    >>> import s2sad as ms
    >>> ApproximateEqual(0.1)(ms.Tensor([1.0, 2.0]), ms.Tensor([1.05, 2.5])).tolist()
    [True, False]
    """
    return comparison.less(magnitude(sub(x, y)), tolerance)


@primitive(rtol=not_negative, atol=not_negative, equal_nan=flag)
def IsClose(
    input: Any, other: Any, *, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Whether elements are close: `ops.isclose`. NaN is close to NaN where told so.

    Examples
    --------
    >>> import s2sad as ms
    >>> IsClose()(ms.Tensor([1.0, float("nan")]), ms.Tensor([1.0, float("nan")])).tolist()
    [True, False]
    """
    return comparison.isclose(input, other, rtol, atol, equal_nan)


@primitive()
def NanToNum(x: Any, *, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    """NaN and infinities replaced, by 0 and the largest numbers of the dtype: `ops.nan_to_num`.

    Examples
    --------
    >>> import s2sad as ms
    >>> NanToNum(posinf=5.0)(ms.Tensor([float("nan"), float("inf")])).tolist()
    [0.0, 5.0]
    """
    return comparison.nan_to_num(x, nan, posinf, neginf)
