"""Which methods of Tensor change shape or dtype, or copy?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.tensor import Tensor
from s2sad.ir import builder, dims
from s2sad.ops import known, patches, shapes
from s2sad.ops.methods.arguments import AXIS, one_by_one, taken


def _flatten(tensor: Any, order: str = "C", *, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The method starts at axis 0, the function at axis 1."""
    return shapes.flatten(tensor, order, start_dim=start_dim, end_dim=end_dim)


def _squeeze(tensor: Any, *entries: Any, **given: Any) -> Any:
    """Axes one by one, or as a tuple; all of size 1 without any, and for None."""
    if entries in ((), (None,)):
        return shapes.squeeze(tensor, *taken("squeeze", (), given, AXIS))
    return one_by_one(shapes.squeeze, "axis")(tensor, *entries, **given)


def _value(tensor: Any) -> Any:
    """The tensor itself; of a Parameter, what it holds now."""
    return builder.current().value(tensor) if builder.is_building((tensor,)) else tensor


def _contiguous(tensor: Any) -> Any:
    """The tensor itself where its elements lie in order, else a copy in which they do."""
    is_in_order = builder.is_building((tensor,)) or tensor.array.flags.c_contiguous
    return tensor if is_in_order else Tensor.wrap(tensor.array.copy(order="C"))


def _type(tensor: Any, dtype: Any = None) -> Any:
    """In another dtype; without one, the name of its own: ``"Float32"``."""
    return str(shapes.dtype(tensor)) if dtype is None else shapes.cast(tensor, dtype)


def _type_as(tensor: Any, other: Any) -> Any:
    """In the dtype of `other`."""
    return shapes.cast(tensor, shapes.dtype(other))


def _resize(tensor: Any, new_shape: Any) -> Any:
    """The elements in order in another shape: the first of them, or zeros behind them."""
    shape = shapes.as_shape(new_shape)
    line, count = shapes.ravel(tensor), dims.size(shape)
    missing = count - line.shape[0]
    if missing > 0:
        line = p.pad(line, 0, low=(0,), high=(missing,))
    return p.reshape(p.slice(line, start=(0,), stop=(count,)), shape=shape)


METHODS = {
    "astype": shapes.cast, "broadcast_to": one_by_one(shapes.broadcast_to, "shape"),
    "clone": shapes.copied, "contiguous": _contiguous, "copy": shapes.copied, "dim": shapes.rank,
    "expand": one_by_one(shapes.broadcast_to, "size"), "expand_as": shapes.expand_as,
    "expand_dims": shapes.expand_dims, "flatten": _flatten, "fold": patches.fold,
    "is_complex": known.is_complex, "is_floating_point": known.is_floating_point,
    "is_signed": known.is_signed, "ndimension": shapes.rank, "nelement": shapes.numel,
    "numel": shapes.numel,
    "ravel": shapes.ravel, "reshape": one_by_one(shapes.reshape, "shape"),
    "reshape_as": shapes.view_as, "resize": one_by_one(_resize, "new_shape"), "squeeze": _squeeze,
    "to": shapes.cast, "type": _type, "type_as": _type_as, "unfold": patches.unfold,
    "unsqueeze": shapes.unsqueeze,
    "value": _value, "view": one_by_one(shapes.reshape, "shape"), "view_as": shapes.view_as,
}  # fmt: skip
