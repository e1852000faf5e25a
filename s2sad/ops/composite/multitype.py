"""How do the types of arguments choose a function?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ops.matching import chosen, kind_named
from s2sad.ops.settings import flag


class MultitypeFuncGraph:
    """Several functions under one name; a call goes to the first one that takes such arguments.

    Parameters
    ----------
    name : str
    read_value : bool
        Taken and not needed: a Parameter is its value wherever that is read.

    Raises
    ------
    S2sadError
        E0303 for arguments of another form; in a call E0304 where no function takes such arguments.

    Examples
    --------
    >>> import s2sad as ms
    >>> double = MultitypeFuncGraph("double")
    >>> @double.register("Tensor")
    ... def _of_tensor(x):
    ...     return ms.ops.add(x, x)
    >>> @double.register("Number")
    ... def _of_number(x):
    ...     return 2 * x
    >>> double(ms.Tensor([1.5])).tolist(), double(3)
    ([3.0], 6)
    """

    def __init__(self, name: str, read_value: bool = False) -> None:
        if not isinstance(name, str):
            raise fail("E0303", f"the name of a MultitypeFuncGraph is a str, got {shown(name)}")
        flag("read_value", read_value)
        self.name = name
        self.entries: list[tuple[tuple[str, ...], Callable[..., Any]]] = []

    def __call__(self, *args: Any) -> Any:
        return chosen(self.name, self.entries, args)(*args)

    def register(self, *type_names: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorator of a function that takes arguments of these types, which it gives back.

        Parameters
        ----------
        *type_names : str or type
            One an argument, ``"Tensor"``, ``"Number"``, ``"Tuple"`` and so on.

        Raises
        ------
        S2sadError
            E0304 for what names no type, E0404 for a name of none.
        """
        kinds = tuple(map(kind_named, type_names))

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            self.entries.append((kinds, function))
            return function

        return decorate
