"""What does Python itself make of what is known while compiling?"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import S2sadError, fail, note_raised
from s2sad.frontend.trees import leaves
from s2sad.ir.dims import Symbolic


def as_python(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)``; what it raises is the program's, and gets the place as a note.

    >>> as_python(divmod, 7, 2)
    (3, 1)
    """
    if _depends_on_numbers(function, args):
        for value in args:
            require_numbers(value)
    try:
        return function(*args, **kwargs)
    except S2sadError:
        raise
    except Exception as error:
        note_raised(error)
        raise


def require_numbers(value: Any) -> None:
    """E0402 for a size that is a symbol, or a container with one: its number is not known here."""
    for leaf in leaves(value):
        if isinstance(leaf, Symbolic):
            operator.index(leaf)


#: What is found by its hash or shown by its letters.
_LOOKED_UP = (dict, set, frozenset, str)
_LOOKING = (operator.getitem, operator.setitem, operator.delitem, operator.contains, operator.mod)
_MAKING = (repr, format, hash, ascii, id)


def _depends_on_numbers(function: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """Whether a size among `args` would have to be a number, and Python would not ask for one."""
    if function in _LOOKING:
        return isinstance(args[0], _LOOKED_UP)
    if function in (getattr, hasattr):
        return isinstance(args[0], Symbolic)
    if isinstance(function, type) and issubclass(function, _LOOKED_UP):
        return True
    return isinstance(getattr(function, "__self__", None), _LOOKED_UP) or function in _MAKING


def item(owner: Any, key: Any) -> Any:
    """``owner[key]`` of a static object.

    Raises
    ------
    S2sadError
        E0501 beyond the end of a sequence.
    """
    if isinstance(owner, (tuple, list, str, range)) and isinstance(key, int):
        count = len(owner)
        if not -count <= key < count:
            kind = type(owner).__name__
            raise fail(
                "E0501", f"index {key} is out of range for a {kind} of {count} items",
                help=f"its indices are {-count} to {count - 1}" if count else "it is empty",
            )  # fmt: skip
    return as_python(operator.getitem, owner, key)
