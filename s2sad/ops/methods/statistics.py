"""Methods that ask for the middle and the spread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ops import shapes, statistics
from s2sad.ops.methods.arguments import axis_and_keep, merged, one_of, refuse_rest


def _mean(tensor: Any, *args: Any, **given: Any) -> Any:
    """``mean(axis, keep_dims)``, or ``mean(dim, keepdim, *, dtype)``."""
    axis, keep, given = axis_and_keep("mean", args, given, "keep_dims")
    dtype = given.pop("dtype", None)
    refuse_rest("mean", given)
    return statistics.mean(tensor if dtype is None else shapes.cast(tensor, dtype), axis, keep)


def _spread(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """``var(axis, ddof, keepdims)``, or ``var(dim, *, correction=1, keepdim)``."""

    def method(tensor: Any, *args: Any, **given: Any) -> Any:
        other = {"dim", "correction", "keepdim"} & given.keys()
        names = ("dim",) if other else ("axis", "ddof", "keepdims")
        given = merged(name, args, given, *names)
        axis = one_of(name, given, "axis", "dim", default=None)
        ddof = one_of(name, given, "ddof", "correction", default=1 if other else 0)
        keep = one_of(name, given, "keepdims", "keepdim", default=False)
        refuse_rest(name, given)
        return function(tensor, axis, ddof, keep)

    method.__name__ = name
    return method


METHODS = {
    "logsumexp": statistics.logsumexp, "mean": _mean, "median": statistics.median,
    "std": _spread("std", statistics.std), "var": _spread("var", statistics.var),
}  # fmt: skip
