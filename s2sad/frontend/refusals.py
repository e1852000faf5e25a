"""What cannot be compiled, what is it called, and what can be written in its place?"""

from __future__ import annotations

import builtins
from types import ModuleType
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dispatch import slots
from s2sad.core.dtypes import DType
from s2sad.core.location import Location
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.ir.graph import Value

_ASYNC = "leave out `async` and `await`"

#: Statements and expressions: what they are called, and what can be done instead.
CONSTRUCTS = {
    "AsyncFor": ("`async for`", _ASYNC),
    "AsyncFunctionDef": ("an async function", _ASYNC),
    "AsyncWith": ("`async with`", _ASYNC),
    "Await": ("`await`", _ASYNC),
    "ClassDef": ("a class", "define it outside of the function"),
    "TryStar": ("`try`", "ask with `if` before, or catch where the function is called"),
    "TypeAlias": ("`type`", "define it outside of the function"),
    "Yield": ("`yield`", "build a list, and return it"),
    "YieldFrom": ("`yield from`", "build a list, and return it"),
}

RETURNED = "return the new value, and assign it where the function is called"
_OUTSIDE = "call it where the function is called"

#: Builtins that compiled code never calls, and what can be done instead.
NEVER = {
    "breakpoint": "b function, where function = compile(gradient).generated(*args), stops in a "
    "gradient",
    "compile": _OUTSIDE, "eval": _OUTSIDE, "exec": _OUTSIDE, "input": _OUTSIDE, "open": _OUTSIDE,
    "globals": _OUTSIDE, "locals": _OUTSIDE, "vars": _OUTSIDE, "dir": _OUTSIDE,
    "iter": "go through it with `for`",
    "next": "go through it with `for`",
    "setattr": "write the name out: self.name = value",
}  # fmt: skip


def construct(node: Any, location: Location | None = None) -> S2sadError:
    """E0101 for a statement or an expression that compiled code may not contain."""
    kind = type(node).__name__
    name, instead = CONSTRUCTS.get(kind, (f"the Python construct {kind}", None))
    return fail("E0101", f"{name} cannot be compiled yet", location=location, help=instead)


def calling(function: Any, location: Location | None = None) -> S2sadError:
    """E0104 for a function that compiled code cannot call, E0304 for what is no function."""
    if not callable(function):
        what = f"{shown(function)} is no function, and cannot be called"
        return fail("E0304", what, help=_in_place_of_a_call(function))
    name = _name(function)
    return fail(
        "E0104", f"calling {name} cannot be compiled yet",
        location=location, help=_instead_of(function, name),
    )  # fmt: skip


def unassigned(name: str, location: Location | None = None) -> S2sadError:
    """E0210 for a variable of the function that nothing has assigned yet."""
    return fail(
        "E0210", f"the local variable {name!r} is not assigned on this path", location=location,
        help="assign it before, or on every path",
    )  # fmt: skip


def assigning_global(name: str, location: Location | None = None) -> S2sadError:
    """E0101 for an assignment to a variable of the module."""
    return fail(
        "E0101", f"assigning the global `{name}` cannot be compiled", location=location,
        help=RETURNED,
    )  # fmt: skip


def too_deep(location: Location | None) -> S2sadError:
    """E0103 for what goes deeper than Python's own stack does."""
    return fail(
        "E0103", "this is nested too deep to be compiled", location=location,
        help="give parts of it names of their own, or write a loop",
    )  # fmt: skip


def of_process(function: Any) -> S2sadError:
    """E0104 for a function of s2sad that would be run once, while compiling."""
    return fail(
        "E0104", f"{function.__qualname__} concerns the whole process, not one program",
        help="call it outside of compiled code",
    )  # fmt: skip


def _in_place_of_a_call(value: Any) -> str | None:
    """What may be meant where `value`, which is no function, is called."""
    if isinstance(value, (tuple, list)):
        if value and all(isinstance(item, Cell) for item in value):
            return "make it an nn.SequentialCell(...), or go through it with `for`"
        return "an item stands in brackets: x.shape[0]"
    if isinstance(value, (Value, Tensor)):
        return "an element stands in brackets: x[0]"
    if isinstance(value, (int, float, DType)):
        return "leave the parentheses out: x.size, x.ndim, x.dtype; to multiply, write `*`"
    if isinstance(value, ModuleType):
        return f"call one of its functions: {value.__name__.rpartition('.')[2]}.name(...)"
    return None


def is_never_called(function: Any) -> bool:
    """Whether `function` is a builtin that no compiled code calls, whatever its arguments."""
    name = getattr(function, "__name__", "")
    return name in NEVER and function is getattr(builtins, name, None)


def _name(function: Any) -> str:
    """What a user calls `function`: ``"np.sum"``, ``"list.append"``."""
    name = getattr(function, "__qualname__", None)
    if name is None:
        return shown(function)
    return f"numpy.{name}" if _is_numpy(function) else name


def _is_numpy(function: Any) -> bool:
    return (getattr(function, "__module__", None) or "").partition(".")[0] == "numpy"


def _instead_of(function: Any, name: str) -> str:
    if getattr(function, "__module__", None) in ("builtins", None) and name in NEVER:
        return NEVER[name]
    if _is_numpy(function):
        last = name.rpartition(".")[2]
        is_method = last in slots().tensor_methods
        return f"x.{last}(...) works on a Tensor" if is_method else "look in ops for what does it"
    return "make it outside, and pass it" if isinstance(function, type) else _OUTSIDE
