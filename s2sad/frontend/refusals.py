"""What cannot be compiled, what is it called, and what can be written in its place?"""

from __future__ import annotations

import builtins
from typing import Any

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dispatch import slots
from s2sad.core.location import Location
from s2sad.frontend.shown import shown

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
        return fail("E0304", f"{shown(function)} is no function, and cannot be called")
    name = _name(function)
    return fail(
        "E0104", f"calling {name} cannot be compiled yet",
        location=location, help=_instead_of(function, name),
    )  # fmt: skip


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
