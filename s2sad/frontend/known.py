"""What does an expression name, as far as modules tell, and could compiled code call it at all?

Nothing is evaluated: names are looked up, and attributes of modules of s2sad, of NumPy or
to Python's library.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import gast
import numpy as np

from s2sad.core import location as locations
from s2sad.core.diagnostics import S2sadError, did_you_mean, fail, help_of
from s2sad.core.location import Location
from s2sad.core.signatures import fitted
from s2sad.frontend import foreign, refusals
from s2sad.frontend.builtin_calls import BUILTINS
from s2sad.frontend.calls import AT_ONCE, changes_process, is_foreign, is_ours

#: What nobody knows without running the program.
UNKNOWN = object()
#: First names of modules that are what they seem.
LIBRARIES = foreign.PURE | {"s2sad", "os", "random", "time", "datetime", "uuid", "secrets", "sys"}

#: Of functions that NumPy has written in Cython.
CYTHON: type = type(np.random.RandomState.rand)


class Written:
    """In the place of an argument, of which only the text is known."""

    def __init__(self, node: Any) -> None:
        self.text = gast.unparse(node).strip()

    def __repr__(self) -> str:
        return self.text


def is_library(value: Any) -> bool:
    """Whether `value` is a module of one of the `LIBRARIES`."""
    return isinstance(value, ModuleType) and value.__name__.partition(".")[0] in LIBRARIES


def meaning(node: Any, named: Callable[[str], Any]) -> Any:
    """What the expression `node` is; `UNKNOWN` where only running tells.

    Parameters
    ----------
    node : gast node
    named : callable
        What a name is bound to, or `UNKNOWN`.
    """
    if isinstance(node, gast.Name):
        return named(node.id)
    if isinstance(node, gast.Attribute):
        return of_module(meaning(node.value, named), node.attr)
    return UNKNOWN


def of_module(owner: Any, name: str) -> Any:
    """What `owner` has under `name`, if it is a module of a library and has it; else `UNKNOWN`."""
    return _attribute(owner, name)[0] if is_library(owner) else UNKNOWN


def _attribute(owner: ModuleType, name: str) -> tuple[Any, Exception | None]:
    """What a library has under `name`, or the error where s2sad has nothing.

    What others have differs from system to system, and of some NumPy warns.
    """
    if name not in dir(owner) and not owner.__name__.startswith("s2sad"):
        return UNKNOWN, None
    try:
        return getattr(owner, name), None
    except AttributeError as error:
        return UNKNOWN, error


def missing(node: Any, named: Callable[[str], Any], place: Location | None) -> S2sadError | None:
    """E0220 for an attribute that a module of s2sad does not have."""
    owner = meaning(node.value, named)
    if not is_library(owner):
        return None
    error = _attribute(owner, node.attr)[1]
    if error is None:
        return None
    written = gast.unparse(node.value).strip()
    return fail(
        "E0220", f"{written} (module {owner.__name__}) has no attribute {node.attr!r}",
        location=place, help=help_of(error) or did_you_mean(node.attr, dir(owner)),
    )  # fmt: skip


def refused(node: Any, named: Callable[[str], Any], place: Location | None) -> S2sadError | None:
    """What the call `node` raises whatever its arguments hold; None if that depends."""
    function = meaning(node.func, named)
    if function is UNKNOWN:
        return None
    with locations.at(place):
        if refusals.is_never_called(function):
            return refusals.calling(function)
        if id(function) in BUILTINS:
            return None
        if isinstance(function, FunctionType) and function not in AT_ONCE and is_ours(function):
            return _of_ours(function, node)
        called = function.__func__ if isinstance(function, MethodType) else function
        if _runs_elsewhere(called) and not foreign.is_known(called):
            return foreign.unknown(called) or refusals.calling(called)
    return None


def _of_ours(function: FunctionType, node: Any) -> S2sadError | None:
    if changes_process(function):
        return refusals.of_process(function)
    if any(isinstance(each, gast.Starred) for each in node.args):
        return None
    if any(keyword.arg is None for keyword in node.keywords):
        return None
    args = [Written(each) for each in node.args]
    kwargs = {keyword.arg: Written(keyword.value) for keyword in node.keywords}
    try:
        fitted(function.__name__, inspect.signature(function), args, kwargs)
    except S2sadError as error:
        return error
    return None


def _runs_elsewhere(function: Any) -> bool:
    """Whether `function` is one of Python's library or NumPy, and no builtin of all modules."""
    if isinstance(function, FunctionType):
        return is_foreign(function)
    is_written_in_c = isinstance(function, BuiltinFunctionType) or type(function) is CYTHON
    return is_written_in_c and function.__module__ != "builtins"
