"""What cannot be compiled, what is it called, and what can be written in its place?"""

from __future__ import annotations

import builtins
from typing import Any

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dispatch import slots
from s2sad.core.location import Location
from s2sad.frontend.shown import shown

_ASYNC = "leave out `async` and `await`"
_RETURNED = "return the new value, and assign it where the function is called"

#: Statements and expressions: what they are called, and what can be done instead.
CONSTRUCTS = {
    "AsyncFor": ("`async for`", _ASYNC),
    "AsyncFunctionDef": ("an async function", _ASYNC),
    "AsyncWith": ("`async with`", _ASYNC),
    "Await": ("`await`", _ASYNC),
    "ClassDef": ("a class", "define it outside of the function"),
    "Delete": ("`del`", "leave it out: what no line reads any more is not kept"),
    "DictComp": ("a dict comprehension", "write the entries out: {'a': x, **more}"),
    "Global": ("`global`", _RETURNED),
    "Import": ("`import`", "import it at the top of the file"),
    "ImportFrom": ("`import`", "import it at the top of the file"),
    "Match": ("`match`", "write it with `if` and `elif`"),
    "NamedExpr": ("`:=`", "assign on a line of its own"),
    "Nonlocal": ("`nonlocal`", _RETURNED),
    "Set": ("a set", "write a tuple: (a, b)"),
    "SetComp": ("a set comprehension", "write a list comprehension: [f(x) for x in xs]"),
    "Try": ("`try`", "ask with `if` before, or catch where the function is called"),
    "TryStar": ("`try`", "ask with `if` before, or catch where the function is called"),
    "TypeAlias": ("`type`", "define it outside of the function"),
    "With": ("`with`", "open it where the function is called"),
    "Yield": ("`yield`", "build a list, and return it"),
    "YieldFrom": ("`yield from`", "build a list, and return it"),
}

_OUTSIDE = "call it where the function is called"
_KNOWN = "what a Tensor holds is not known while compiling"

#: Builtins that compiled code never calls, and what can be done instead.
NEVER = {
    "breakpoint": "b function, where function = compile(gradient).generated(*args), stops in a "
    "gradient",
    "callable": "decide it in __init__",
    "compile": _OUTSIDE, "eval": _OUTSIDE, "exec": _OUTSIDE, "input": _OUTSIDE, "open": _OUTSIDE,
    "filter": "write a list comprehension: [x for x in xs if f(x)]",
    "getattr": "write the name out: x.name",
    "globals": _OUTSIDE, "locals": _OUTSIDE, "vars": _OUTSIDE, "dir": _OUTSIDE,
    "hasattr": "decide it in __init__, and keep the answer: self.has_name",
    "iter": "go through it with `for`",
    "map": "write a list comprehension: [f(x) for x in xs]",
    "next": "go through it with `for`",
    "print": "return the value, and print it where the function is called",
    "setattr": "only a Parameter can be written: self.name = value",
}  # fmt: skip
#: What else cannot be called, or not on Tensors.
CALLS = {
    "all": "x.all() of a Tensor, ops.stack(xs).all(0) of several",
    "any": "x.any() of a Tensor, ops.stack(xs).any(0) of several",
    "bool": f"{_KNOWN}: x.astype(bool_) stays a Tensor",
    "float": f"{_KNOWN}: x.astype(float32) stays a Tensor",
    "int": f"{_KNOWN}: x.astype(int32) stays a Tensor",
    "list.sort": "ops.sort sorts the elements of a Tensor",
    "max": "ops.maximum(x, y) of two Tensors, x.max() of one",
    "min": "ops.minimum(x, y) of two Tensors, x.min() of one",
    "repr": _KNOWN, "str": _KNOWN,
    "set": "write a tuple or a list",
    "sorted": "ops.sort sorts the elements of a Tensor",
    "type": "ask x.dtype, or isinstance(x, Tensor)",
}  # fmt: skip

#: Why a region is not left early, and what can be done instead.
LEAVING = {
    "return": "assign the result in both branches, and return it after them",
    "break": "let the condition of a `while` say when to stop",
    "continue": "put what follows under the opposite condition",
}


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


def calling_on_tensor(function: Any) -> S2sadError:
    """E0104 for a builtin that takes no Tensors."""
    name = _name(function)
    message = f"calling {name} on a tensor cannot be compiled yet"
    return fail("E0104", message, help=_instead_of(function, name))


def leaving(kind: str, place: Location | None, condition: Location | None) -> S2sadError:
    """E0104 for `return`, `break` or `continue` in a region."""
    where = "" if condition is None else f" ({condition.file}:{condition.line})"
    return fail(
        "E0104", f"`{kind}` under a condition on tensor data{where} cannot be compiled yet",
        location=place, help=LEAVING[kind],
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
    if getattr(function, "__module__", None) in ("builtins", None) and name in NEVER | CALLS:
        return (NEVER | CALLS)[name]
    if _is_numpy(function):
        last = name.rpartition(".")[2]
        is_method = last in slots().tensor_methods
        return f"x.{last}(...) works on a Tensor" if is_method else "look in ops for what does it"
    return "make it outside, and pass it" if isinstance(function, type) else _OUTSIDE
