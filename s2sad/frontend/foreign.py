"""Which functions of Python's library and of NumPy run while compiling?

Pure ones, on what is known by then. They see no tensor of the program: what they computed from one
would be a constant, without a gradient.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dispatch import slots
from s2sad.frontend import texts
from s2sad.frontend.containers import CHANGING, MUTABLE, own_new, require_own
from s2sad.frontend.expressions import holds_tensor
from s2sad.frontend.frame import Frame
from s2sad.frontend.sequences import Once
from s2sad.frontend.static import as_python
from s2sad.frontend.trees import leaves
from s2sad.ir.varying import Unfit, holds_varying

#: Modules whose functions give the same for the same arguments.
PURE = frozenset({
    "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "decimal", "enum",
    "fractions", "functools", "inspect", "itertools", "json", "math", "numbers", "numpy",
    "operator", "re", "statistics", "string", "textwrap", "types", "typing", "warnings",
})  # fmt: skip
#: Of those, what is not pure after all.
IMPURE = ("numpy.random", "numpy.lib.npyio", "numpy.lib._npyio_impl")
#: Functions that only pass on what they are given, tensors as well.
PASSING = frozenset({"itertools", "collections", "dataclasses", "operator"})
#: Builtins that are pure besides those with a meaning of their own.
BUILTINS = (
    bin, bytearray, bytes, chr, complex, hash, hex, issubclass, oct, ord, slice, staticmethod,
    object, memoryview,
)  # fmt: skip
#: Kinds whose methods are Python's own.
LITERALS = (
    str, bytes, tuple, int, float, complex, range, dict, list, set, frozenset, np.ndarray,
    np.generic,
)  # fmt: skip
RANDOM = "ops.rand, ops.randn, ops.randint draw anew at each call"
NO_GRADIENT = "numpy sees no gradient"


def root_of(function: Any) -> str:
    """Module to which `function`, or its class where it says none, belongs: its first name."""
    return _module(function).partition(".")[0].lstrip("_")


def _module(function: Any) -> str:
    if isinstance(function, FunctionType):  # `__module__` may be that of what it wraps
        return str(function.__globals__.get("__name__"))
    owner = getattr(function, "__self__", None)
    if isinstance(owner, ModuleType):
        return owner.__name__
    named = getattr(function, "__module__", None)
    return named if isinstance(named, str) else type(function).__module__


def is_known(function: Any) -> bool:
    """Whether `function` may run while compiling, if its arguments allow it."""
    if any(function is each for each in BUILTINS):
        return True
    if isinstance(function, BuiltinFunctionType) and isinstance(function.__self__, LITERALS):
        return True
    module = _module(function)
    if module.startswith(IMPURE) or module.startswith("builtins"):
        return False
    return root_of(function) in PURE


def run(frame: Frame, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What `function`, which is known, gives.

    Raises
    ------
    S2sadError
        E0104 where it is given a tensor, or would change what is not compiled code's own.
    """
    if holds_varying(args) or holds_varying(kwargs):
        raise Unfit("an argument that varies from pass to pass")
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    given = [*args, *kwargs.values()]
    if isinstance(owner, MUTABLE) and name in CHANGING:
        require_own(frame, owner)
        return _changing(owner, name, function, args, kwargs)
    if isinstance(owner, (list, tuple)) and name in ("index", "count", "remove"):
        _require_decidable(owner, name, args)
    elif isinstance(owner, str) and any(map(holds_tensor, given)):
        raise texts.unknown()
    elif isinstance(owner, (list, dict, tuple)):
        pass  # it keeps what it is given
    elif any(map(holds_tensor, given)) and root_of(function) not in PASSING:
        raise on_tensor(function)
    if root_of(function) == "contextlib" or any(map(_is_code, leaves(given))):
        frame.session.guards.is_complete = False
    if "out" in kwargs:
        require_own(frame, kwargs["out"])
    result = as_python(function, *args, **kwargs)
    if isinstance(result, Iterator) and root_of(function) == "itertools":
        return Once(itertools.islice(result, 100_000), name or "iterator")
    return own_new(frame.session, result)


def _is_code(value: Any) -> bool:
    return callable(value) and not isinstance(value, type)


def _changing(owner: Any, name: str, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if name == "remove":
        _require_decidable(owner, name, args)
    if isinstance(owner, (set, np.ndarray)) and any(map(holds_tensor, args)):
        raise on_tensor(function)
    return as_python(function, *args, **kwargs)


def _require_decidable(owner: Any, name: str, args: list[Any]) -> None:
    """Refuse to look for what is equal to something, where a tensor decides (E0305)."""
    items = list(owner)
    if args and name != "count":  # what comes behind the first that is the same does not count
        same = [i for i, item in enumerate(items) if item is args[0]]
        items = items[: same[0]] if same else items
    if items and (any(map(holds_tensor, args)) or any(map(holds_tensor, items))):
        raise fail(
            "E0305", f"what {name}() finds would depend on tensor data",
            help="go through the list, and ask `is`",
        )  # fmt: skip


def on_tensor(function: Any) -> S2sadError:
    """E0104 for a function that is given a tensor of the program."""
    name, module = getattr(function, "__name__", type(function).__name__), root_of(function)
    if module == "numpy":
        return fail(
            "E0104", f"calling numpy.{name} on a tensor cannot be compiled: {NO_GRADIENT}",
            help=_instead(name),
        )  # fmt: skip
    if module == "contextlib":
        return fail(
            "E0104", f"a context manager that is given a tensor, {name}, cannot be compiled",
            help="compute with the tensor before the `with`, or in it",
        )  # fmt: skip
    label = f"{module}.{name}" if module in PURE else name
    return fail(
        "E0104", f"calling {label} on a tensor cannot be compiled", help=_instead(name)
    )  # fmt: skip


def _instead(name: str) -> str:
    method = {"fabs": "abs", "concatenate": "concat", "power": "pow"}.get(name, name)
    if method in slots().tensor_methods:
        return f"ops.{method}, or x.{method}(...), works on a Tensor"
    return f"look in ops for what does it; or say its gradient: {CUSTOM}"


CUSTOM = "custom_vjp"


def unknown(function: Any) -> S2sadError | None:
    """E0104 for what would run once, while compiling, in place of once a call; else None."""
    module = _module(function)
    owner = type(getattr(function, "__self__", None)).__module__
    if module.startswith(("random", "numpy.random", "secrets")) or owner in (
        "random",
        "numpy.random",
    ):
        what = RANDOM
    elif module.partition(".")[0] in ("time", "datetime", "os", "uuid"):
        what = "call it where the function is called, and pass the value"
    else:
        return None
    name = getattr(function, "__qualname__", type(function).__name__)
    if what is RANDOM:  # methods of a generator that Python's module hides
        name = name.rpartition(".")[2]
    where = module if owner in ("builtins", "type") else owner
    where = "numpy.random" if where.startswith("numpy.") else where.partition(".")[0]
    return fail(
        "E0104", f"{where}.{name} would run once, while compiling, and be a constant then",
        help=what,
    )  # fmt: skip
