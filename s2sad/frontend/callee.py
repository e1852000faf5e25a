"""What is called, and how do the arguments fit it?"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any

from s2sad.core.cell import Cell, no_construct
from s2sad.core.checkpoint import Checkpoint
from s2sad.core.custom_vjp import CustomVjp
from s2sad.core.diagnostics import S2sadError, amend, annotate, fail
from s2sad.core.location import Location
from s2sad.core.signatures import fitted
from s2sad.core.transform import Transform, innermost, unwrapped
from s2sad.frontend.local_functions import LocalFunction
from s2sad.frontend.source import head_of


def bind(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> inspect.BoundArguments:
    """The arguments of a call by parameter name (E0302 when they do not fit)."""
    if isinstance(function, Transform):
        return _bind_transform(function, args, kwargs)
    target = function.construct if isinstance(function, Cell) else function
    signature = inspect.signature(target, follow_wrapped=False)
    name = name_of(function)
    spoken = name.removesuffix("_") if name.endswith("lambda_") else name
    try:
        return fitted(spoken, signature, args, kwargs, lambda: start_of(function))
    except S2sadError as error:
        if isinstance(function, Cell) and not _names_itself(construct_of(function)):
            amend(error, help="its first parameter is the Cell itself: def construct(self, ...)")
        raise


def _names_itself(method: Any) -> bool:
    return next(iter(inspect.signature(method, follow_wrapped=False).parameters), None) == "self"


def _bind_transform(
    function: Transform, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> inspect.BoundArguments:
    """Arguments by the names of the function that it is of in the end, then cotangents."""
    bound, seeds = bind_through(function, args, kwargs)
    if not seeds:
        return bound
    kind = inspect.Parameter.POSITIONAL_ONLY
    names = [f"argument{i}" for i in range(len(bound.args))]
    names += [f"cotangent{i}" for i in range(len(seeds))]
    given = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    return given.bind(*bound.args, *seeds)


def bind_through(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[inspect.BoundArguments, tuple[Any, ...]]:
    """Arguments of a function, of what a Transform is of, and the cotangents that come after them.

    Raises
    ------
    S2sadError
        E0302 when they do not fit, or a cotangent is missing.
    """
    seeds: tuple[Any, ...] = ()
    while isinstance(function, Transform):
        if function.sens_param:
            if not args:
                raise fail("E0302", "the last argument must be the output's cotangent: sens_param")
            args, seeds = args[:-1], (args[-1], *seeds)
        function = unwrapped(function.function)
    try:
        return bind(function, args, kwargs), seeds
    except S2sadError as error:
        if seeds:
            annotate(error, "the last argument of the call was taken as the cotangent: sens_param")
        raise


def title_of(function: Callable[..., Any]) -> str:
    """``"rnn.Net.construct"``: module, class and name, as headers of dumps have it."""
    function = innermost(function)
    if isinstance(function, Cell):
        function = construct_of(function)
    return f"{(function.__module__ or '').rpartition('.')[2]}.{name_of(function)}"


def title_of_call(function: Any) -> str:
    """What a call of `function` runs, in words: ``"grad of rnn.Net.construct"``."""
    kinds = []
    while isinstance(function, Transform):
        kinds.append(function.kind)
        function = unwrapped(function.function)
    return " of ".join([*kinds, title_of(function)])


def name_of(function: Callable[..., Any]) -> str:
    """``"Net.construct"``: class and name."""
    if isinstance(function, Cell):
        function = construct_of(function)
    name = getattr(function, "__qualname__", type(function).__name__)
    return name.replace("<locals>.", "").replace("<lambda>", "lambda_")


def construct_of(cell: Cell) -> Any:
    """The construct of the Cell's class (E0220 when it has none)."""
    if not hasattr(type(cell), "construct"):
        raise no_construct(type(cell))
    return type(cell).construct  # type: ignore[attr-defined]


def start_of(function: Callable[..., Any]) -> Location | None:
    """Where the function, or the Cell's construct, is defined."""
    function = innermost(function)
    target: Any = construct_of(function) if isinstance(function, Cell) else function
    target = target.__func__ if isinstance(target, MethodType) else target
    target = target.function if isinstance(target, (CustomVjp, Checkpoint)) else target
    if isinstance(target, LocalFunction):
        return target.place
    if not isinstance(target, FunctionType):
        return None
    return head_of(target.__code__)
