"""Which methods of Tensor reduce axes?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ops import arithmetic, quantiles, reduce
from s2sad.ops.methods.arguments import AXIS, DTYPE, KEEP, Argument, taken

INITIAL = Argument(("initial",), by_name=True)


def _sum(tensor: Any, *args: Any, **given: Any) -> Any:
    """``sum(axis, dtype, keepdims)``, or ``sum(dim, keepdim, *, dtype)``."""
    if len(args) > 1 and isinstance(args[1], bool):
        order = AXIS, KEEP, DTYPE._replace(by_name=True), INITIAL
        axis, keep, dtype, initial = taken("sum", args, given, *order)
    else:
        axis, dtype, keep, initial = taken("sum", args, given, AXIS, DTYPE, KEEP, INITIAL)
    total = reduce.sum(tensor, axis, keep, dtype=dtype)
    return total if initial is None else arithmetic.add(total, initial)


def _prod(tensor: Any, *args: Any, **given: Any) -> Any:
    """``prod(axis, keep_dims, dtype)``, or ``prod(dim, keepdim, dtype)``."""
    return reduce.prod(tensor, *taken("prod", args, given, AXIS, KEEP, DTYPE))


def _reduction(name: str, function: Callable[..., Any], *options: str) -> Callable[..., Any]:
    """``method(axis, keepdims)``, or ``method(dim, keepdim)``, with `options` by name."""
    others = [Argument((option,), by_name=True) for option in options]

    def method(tensor: Any, *args: Any, **given: Any) -> Any:
        axis, keep, *values = taken(name, args, given, AXIS, KEEP, *others)
        return function(tensor, axis, keep, **dict(zip(options, values, strict=True)))

    method.__name__ = name
    return method


def _extreme(name: str, both: Callable[..., Any], value: Callable[..., Any]) -> Callable[..., Any]:
    """``max(axis, keepdims, *, initial, where, return_indices)``: values, with indices if asked.

    ``max(dim, keepdim)``, by name, gives both.
    """

    def method(tensor: Any, *args: Any, **given: Any) -> Any:
        is_both = Argument(("return_indices",), bool({"dim", "keepdim"} & given.keys()), True)
        where = Argument(("where",), by_name=True)
        axis, keep, with_indices, initial, counts = taken(
            name, args, given, AXIS, KEEP, is_both, INITIAL, where
        )
        function = both if with_indices else value
        return function(tensor, axis, keep, initial=initial, where=counts)

    method.__name__ = name
    return method


def _ptp(tensor: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """What the largest is above the smallest ("peak to peak"), over `axis`."""
    largest = reduce.amax(tensor, axis, keepdims)
    return arithmetic.sub(largest, reduce.amin(tensor, axis, keepdims))


METHODS = {
    "all": _reduction("all", reduce.all),
    "amax": _reduction("amax", reduce.amax, "initial", "where"),
    "amin": _reduction("amin", reduce.amin, "initial", "where"), "aminmax": quantiles.aminmax,
    "any": _reduction("any", reduce.any), "argmax": _reduction("argmax", reduce.argmax),
    "argmin": _reduction("argmin", reduce.argmin), "count_nonzero": reduce.count_nonzero,
    "max": _extreme("max", reduce.max, reduce.amax),
    "min": _extreme("min", reduce.min, reduce.amin),
    "nansum": _reduction("nansum", reduce.nansum, "dtype"), "prod": _prod,
    "ptp": _ptp, "sum": _sum,
}  # fmt: skip
