"""Which methods of Tensor repeat it, or keep triangles and diagonals?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops import arrange, diagonals
from s2sad.ops.methods.arguments import one_by_one


def _repeat(tensor: Any, *repeats: Any, axis: Any = None) -> Any:
    """``repeat(2, 3)`` lays the tensor out anew, as `tile`; with `axis` each element is repeated.

    The tensor needs as many numbers as axes, or more.
    """
    if axis is not None:
        given = repeats[0] if len(repeats) == 1 else repeats
        return arrange.repeat_interleave(tensor, given, axis)
    counts = repeats[0] if len(repeats) == 1 and isinstance(repeats[0], (tuple, list)) else repeats
    if len(counts) < tensor.ndim:
        raise fail(
            "E0303", f"repeat takes {tensor.ndim} numbers for {tensor.ndim} axes, got {counts!r}",
            help="repeat_interleave repeats each element, tile fills up with ones in front",
        )  # fmt: skip
    return arrange.tile(tensor, counts)


def _repeat_interleave(tensor: Any, repeats: Any, dim: int | None = None) -> Any:
    return arrange.repeat_interleave(tensor, repeats, dim)


METHODS = {
    "diag": arrange.diag, "diag_embed": diagonals.diag_embed, "diagflat": diagonals.diagflat,
    "diagonal": arrange.diagonal, "fill_diagonal": diagonals.fill_diagonal, "repeat": _repeat,
    "repeat_interleave": _repeat_interleave, "tile": one_by_one(arrange.tile, "dims"),
    "tril": arrange.tril, "triu": arrange.triu,
}  # fmt: skip
