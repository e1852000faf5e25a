"""Methods that change shape, dtype or the order of axes and elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.tensor import Tensor
from s2sad.ir import builder
from s2sad.ops import axes, shapes
from s2sad.ops.methods.arguments import one_of, refuse_rest
from s2sad.prims.cast import cast


def one_by_one(function: Callable[[Any, Any], Any], name: str) -> Callable[..., Any]:
    """The method that takes the entries of the argument `name` one by one, or as one tuple."""

    def method(tensor: Any, *entries: Any, **given: Any) -> Any:
        entries = (*entries, *([given.pop(name)] if name in given else []))
        refuse_rest(function.__name__, given)
        is_tuple = len(entries) == 1 and isinstance(entries[0], (tuple, list))
        return function(tensor, entries[0] if is_tuple else entries)

    return method


def _flatten(tensor: Any, order: str = "C", *, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The method starts at axis 0, the function at axis 1."""
    return shapes.flatten(tensor, order, start_dim=start_dim, end_dim=end_dim)


def _squeeze(tensor: Any, *entries: Any, **given: Any) -> Any:
    """Axes one by one, or as a tuple; all of size 1 without any, and for None."""
    if entries in ((), (None,)):
        axis = one_of("squeeze", given, "axis", "dim", default=None)
        refuse_rest("squeeze", given)
        return shapes.squeeze(tensor, axis)
    return one_by_one(shapes.squeeze, "axis")(tensor, *entries, **given)


def _transpose(tensor: Any, *entries: Any, **given: Any) -> Any:
    """All axes, one by one or as a tuple; or the two that change places."""
    if given:
        entries = (*entries, *(given.pop(name) for name in ("dim0", "dim1") if name in given))
        refuse_rest("transpose", given)
    if len(entries) == 1 and isinstance(entries[0], (tuple, list)):
        return axes.transpose(tensor, entries[0])
    if len(entries) == 2:  # of a matrix both mean the same but for (0, 1), which permutes nothing
        is_order = tensor.ndim == 2
        return axes.transpose(tensor, entries) if is_order else axes.swapaxes(tensor, *entries)
    return axes.transpose(tensor, entries) if entries else axes.reversed_axes(tensor)


def _copy(tensor: Any) -> Any:
    """The same elements in a tensor of their own."""
    if builder.is_building((tensor,)):
        return cast(tensor, dtype=tensor.dtype)  # another value, which a write to one tells apart
    return Tensor.wrap(tensor.array.copy())


def _contiguous(tensor: Any) -> Any:
    """The tensor itself where its elements lie in order, else a copy in which they do."""
    is_in_order = builder.is_building((tensor,)) or tensor.array.flags.c_contiguous
    return tensor if is_in_order else Tensor.wrap(tensor.array.copy(order="C"))


def _type_as(tensor: Any, other: Any) -> Any:
    """In the dtype of `other`."""
    return shapes.cast(tensor, shapes.dtype(other))


METHODS = {
    "T": axes.reversed_axes, "astype": shapes.cast,
    "broadcast_to": one_by_one(shapes.broadcast_to, "shape"), "clone": _copy,
    "contiguous": _contiguous, "copy": _copy, "dim": shapes.rank,
    "expand": one_by_one(shapes.broadcast_to, "size"), "expand_as": shapes.expand_as,
    "expand_dims": shapes.expand_dims, "flatten": _flatten,
    "flip": one_by_one(axes.flip, "dims"), "mT": axes.matrix_transpose, "moveaxis": axes.moveaxis,
    "movedim": axes.movedim, "ndimension": shapes.rank, "numel": shapes.numel,
    "permute": one_by_one(axes.permute, "axis"), "ravel": shapes.ravel,
    "reshape": one_by_one(shapes.reshape, "shape"), "reshape_as": shapes.view_as,
    "roll": axes.roll, "rot90": axes.rot90, "squeeze": _squeeze, "swapaxes": axes.swapaxes,
    "swapdims": axes.swapdims, "t": axes.t, "to": shapes.cast, "transpose": _transpose,
    "type_as": _type_as, "unsqueeze": shapes.unsqueeze,
    "view": one_by_one(shapes.reshape, "shape"), "view_as": shapes.view_as,
}  # fmt: skip
