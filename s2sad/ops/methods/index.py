"""Methods that read and write at indices, put in order, select and fill."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops import comparison, creation, index, scattering, selection, sorting, varying, window
from s2sad.ops.assignment import assigned
from s2sad.ops.methods.arguments import merged, one_of, refuse_rest
from s2sad.ops.promotion import as_dtype, is_tensor
from s2sad.ops.shapes import ravel
from s2sad.ops.subscript import getitem
from s2sad.prims.rules import axis_of


def _gather(tensor: Any, *args: Any, **given: Any) -> Any:
    """``gather(input_indices, axis, batch_dims)``, or ``gather(dim, index)``."""
    if (args and isinstance(args[0], int)) or "dim" in given:
        given = merged("gather", args, given, "dim", "index")
        dim, places = (one_of("gather", given, name, default=None) for name in ("dim", "index"))
        refuse_rest("gather", given)
        return index.gather_elements(tensor, dim, places)
    return index.gather(tensor, *args, **given)


def _index_add(tensor: Any, *args: Any, **given: Any) -> Any:
    """``index_add(indices, y, axis)``, or ``index_add(dim, index, source, *, alpha=1)``."""
    if not (args and isinstance(args[0], int)) and "dim" not in given:
        return scattering.index_add(tensor, *args, **given)
    given = merged("index_add", args, given, "dim", "index", "source")
    alpha = one_of("index_add", given, "alpha", default=1)
    names = ("index", "source", "dim")
    places, source, dim = (one_of("index_add", given, name, default=None) for name in names)
    refuse_rest("index_add", given)
    return scattering.index_add(tensor, places, source if alpha == 1 else p.mul(source, alpha), dim)


def _scatter(tensor: Any, *args: Any, **given: Any) -> Any:
    """``scatter(axis, index, src)``, or ``scatter(dim, index, src)``."""
    given = merged("scatter", args, given, "axis", "index", "src")
    axis = one_of("scatter", given, "axis", "dim", default=None)
    places, src = (one_of("scatter", given, name, default=None) for name in ("index", "src"))
    refuse_rest("scatter", given)
    return scattering.scatter(tensor, axis, places, src)


def _scatter_add(tensor: Any, *args: Any, **given: Any) -> Any:
    """``scatter_add(dim, index, src)``, or ``scatter_add(indices, updates)``."""
    if len(args) + len(given) == 2:
        return scattering.tensor_scatter_add(tensor, *args, **given)
    given = merged("scatter_add", args, given, "dim", "index", "src")
    names = ("dim", "index", "src")
    dim, places, src = (one_of("scatter_add", given, name, default=None) for name in names)
    refuse_rest("scatter_add", given)
    return scattering.tensor_scatter_elements(tensor, places, src, dim, "add")


def _select(tensor: Any, *args: Any, **given: Any) -> Any:
    """``select(condition, y)``, or ``select(dim, index)``: the slice at `index` along `dim`."""
    if (args and isinstance(args[0], int)) or "dim" in given:
        given = merged("select", args, given, "dim", "index")
        dim, place = (one_of("select", given, name, default=None) for name in ("dim", "index"))
        refuse_rest("select", given)
        whole = (slice(None),) * axis_of(dim, tensor.ndim)
        return getitem(tensor, (*whole, place))
    return _where(tensor, *args, **given)


def _where(tensor: Any, condition: Any, y: Any) -> Any:
    """The tensor's own element where `condition` holds."""
    return comparison.where(condition, tensor, y)


def _take(tensor: Any, indices: Any, axis: int | None = None, mode: str = "clip") -> Any:
    """Slices along `axis`, of the flat tensor when None; "clip" takes the nearest that exists."""
    x, axis = (ravel(tensor), 0) if axis is None else (tensor, axis_of(axis, tensor.ndim))
    if mode not in ("clip", "raise", "wrap"):
        raise fail("E0404", f"the mode of take is 'clip', 'raise' or 'wrap', got {mode!r}")
    places = indices if is_tensor(indices) else creation.full((), indices)
    if mode == "clip":
        places = p.clip(as_dtype(places, dtypes.int64), 0, x.shape[axis] - 1)
    if mode == "wrap":
        places = p.mod(as_dtype(places, dtypes.int64), x.shape[axis])
    return index.gather(x, places, axis)


def _sort(tensor: Any, *args: Any, **given: Any) -> Any:
    """``sort(axis, descending)``, or ``sort(dim, descending, stable)``: always stable."""
    return sorting.sort(tensor, *_order("sort", args, given))


def _argsort(tensor: Any, *args: Any, **given: Any) -> Any:
    """``argsort(axis, descending)``, or ``argsort(dim, descending, stable)``: always stable."""
    return sorting.argsort(tensor, *_order("argsort", args, given))


def _order(method: str, args: tuple[Any, ...], given: dict[str, Any]) -> tuple[int, bool]:
    given = merged(method, args, given, "axis", "descending", "stable")
    axis = one_of(method, given, "axis", "dim", default=-1)
    descending = one_of(method, given, "descending", default=False)
    given.pop("stable", None)
    refuse_rest(method, given)
    return axis, descending


def _fill(tensor: Any, value: Any) -> Any:
    return creation.full_like(tensor, value)


def _new_zeros(tensor: Any, size: Any, dtype: Any = None) -> Any:
    return creation.zeros(size, tensor.dtype if dtype is None else dtype)


def _new_ones(tensor: Any, size: Any, dtype: Any = None) -> Any:
    return creation.ones(size, tensor.dtype if dtype is None else dtype)


def _new_full(tensor: Any, size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    return creation.full(size, fill_value, dtype=tensor.dtype if dtype is None else dtype)


METHODS = {
    "__getitem__": getitem, "__setitem__": assigned,
    "argsort": _argsort, "argwhere": varying.argwhere, "fill": _fill,
    "gather": _gather, "gather_elements": index.gather_elements, "gather_nd": index.gather_nd,
    "index_add": _index_add, "index_fill": scattering.index_fill,
    "index_select": index.index_select, "masked_fill": selection.masked_fill,
    "masked_scatter": selection.masked_scatter, "masked_select": varying.masked_select,
    "narrow": window.narrow, "new_full": _new_full,
    "new_ones": _new_ones, "new_zeros": _new_zeros, "nonzero": varying.nonzero,
    "scatter": _scatter, "scatter_add": _scatter_add, "select": _select, "sort": _sort,
    "take": _take, "tensor_scatter_add": scattering.tensor_scatter_add,
    "tensor_scatter_div": scattering.tensor_scatter_div,
    "tensor_scatter_max": scattering.tensor_scatter_max,
    "tensor_scatter_min": scattering.tensor_scatter_min,
    "tensor_scatter_mul": scattering.tensor_scatter_mul,
    "tensor_scatter_sub": scattering.tensor_scatter_sub,
    "tensor_scatter_update": scattering.tensor_scatter_update, "topk": sorting.topk,
    "unique": varying.sorted_unique, "unique_consecutive": varying.unique_consecutive,
    "where": _where,
}  # fmt: skip
