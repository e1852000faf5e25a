"""What does a variable hold where data choose between two functions? Both: a call branches."""

from __future__ import annotations

import inspect
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.core.transform import Transform, Wrapper
from s2sad.frontend.local_functions import LocalFunction
from s2sad.frontend.trees import leaves
from s2sad.ir.graph import Region, Value
from s2sad.ir.primitive import Primitive

#: What may be chosen.
FUNCTIONS = (
    BuiltinFunctionType, Cell, FunctionType, LocalFunction, MethodType, Primitive, Transform,
    Wrapper,
)  # fmt: skip


class Choice:
    """One of two functions.

    Attributes
    ----------
    condition : Value
    one, other : callable
        Where the condition holds, and where it does not.
    """

    def __init__(self, condition: Value, one: Any, other: Any) -> None:
        self.condition = condition
        self.one = one
        self.other = other

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise fail(
            "E0104", "which function this is depends on data, and other code calls it",
            help="call it in the branches",
        )  # fmt: skip


def choice(condition: Value, held: tuple[Any, Any], regions: tuple[Region, Region]) -> Any:
    """The two functions `held`, of which each comes out of one of `regions`; None for others."""
    if all(_comes_out(each, region) for each, region in zip(held, regions, strict=True)):
        return Choice(condition, *held)
    return None


def _comes_out(function: Any, region: Region) -> bool:
    """Whether `function` may be called behind `region`: it holds nothing that is of there only."""
    if isinstance(function, Choice):
        return function.condition.region is not region
    if not isinstance(function, FUNCTIONS):
        return False
    if not isinstance(function, LocalFunction):
        return True
    defaults = [each.default for each in function.__signature__.parameters.values()]
    held = [each for each in defaults if each is not inspect.Parameter.empty]
    return not any(isinstance(leaf, (Value, Tensor)) for leaf in leaves(held))
