"""Methods that gather along an axis."""

from __future__ import annotations

from typing import Any

from s2sad.ops import reduce, scan
from s2sad.ops.methods.arguments import merged, one_of, refuse_rest


def _cumsum(tensor: Any, *args: Any, **given: Any) -> Any:
    """``cumsum(axis, dtype)``, of the flat tensor without axis; or ``cumsum(dim, *, dtype)``."""
    given = merged("cumsum", args, given, "axis", "dtype")
    axis = one_of("cumsum", given, "axis", "dim", default=None)
    dtype = given.pop("dtype", None)
    refuse_rest("cumsum", given)
    if axis is None:
        return scan.cumsum(reduce.flat(tensor), 0, dtype)
    return scan.cumsum(tensor, axis, dtype)


METHODS = {
    "cummax": scan.cummax, "cummin": scan.cummin, "cumprod": scan.cumprod, "cumsum": _cumsum,
}  # fmt: skip
