"""Which arguments of a call become inputs of its program, and by which names are they known?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s2sad.core.mutable import Mutable
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Placeholder, Tensor
from s2sad.core.trees import is_record, parts_of
from s2sad.ir.types import TensorType, Type, type_of


def is_input(leaf: Any) -> bool:
    """Whether an argument becomes an input; a Parameter is a hidden one, whatever path leads there.

    So code may write to it, and sees what was written by another name.
    """
    return isinstance(leaf, (Tensor, Mutable)) and not isinstance(leaf, Parameter)


def type_of_input(leaf: Any) -> Type:
    """The type of an argument that becomes an input (E0304 where its sizes are unknown)."""
    if isinstance(leaf, Placeholder) and None not in leaf.sizes:
        return TensorType(leaf.dtype, leaf.sizes)  # type: ignore[arg-type]
    return type_of(leaf.array)


def named_leaves(arguments: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Leaves of the arguments with their paths: ``"x"``, ``"states[0]"``, ``"kwargs['mask']"``."""
    found: list[tuple[str, Any]] = []
    for name, value in arguments.items():
        _collect(name, value, found)
    return found


def _collect(path: str, value: Any, found: list[tuple[str, Any]]) -> None:
    if isinstance(value, (tuple, list)):
        for index, item in enumerate(value):
            _collect(f"{path}[{index}]", item, found)
    elif isinstance(value, dict) or is_record(value):
        for key, item in (value if isinstance(value, dict) else parts_of(value)).items():
            _collect(f"{path}[{key!r}]", item, found)
    else:
        found.append((path, value))
