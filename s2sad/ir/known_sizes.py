"""How is a size known, and yet remembered as what it is for other sizes?

A program for any sizes is completed for some by numbers. What is generated for these numbers is the
same text for others, as long as sizes in it are written as formulas of the symbols: it is compiled
once. `Size` is such a number, and `KnownSize` a constant made of one. Wherever the formula is lost
on the way the number is written, which is right for this size, and compiled for it alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Size(int):
    """An int whose text is a formula of C: what it is of the symbols in a program.

    Attributes
    ----------
    text : str

    Examples
    --------
    >>> n = Size(8, "n")
    >>> 4 * n + 1, f"{4 * n + 1}", n // 2 == 4, str((n + 3) // 4)
    (33, '((n * 4) + 1)', True, '((n + 3) / 4)')
    """

    text: str

    def __new__(cls, value: int, text: str) -> Size:
        made = super().__new__(cls, value)
        made.text = text
        return made

    def __str__(self) -> str:
        return self.text

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec else self.text

    def __reduce__(self) -> Any:
        return Size, (int(self), self.text)

    def __add__(self, other: int) -> int:
        return self if _is(other, 0) else self._with(int.__add__(self, other), other, "+")

    def __mul__(self, other: int) -> int:
        return self if _is(other, 1) else self._with(int.__mul__(self, other), other, "*")

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other: int) -> int:
        return self if _is(other, 0) else self._with(int.__sub__(self, other), other, "-")

    def __rsub__(self, other: int) -> int:
        return self._behind(int.__rsub__(self, other), other, "-")

    # C rounds quotients to zero, Python down: they agree where nothing is negative.

    def __floordiv__(self, other: int) -> int:
        if _is(other, 1):
            return self
        value = int.__floordiv__(self, other)
        return self._with(value, other, "/") if self >= 0 and other > 0 else value

    def __rfloordiv__(self, other: int) -> int:
        value = int.__rfloordiv__(self, other)
        return self._behind(value, other, "/") if self > 0 and other >= 0 else value

    def __mod__(self, other: int) -> int:
        value = int.__mod__(self, other)
        return self._with(value, other, "%") if self >= 0 and other > 0 else value

    def _with(self, value: Any, other: int, operator: str) -> int:
        if value is NotImplemented or isinstance(other, bool):
            return value
        return Size(value, f"({self} {operator} {other})") if value or operator != "*" else value

    def _behind(self, value: Any, other: int, operator: str) -> int:
        if value is NotImplemented or isinstance(other, bool):
            return value
        return Size(value, f"({other} {operator} {self})")


def _is(other: Any, number: int) -> bool:
    return type(other) is int and other == number


class KnownSize(np.ndarray):
    """A constant that follows from sizes: it lies in memory, and is in no generated text."""


def as_known(array: np.ndarray, number: Any) -> np.ndarray:
    """`array`, which holds `number`: a `KnownSize` where that is a `Size`."""
    return array.view(KnownSize) if isinstance(number, Size) else array


def sizes_of(shapes: Any) -> dict[str, int]:
    """The symbols of which the sizes in `shapes` are formulas by themselves, and their numbers."""
    return {
        size.text: int(size) for shape in shapes for size in shape
        if isinstance(size, Size) and size.text.isidentifier()
    }  # fmt: skip


def formulas(part: Any) -> str:
    """The formulas of the sizes in a type, an attribute, or a tuple of such."""
    if isinstance(part, tuple):
        return "".join(map(formulas, part))
    if isinstance(part, Size):
        return part.text
    return formulas(part.shape) if hasattr(part, "shape") else ""
