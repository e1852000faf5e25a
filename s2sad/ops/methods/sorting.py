"""Which methods of Tensor put elements in order?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import reordering, sorting
from s2sad.ops.methods.arguments import LAST, Argument, taken

ORDER = (LAST, Argument(("descending",), False), Argument(("stable",)))


def _sort(tensor: Any, *args: Any, **given: Any) -> Any:
    """``sort(axis, descending)``, or ``sort(dim, descending, stable)``: always stable."""
    return sorting.sort(tensor, *taken("sort", args, given, *ORDER)[:2])


def _argsort(tensor: Any, *args: Any, **given: Any) -> Any:
    """``argsort(axis, descending)``, or ``argsort(dim, descending, stable)``: always stable."""
    return sorting.argsort(tensor, *taken("argsort", args, given, *ORDER)[:2])


METHODS = {
    "argsort": _argsort, "msort": reordering.msort, "searchsorted": sorting.searchsorted,
    "sort": _sort, "top_k": sorting.top_k, "topk": sorting.topk,
}  # fmt: skip
