"""Methods that take apart, repeat, or keep triangles and diagonals."""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops import arrange, join
from s2sad.ops.methods.arguments import merged, one_of, refuse_rest
from s2sad.ops.methods.shape import one_by_one


def _split(tensor: Any, *args: Any, **given: Any) -> tuple[Any, ...]:
    """``split(split_size_or_sections, axis)``, or ``split(split_size, dim)``."""
    given = merged("split", args, given, "split_size_or_sections", "axis")
    axis = one_of("split", given, "axis", "dim", default=0)
    size = one_of("split", given, "split_size_or_sections", "split_size", default=None)
    refuse_rest("split", given)
    return join.split(tensor, size, axis)


def _chunk(tensor: Any, *args: Any, **given: Any) -> tuple[Any, ...]:
    """``chunk(chunks, axis)``, or ``chunk(chunks, dim)``."""
    given = merged("chunk", args, given, "chunks", "axis")
    axis = one_of("chunk", given, "axis", "dim", default=0)
    chunks = one_of("chunk", given, "chunks", default=None)
    refuse_rest("chunk", given)
    return join.chunk(tensor, chunks, axis)


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
    "chunk": _chunk, "diag": arrange.diag, "diagonal": arrange.diagonal, "repeat": _repeat,
    "repeat_interleave": _repeat_interleave, "split": _split, "tensor_split": join.tensor_split,
    "tile": one_by_one(arrange.tile, "dims"), "tril": arrange.tril, "triu": arrange.triu,
    "unbind": join.unbind,
}  # fmt: skip
