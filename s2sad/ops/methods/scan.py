"""Which methods of Tensor gather along an axis?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import differences, scan, shapes
from s2sad.ops.methods.arguments import AXIS, DTYPE, taken


def _cumsum(tensor: Any, *args: Any, **given: Any) -> Any:
    """``cumsum(axis, dtype)``, of the flat tensor without axis; or ``cumsum(dim, *, dtype)``."""
    axis, dtype = taken("cumsum", args, given, AXIS, DTYPE)
    if axis is None:
        return scan.cumsum(shapes.ravel(tensor), 0, dtype)
    return scan.cumsum(tensor, axis, dtype)


METHODS = {
    "cummax": scan.cummax, "cummin": scan.cummin, "cumprod": scan.cumprod, "cumsum": _cumsum,
    "diff": differences.diff, "logcumsumexp": scan.logcumsumexp,
}  # fmt: skip
