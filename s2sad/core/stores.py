"""What stands for an attribute of a Cell that a program writes? What takes its result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor

AS_PARAMETER = "make it a Parameter in __init__: Parameter(..., requires_grad=False)"


class Store:
    """An attribute of a Cell that a program writes, in the place of a Parameter.

    Attributes
    ----------
    owner : Cell
    name : str
    value : object
        What it is afterwards.
    is_data : bool
        Whether `value` stands for what the program computes.
    """

    def __init__(self, owner: Cell, name: str, value: Any, *, is_data: bool) -> None:
        self.owner = owner
        self.name = name
        self.value = value
        self.is_data = is_data

    def adopt(self, array: Any) -> None:
        """Let the attribute be what the program has computed, or what was known before."""
        setattr(self.owner, self.name, Tensor.wrap(array) if self.is_data else self.value)

    def is_sole_holder(self) -> bool:
        return False


def refuse_stores(written: Iterable[Any]) -> None:
    """E0104 for a program that assigns attributes of Cells, where many steps run in one call."""
    for each in written:
        if isinstance(each, Store):
            kind = type(each.owner).__name__
            raise fail(
                "E0104", f"a step that assigns {kind}.{each.name} cannot be one of a sink",
                help=AS_PARAMETER,
            )  # fmt: skip
