"""What is a Python number that differs from pass to pass of a loop that is compiled once?

While the body of such a loop is read, its index is a `Varying`: it goes where a number may go that
meets a tensor, and is computed with as Python would. Wherever its value would have to be known, it
raises `Unfit`, and the loop is compiled in another way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from s2sad.ir.graph import Value

#: Integers up to here are float64's as well, so that int64 and float64 compute as Python does.
LIMIT = 2**53


class Unfit(BaseException):  # noqa: N818 - a signal, which no `except` of the user's code catches
    """A loop cannot be compiled with a varying index.

    Attributes
    ----------
    settles : bool
        Whether it may be possible once a pass has run: then variables hold tensors that held
        numbers, and the index is not 0 any more.
    """

    def __init__(self, why: str, *, settles: bool = False) -> None:
        super().__init__(why)
        self.settles = settles


@dataclass(eq=False)
class Varying:
    """A Python int or float that depends on the index of a loop.

    Attributes
    ----------
    value : Value
        It as an i64 or f64.
    low, high : int or float
        Bounds of all that it takes, both included.
    last : int, float or None
        What it is in the last pass of its loop; None where that is not one number.
    depth : int
        Loops around the innermost one that it depends on.
    terms : dict of Value or None to int, or None
        The number as a sum of indices, each with its factor, and a constant, under None; None
        where it is no such sum.

    Raises
    ------
    Unfit
        From all that needs to know the number, and from the constructor for numbers that int64
        and float64 do not compute with as Python does.
    """

    value: Value
    low: int | float
    high: int | float
    last: int | float | None
    depth: int
    terms: Mapping[Value | None, int] | None = None

    def __post_init__(self) -> None:
        if not -LIMIT <= self.low <= self.high <= LIMIT:  # also where a bound is no number
            raise Unfit(f"numbers from {self.low} to {self.high}")

    @property
    def is_float(self) -> bool:
        return self.value.dtype.is_float

    def __bool__(self) -> bool:
        if self.low > 0 or self.high < 0:
            return True
        raise Unfit("whether the number is 0", settles=True)

    def _needs_the_number(self, *_: Any) -> Any:
        raise Unfit("a number that must be known while compiling")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _needs_the_number
    __hash__ = __index__ = __int__ = __float__ = __iter__ = __len__ = _needs_the_number
    __str__ = __format__ = _needs_the_number


def holds_varying(tree: Any) -> bool:
    """Whether a `Varying` is `tree`, or in a tuple, list, dict or slice of it."""
    if isinstance(tree, (tuple, list)):
        return any(map(holds_varying, tree))
    if isinstance(tree, dict):
        return any(map(holds_varying, tree.values()))
    if isinstance(tree, slice):
        return any(map(holds_varying, (tree.start, tree.stop, tree.step)))
    return isinstance(tree, Varying)
