"""Which of the user's code does a call run as Python runs it, rather than read it?

Functions of s2sad and pure builtins run while compiling. Where they are given a function of the
user's and call it, ``re.sub(words, rank, text)``, nobody knows what that looked at: the program is
right now, but no other process can tell whether it would be right there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.checkpoint import Checkpoint, checkpoint
from s2sad.core.custom_vjp import CustomVjp, custom_vjp
from s2sad.core.hooks import Hook
from s2sad.core.jacobians import jacfwd
from s2sad.core.mapping import vmap
from s2sad.core.tensor import Tensor
from s2sad.core.transform import Transform, Wrapper, grad
from s2sad.frontend.local_functions import LocalFunction
from s2sad.frontend.trees import leaves
from s2sad.ir.graph import Value
from s2sad.ir.primitive import Primitive

#: Where our own functions are read as the user's are: they have attributes that may change, or call
#: functions of the user's.
READ_MODULES = (
    "s2sad.nn", "s2sad.amp", "s2sad.experimental", "s2sad.mint.nn", "s2sad.ops.composite",
    "s2sad.parallel",
)  # fmt: skip
#: What is read when it is called.
READ = (Wrapper, LocalFunction, Transform, CustomVjp, Checkpoint, Hook, Cell, MethodType)
#: Modules that only note which function they are given.
NOTING = (
    grad.__module__, custom_vjp.__module__, checkpoint.__module__, jacfwd.__module__,
    vmap.__module__, "s2sad.ops.gradient", "s2sad.ops.hooks", "s2sad.ops.matching",
    "s2sad.ops.sharding",
)  # fmt: skip
#: Builtins that only look at the type of what they are given.
LOOKING = (isinstance, issubclass, type)
#: Those that have an object describe itself.
DESCRIBING = (str, repr, format)
#: Packages whose objects bring no code of the user's along.
KNOWN = ("builtins", "numpy", "s2sad")


def runs_unread(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether a call in compiled code may run code of the user's without reading it."""
    if isinstance(function, READ):
        return False
    if is_own(function):
        noting = _module(function) in NOTING or _module(type(function)) in NOTING
        return not noting and any(map(_is_code, leaves([*args, *kwargs.values()])))
    if isinstance(function, FunctionType):
        return False
    given = (*args, *kwargs.values())
    if any(function is each for each in DESCRIBING):
        return any(map(_is_code, given))
    looking = any(function is each for each in LOOKING)
    return not looking and any(isinstance(x, (FunctionType, MethodType)) for x in given)


def is_own(function: Any) -> bool:
    """Whether `function`, or what it is an object of, is s2sad's and not read."""
    named = function if isinstance(function, (type, FunctionType, Primitive)) else type(function)
    name = _module(named)
    return name.startswith("s2sad.") and not name.startswith(READ_MODULES)


def _module(thing: Callable[..., Any]) -> str:
    return getattr(thing, "__module__", None) or ""


def _is_code(value: Any) -> bool:
    """Whether `value` may bring code of the user's along."""
    if isinstance(value, (Value, Tensor, LocalFunction, Primitive)):
        return False
    if isinstance(value, (FunctionType, MethodType)):
        return not _module(value).startswith("s2sad.")
    if isinstance(value, (Cell, Transform, Wrapper, CustomVjp, Checkpoint)):
        return True
    return _module(type(value)).partition(".")[0] not in KNOWN
