"""Which methods of Tensor ask for the middle and the spread?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ops import differences, quantiles, shapes, statistics
from s2sad.ops.methods.arguments import AXIS, DTYPE, KEEP, LAST, Argument, taken


def _mean(tensor: Any, *args: Any, **given: Any) -> Any:
    """``mean(axis, keep_dims)``, or ``mean(dim, keepdim, *, dtype)``."""
    axis, keep, dtype = taken("mean", args, given, AXIS, KEEP, DTYPE._replace(by_name=True))
    return statistics.mean(tensor if dtype is None else shapes.cast(tensor, dtype), axis, keep)


def _median(tensor: Any, *args: Any, **given: Any) -> Any:
    """``median(axis, keepdims)``, or ``median(dim, keepdim)``: values and indices."""
    return statistics.median(tensor, *taken("median", args, given, LAST, KEEP))


def _spread(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """``var(axis, ddof, keepdims)``, or ``var(dim, *, correction=1, keepdim)``."""

    def method(tensor: Any, *args: Any, **given: Any) -> Any:
        is_other = bool({"dim", "correction", "keepdim"} & given.keys())
        ddof = Argument(("ddof", "correction"), 1 if is_other else 0, is_other)
        keep = KEEP._replace(by_name=is_other)
        return function(tensor, *taken(name, args, given, AXIS, ddof, keep))

    method.__name__ = name
    return method


METHODS = {
    "cov": differences.cov, "logsumexp": statistics.logsumexp, "mean": _mean,
    "median": _median, "nanmean": statistics.nanmean, "nanmedian": quantiles.nanmedian,
    "nanquantile": quantiles.nanquantile, "quantile": quantiles.quantile,
    "std": _spread("std", statistics.std), "var": _spread("var", statistics.var),
}  # fmt: skip
