"""What is made of functions and of printing, as functions and as objects?"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from s2sad.ops.primitives.base import Primitive


def partial(func: Callable[..., Any], *args: Any) -> Any:
    """`func` with its first arguments given.

    Examples
    --------
    >>> partial(pow, 2)(10)
    1024
    """
    return functools.partial(func, *args)


def print_(*input_x: Any) -> None:
    """Print the arguments, one a line; in compiled code at each call of the program.

    Examples
    --------
    >>> import s2sad as ms
    >>> print_("x:", ms.Tensor([1.0, 2.0]))
    x:
    [1. 2.]
    """
    for each in input_x:
        print(each)


class Partial(Primitive):
    """`ops.partial` as an object: ``Partial()(func, *args)``.

    Examples
    --------
    >>> Partial()(pow, 2)(10)
    1024
    """

    def __init__(self) -> None:
        super().__init__("Partial")

    def __call__(self, func: Callable[..., Any], *args: Any) -> Any:
        return partial(func, *args)


class Print(Primitive):
    """`ops.print_` as an object: ``Print()(*input_x)`` prints its arguments, one a line.

    Examples
    --------
    >>> import s2sad as ms
    >>> Print()("x:", ms.Tensor([1.0, 2.0]))
    x:
    [1. 2.]
    """

    def __init__(self) -> None:
        super().__init__("Print")

    def __call__(self, *input_x: Any) -> None:
        print_(*input_x)
