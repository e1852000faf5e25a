"""Methods that reduce axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ops import arithmetic, reduce
from s2sad.ops.methods.arguments import KEEP, axis_and_keep, merged, one_of, refuse_rest


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


def _prod(tensor: Any, *args: Any, **given: Any) -> Any:
    """``prod(axis, keep_dims, dtype)``, or ``prod(dim, keepdim, dtype)``."""
    given = merged("prod", args, given, "axis", "keep_dims", "dtype")
    axis = one_of("prod", given, "axis", "dim", default=None)
    keep = one_of("prod", given, *KEEP, default=False)
    dtype = given.pop("dtype", None)
    refuse_rest("prod", given)
    return reduce.prod(tensor, axis, keep, dtype)


def _reduction(name: str, function: Callable[..., Any], *options: str) -> Callable[..., Any]:
    """``method(axis, keepdims)``, or ``method(dim, keepdim)``, with `options` by name."""

    def method(tensor: Any, *args: Any, **given: Any) -> Any:
        axis, keep, given = axis_and_keep(name, args, given)
        chosen = {key: given.pop(key) for key in options if key in given}
        refuse_rest(name, given)
        return function(tensor, axis, keep, **chosen)

    method.__name__ = name
    return method


def _extreme(name: str, both: Callable[..., Any], value: Callable[..., Any]) -> Callable[..., Any]:
    """``max(axis, keepdims, *, initial, where, return_indices)``: values, with indices if asked.

    ``max(dim, keepdim)``, by name, gives both.
    """

    def method(tensor: Any, *args: Any, **given: Any) -> Any:
        with_indices = bool({"dim", "keepdim"} & given.keys())
        axis, keep, given = axis_and_keep(name, args, given)
        with_indices = given.pop("return_indices", with_indices)
        options = {key: given.pop(key, None) for key in ("initial", "where")}
        refuse_rest(name, given)
        return (both if with_indices else value)(tensor, axis, keep, **options)

    method.__name__ = name
    return method


METHODS = {
    "all": _reduction("all", reduce.all),
    "amax": _reduction("amax", reduce.amax, "initial", "where"),
    "amin": _reduction("amin", reduce.amin, "initial", "where"),
    "any": _reduction("any", reduce.any), "argmax": _reduction("argmax", reduce.argmax),
    "argmin": _reduction("argmin", reduce.argmin), "count_nonzero": reduce.count_nonzero,
    "max": _extreme("max", reduce.max, reduce.amax),
    "min": _extreme("min", reduce.min, reduce.amin),
    "nansum": _reduction("nansum", reduce.nansum, "dtype"), "prod": _prod, "sum": _sum,
}  # fmt: skip
