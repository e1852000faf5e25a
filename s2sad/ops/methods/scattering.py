"""Which methods of Tensor write at indices, or where a mask holds?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.ops import parameter_writes, scattering, segments, selection
from s2sad.ops.methods.arguments import AXIS, Argument, named, taken


def _index_add(tensor: Any, *args: Any, **given: Any) -> Any:
    """``index_add(indices, y, axis)``, or ``index_add(dim, index, source, *, alpha=1)``."""
    if not (args and isinstance(args[0], int)) and "dim" not in given:
        return scattering.index_add(tensor, *args, **given)
    alpha = Argument(("alpha",), 1, by_name=True)
    dim, places, source, factor = taken(
        "index_add", args, given, *named("dim", "index", "source"), alpha
    )
    source = source if factor == 1 else p.mul(source, factor)
    return scattering.index_add(tensor, places, source, dim)


def _scatter(tensor: Any, *args: Any, **given: Any) -> Any:
    """``scatter(axis, index, src)``, or ``scatter(dim, index, src)``."""
    return scattering.scatter(tensor, *taken("scatter", args, given, AXIS, *named("index", "src")))


def _scatter_add(tensor: Any, *args: Any, **given: Any) -> Any:
    """``scatter_add(dim, index, src)``, or ``scatter_add(indices, updates)``."""
    if len(args) + len(given) == 2:
        return scattering.tensor_scatter_add(tensor, *args, **given)
    dim, places, src = taken("scatter_add", args, given, *named("dim", "index", "src"))
    return scattering.tensor_scatter_elements(tensor, places, src, dim, "add")


METHODS = {
    "index_add": _index_add, "index_fill": scattering.index_fill,
    "inplace_update": parameter_writes.inplace_update, "masked_fill": selection.masked_fill,
    "masked_scatter": selection.masked_scatter, "scatter": _scatter, "scatter_add": _scatter_add,
    "scatter_div": scattering.tensor_scatter_div, "scatter_max": scattering.tensor_scatter_max,
    "scatter_min": scattering.tensor_scatter_min, "scatter_mul": scattering.tensor_scatter_mul,
    "scatter_sub": scattering.tensor_scatter_sub,
    "tensor_scatter_add": scattering.tensor_scatter_add,
    "tensor_scatter_div": scattering.tensor_scatter_div,
    "tensor_scatter_max": scattering.tensor_scatter_max,
    "tensor_scatter_min": scattering.tensor_scatter_min,
    "tensor_scatter_mul": scattering.tensor_scatter_mul,
    "tensor_scatter_sub": scattering.tensor_scatter_sub,
    "tensor_scatter_update": scattering.tensor_scatter_update,
    "unsorted_segment_max": segments.unsorted_segment_max,
    "unsorted_segment_min": segments.unsorted_segment_min,
    "unsorted_segment_prod": segments.unsorted_segment_prod,
    "unsorted_segment_sum": scattering.unsorted_segment_sum,
}  # fmt: skip
