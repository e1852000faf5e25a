"""How do the arguments of a call fit a signature, and what is said where they do not?"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.elsewhere import of_arguments
from s2sad.core.location import Location
from s2sad.core.shown import shown
from s2sad.core.tracebacks import shorten

EMPTY = inspect.Parameter.empty


def fitted(
    name: str, signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any],
    defined: Callable[[], Location | None] | None = None,
) -> inspect.BoundArguments:  # fmt: skip
    """The arguments of a call of `name` by parameter.

    Parameters
    ----------
    defined : callable, optional
        Tells where the function is defined, if that is worth saying.

    Raises
    ------
    S2sadError
        E0302 when they do not fit; it says what was given, and what may be.
    """
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        mine = _without_self(signature, args)
        given = [*map(shown, args[mine:]), *(f"{k}={shown(v)}" for k, v in kwargs.items())]
        start = None if defined is None else defined()
        place = "" if start is None else f", defined at {start.file}:{start.line}"
        near = of_arguments(kwargs, signature.parameters)
        takes = f"{name.rpartition('.')[2]} takes {written(signature, mine)}{place}"
        raise fail(
            "E0302", f"{name}: {error}", label=f"given ({', '.join(given)})",
            help=takes if near is None else f"{near} {takes}",
        ) from None  # fmt: skip


def checking(init: Callable[..., None]) -> Callable[..., None]:
    """`init`, of a Cell of ours, which says E0302 where its arguments do not fit."""

    @functools.wraps(init)
    def checked(self: Cell, *args: Any, **kwargs: Any) -> None:
        try:
            init(self, *args, **kwargs)
        except Exception as error:
            trace = error.__traceback__
            is_of_call = trace is not None and trace.tb_next is None  # and not of what it does
            if is_of_call and isinstance(error, TypeError):
                name = init.__qualname__.rpartition(".")[0]
                fitted(name, inspect.signature(init), (self, *args), kwargs)
            shorten(error)
            raise

    return checked


def _without_self(signature: inspect.Signature, args: Sequence[Any]) -> int:
    """How many arguments a user does not write: 1 for a method, with the Cell that it is of."""
    is_method = next(iter(signature.parameters), None) == "self"
    return int(is_method and bool(args) and isinstance(args[0], Cell))


def written(signature: inspect.Signature, skipped: int = 0) -> str:
    """`signature` without annotations, and without the first `skipped` parameters.

    >>> def f(self, x: int, *, y: float = 0.5) -> int: ...
    >>> written(inspect.signature(f), 1)
    '(x, *, y=0.5)'
    """
    parameters = list(signature.parameters.values())[skipped:]
    bare = [parameter.replace(annotation=EMPTY) for parameter in parameters]
    return str(inspect.Signature(bare))
