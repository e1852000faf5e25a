"""What is a hook? Data: a function of the gradient that passes a place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor


class Hook:
    """The identity, whose gradient goes through a function on its way back.

    Attributes
    ----------
    name : str
    function : callable
        Takes the gradient, and gives the one that takes its place; None where that stays.
    in_tuple : bool
        Whether `function` takes it as a tuple of one.
    """

    in_tuple = False

    def __init__(self, function: Callable[..., Any]) -> None:
        name = type(self).__name__
        if not callable(function):
            raise fail("E0304", f"{name} takes a function of the gradient, got {function!r}")
        self.name = f"the function of {name}"
        self.function = function

    def __call__(self, x: Tensor) -> Tensor:
        return x
