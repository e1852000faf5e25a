"""Which objects write Parameters, end gradients, and say what comes first?"""

from __future__ import annotations

from typing import Any

from s2sad.core import dtypes
from s2sad.ops import known, state
from s2sad.ops.arithmetic import sub
from s2sad.ops.creation import ones
from s2sad.ops.loss_scaling import all_finite
from s2sad.ops.primitives.base import like, older, primitive
from s2sad.ops.promotion import require_floats
from s2sad.ops.settings import integer
from s2sad.ops.shapes import cast

PARAMETER = "ms.Parameter(ms.Tensor([1.0]), name='w'), ms.Tensor([2.0])"

Assign = like(state.assign, "Assign", PARAMETER, "[2.0]")
AssignAdd = like(state.assign_add, "AssignAdd", PARAMETER, "[3.0]")
AssignSub = like(state.assign_sub, "AssignSub", PARAMETER, "[-1.0]")
Depend = like(state.depend, "Depend", "ms.Tensor([1.0]), ms.Tensor([2.0])", "[1.0]")
Identity = like(known.identity, "Identity", "ms.Tensor([1.0])", "[1.0]")
StopGradient = like(state.stop_gradient, "StopGradient", "ms.Tensor([1.0])", "[1.0]")


@primitive(depend_mode=integer)
def _InOrder(src: Any, dst: Any, *, depend_mode: int = 0) -> Any:
    return src


ControlDepend = older(
    _InOrder, "ControlDepend", "", "ms.Tensor([1.0]), ms.Tensor([2.0])", "[1.0]", instead="Depend"
)  # fmt: skip


@primitive()
def FloatStatus(x: Any) -> Any:
    """1 where an element of `x` is NaN or infinite, else 0: float32, shape (1,).

    Raises
    ------
    S2sadError
        E0301 unless `x` is of floats.

    Examples
    --------
    >>> import s2sad as ms
    >>> FloatStatus()(ms.Tensor([1.0, float("inf")])).tolist()
    [1.0]
    """
    finite = cast(all_finite(require_floats(x, "FloatStatus")), dtypes.float32)
    return sub(ones((1,), dtypes.float32), finite)
