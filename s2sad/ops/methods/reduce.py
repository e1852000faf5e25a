"""Methods that reduce axes."""

from __future__ import annotations

from typing import Any

from s2sad.ops import arithmetic, reduce, shape
from s2sad.ops.methods.arguments import merged, one_of, refuse_rest


def _sum(tensor: Any, *args: Any, **given: Any) -> Any:
    """``sum(axis, dtype, keepdims)``, or ``sum(dim, keepdim, *, dtype)``."""
    second = "keepdim" if len(args) > 1 and isinstance(args[1], bool) else "dtype"
    third = ("keepdims",) if second == "dtype" else ()
    given = merged("sum", args, given, "axis", second, *third)
    axis = one_of("sum", given, "axis", "dim", default=None)
    keep = one_of("sum", given, "keepdims", "keepdim", default=False)
    dtype = given.pop("dtype", None)
    initial = given.pop("initial", None)
    refuse_rest("sum", given)
    total = reduce.sum(tensor, axis, keep, dtype=dtype)
    return total if initial is None else arithmetic.add(total, initial)


def _mean(tensor: Any, *args: Any, **given: Any) -> Any:
    """``mean(axis, keep_dims)``, or ``mean(dim, keepdim, *, dtype)``."""
    given = merged("mean", args, given, "axis", "keep_dims")
    axis = one_of("mean", given, "axis", "dim", default=None)
    keep = one_of("mean", given, "keep_dims", "keepdim", "keepdims", default=False)
    dtype = given.pop("dtype", None)
    refuse_rest("mean", given)
    return reduce.mean(tensor if dtype is None else shape.cast(tensor, dtype), axis, keep)


def _argmax(tensor: Any, *args: Any, **given: Any) -> Any:
    """``argmax(axis, keepdims)``, or ``argmax(dim, keepdim)``."""
    given = merged("argmax", args, given, "axis", "keepdims")
    axis = one_of("argmax", given, "axis", "dim", default=None)
    keep = one_of("argmax", given, "keepdims", "keepdim", default=False)
    refuse_rest("argmax", given)
    return reduce.argmax(tensor, axis, keep)


METHODS = {"argmax": _argmax, "mean": _mean, "sum": _sum}
