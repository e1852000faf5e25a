"""Methods that change shape or dtype."""

from __future__ import annotations

from typing import Any

from s2sad.ops import shape
from s2sad.ops.methods.arguments import refuse_rest


def _flatten(tensor: Any, order: str = "C", *, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The method starts at axis 0, the function at axis 1."""
    return shape.flatten(tensor, order, start_dim=start_dim, end_dim=end_dim)


def _reshape(tensor: Any, *sizes: Any, **given: Any) -> Any:
    """Sizes one by one, or a tuple of them."""
    if given:
        sizes = (*sizes, given.pop("shape", ()))
        refuse_rest("reshape", given)
    return shape.reshape(tensor, sizes[0] if len(sizes) == 1 else sizes)


def _transpose(tensor: Any, *axes: Any, **given: Any) -> Any:
    """All axes, one by one or as a tuple; or the two that change places."""
    if given:
        axes = (*axes, *(given.pop(name) for name in ("dim0", "dim1") if name in given))
        refuse_rest("transpose", given)
    if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
        return shape.transpose(tensor, axes[0])
    if len(axes) == 2:  # of a matrix both mean the same but for (0, 1), which permutes nothing
        return shape.transpose(tensor, axes) if tensor.ndim == 2 else shape.swapaxes(tensor, *axes)
    return shape.transpose(tensor, axes) if axes else shape.reversed_axes(tensor)


METHODS = {
    "T": shape.reversed_axes, "astype": shape.cast, "flatten": _flatten, "reshape": _reshape,
    "swapaxes": shape.swapaxes, "to": shape.cast, "transpose": _transpose, "view": _reshape,
}  # fmt: skip
