"""Which methods of Tensor read at indices, take a part, or ask where elements are?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import counting, creation, index, selection, varying, window
from s2sad.ops.assignment import assigned, index_put
from s2sad.ops.masking import updated
from s2sad.ops.methods.arguments import AXIS, named, taken
from s2sad.ops.methods.comparison import where
from s2sad.ops.promotion import is_tensor
from s2sad.ops.shapes import ravel
from s2sad.ops.subscript import getitem
from s2sad.prims.rules import axis_of


def _gather(tensor: Any, *args: Any, **given: Any) -> Any:
    """``gather(input_indices, axis, batch_dims)``, or ``gather(dim, index)``."""
    if (args and isinstance(args[0], int)) or "dim" in given:
        return index.gather_elements(tensor, *taken("gather", args, given, *named("dim", "index")))
    return index.gather(tensor, *args, **given)


def _select(tensor: Any, *args: Any, **given: Any) -> Any:
    """``select(condition, y)``, or ``select(dim, index)``: the slice at `index` along `dim`."""
    if (args and isinstance(args[0], int)) or "dim" in given:
        dim, place = taken("select", args, given, *named("dim", "index"))
        whole = (slice(None),) * axis_of(dim, tensor.ndim)
        return getitem(tensor, (*whole, place))
    return where(tensor, *args, **given)


def _narrow(tensor: Any, *args: Any, **given: Any) -> Any:
    """``narrow(axis, start, length)``, or ``narrow(dim, start, length)``."""
    return window.narrow(tensor, *taken("narrow", args, given, AXIS, *named("start", "length")))


def _take(tensor: Any, indices: Any, axis: int | None = None, mode: str = "clip") -> Any:
    """Slices along `axis`, of the flat tensor when None; "clip" takes the nearest that exists."""
    x, axis = (ravel(tensor), 0) if axis is None else (tensor, axis_of(axis, tensor.ndim))
    places = indices if is_tensor(indices) else creation.full((), indices)
    return index.gather(x, index.brought_in("take", places, x.shape[axis], mode), axis)


METHODS = {
    "__getitem__": getitem, "__setitem__": assigned, "__updateitem__": updated,
    "argwhere": varying.argwhere, "bincount": varying.bincount, "choose": selection.choose,
    "gather": _gather, "gather_elements": index.gather_elements,
    "gather_nd": index.gather_nd, "histc": counting.histc, "index_put": index_put,
    "index_select": index.index_select, "itemset": assigned, "masked_select": varying.masked_select,
    "narrow": _narrow, "nonzero": varying.nonzero, "select": _select, "take": _take,
    "unique": varying.sorted_unique, "unique_consecutive": varying.unique_consecutive,
}  # fmt: skip
