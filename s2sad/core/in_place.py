"""What does a method do that writes its tensor, such as ``x.add_(1)``?

What an item write does: the tensor holds other elements from then on, under all its names; who saw
the old ones, as an array, keeps seeing them. A Parameter is assigned to. Compiled code does the
same, by `value`, which only says what the elements are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.parameter import WRITING, Parameter
from s2sad.core.tensor import Tensor


class InPlace:
    """A method that writes its tensor, and gives it back.

    Parameters
    ----------
    name : str
        As users write it, ``"add_"``.
    value : callable
        ``value(tensor, *args, **kwargs)``: what the tensor holds then, of its dtype and shape.

    Examples
    --------
    >>> x = Tensor([1.0, 2.0])
    >>> y = x
    >>> InPlace("double_", lambda tensor: tensor * 2)(x) is x, y.tolist()
    (True, [2.0, 4.0])
    """

    def __init__(self, name: str, value: Callable[..., Any]) -> None:
        self.__name__ = name
        self.value = value

    def __call__(self, tensor: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(tensor, Parameter):
            tensor.array = _own(self.value(tensor, *args, **kwargs), (*args, *kwargs.values()))
            return tensor
        with WRITING:
            return tensor.set_data(self.value(tensor, *args, **kwargs))


def _own(new: Tensor, given: tuple[Any, ...]) -> Any:
    """The elements of `new`, in memory that no argument has."""
    is_fresh = new.array.flags.owndata and all(new is not each for each in given)
    return new.array if is_fresh else new.array.copy()
