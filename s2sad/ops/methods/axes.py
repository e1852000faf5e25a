"""Which methods of Tensor change the order of axes, or of the elements along them?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import axes, reordering, stacking
from s2sad.ops.methods.arguments import one_by_one, refuse_rest


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


METHODS = {
    "T": axes.reversed_axes, "adjoint": axes.matrix_transpose,
    "flip": one_by_one(axes.flip, "dims"), "fliplr": stacking.fliplr, "flipud": stacking.flipud,
    "mT": axes.matrix_transpose, "moveaxis": axes.moveaxis, "movedim": axes.movedim,
    "permute": one_by_one(axes.permute, "axis"), "reverse": reordering.reverse,
    "reverse_sequence": reordering.reverse_sequence, "roll": axes.roll, "rot90": axes.rot90,
    "swapaxes": axes.swapaxes, "swapdims": axes.swapdims, "t": axes.t, "transpose": _transpose,
}  # fmt: skip
