"""Which methods of Tensor take it apart?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import join, stacking
from s2sad.ops.methods.arguments import AXIS, Argument, named, taken


def _split(tensor: Any, *args: Any, **given: Any) -> tuple[Any, ...]:
    """``split(split_size_or_sections, axis)``, or ``split(split_size, dim)``."""
    sizes = Argument(("split_size_or_sections", "split_size"))
    return join.split(tensor, *taken("split", args, given, sizes, AXIS._replace(default=0)))


def _chunk(tensor: Any, *args: Any, **given: Any) -> tuple[Any, ...]:
    """``chunk(chunks, axis)``, or ``chunk(chunks, dim)``."""
    first = AXIS._replace(default=0)
    return join.chunk(tensor, *taken("chunk", args, given, *named("chunks"), first))


METHODS = {
    "chunk": _chunk, "dsplit": stacking.dsplit, "hsplit": stacking.hsplit, "split": _split,
    "tensor_split": join.tensor_split, "unbind": join.unbind, "vsplit": stacking.vsplit,
}  # fmt: skip
