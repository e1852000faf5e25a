"""What stands for several functions, of which each is for one row of what is mapped?"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail


class Ensemble:
    """Several functions or Cells that `vmap` runs, each on a row of its own.

    Attributes
    ----------
    functions : tuple of callable
    """

    def __init__(self, functions: tuple[Callable[..., Any], ...]) -> None:
        if not functions or not all(map(callable, functions)):
            raise fail(
                "E0304", f"vmap takes a Cell, a function, or several of them, got {functions!r}",
                help="give one Cell or function for each row",
            )  # fmt: skip
        self.functions = functions

    @property
    def __signature__(self) -> inspect.Signature:
        """That of the first function."""
        first = self.functions[0]
        return inspect.signature(first.construct if isinstance(first, Cell) else first)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise fail("E0304", "several functions in one can be mapped, and not called")
