"""What does a call mean while compiling?

Primitives emit, functions of `ops` run on values of the IR (they are ours, and Python over
prims), the user's functions and Cells are read and evaluated in a frame of their own, and a
short list of builtins is computed on static arguments. Everything else is an error that says so.
"""

from __future__ import annotations

import inspect
import math
import operator
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import gast

from s2sad.core import context
from s2sad.core import location as locations
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dispatch import slots
from s2sad.core.tensor import Tensor
from s2sad.core.transform import Wrapper
from s2sad.frontend.custom import call_custom
from s2sad.frontend.expressions import BoundMethod, Range, evaluate, evaluates, is_tensor, items
from s2sad.frontend.frame import Frame
from s2sad.frontend.source import Source, source_of
from s2sad.frontend.statements import execute
from s2sad.ir.graph import Value
from s2sad.ir.primitive import Primitive

#: Pure builtins, computed while compiling when no argument is a tensor.
PURE = {
    abs, all, any, bool, bytes, dict, divmod, enumerate, float, frozenset, int, isinstance,
    issubclass, len, list, max, min, pow, range, repr, reversed, round, set, slice, sorted, str,
    sum, tuple, type, zip,
}  # fmt: skip
#: Of those, the ones that only look at or pass on tensors inside containers.
CONTAINERS = {dict, enumerate, list, len, reversed, tuple, zip, isinstance}
#: Modules of pure functions.
PURE_MODULES = {math.__name__, operator.__name__, "_operator"}
#: Deeper calls are taken for endless recursion, whatever ``max_call_depth`` of the context allows:
#: Python's own stack ends not far behind.
MAX_DEPTH = 200


@evaluates(gast.Call)
def _call(frame: Frame, node: Any) -> Any:
    function = evaluate(frame, node.func)
    args = items(frame, node.args)
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        value = evaluate(frame, keyword.value)
        kwargs.update(value if keyword.arg is None else {keyword.arg: value})
    return call(frame, function, args, kwargs)


def call(frame: Frame, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Result of ``function(*args, **kwargs)`` in compiled code.

    Raises
    ------
    S2sadError
        E0101 for what cannot be called there, E0302 when the arguments do not fit.
    """
    if isinstance(function, Primitive):
        return function(*args, **kwargs)
    if isinstance(function, Wrapper):
        return call(frame, function.function, args, kwargs)
    if isinstance(function, BoundMethod):
        return run_ours(function.function, [function.owner, *args], kwargs)
    if isinstance(function, Cell):
        return _call_cell(frame, function, args, kwargs)
    if isinstance(function, MethodType):
        return call(frame, function.__func__, [function.__self__, *args], kwargs)
    if isinstance(function, FunctionType):
        if is_ours(function):
            return run_ours(function, args, kwargs)
        if is_foreign(function):
            raise _cannot_call(function)
        return inline(frame, function, args, kwargs)
    return _call_builtin(frame, function, args, kwargs)


def is_ours(function: Callable[..., Any]) -> bool:
    """Whether `function` is s2sad's own and runs on values as it stands; `nn` is read instead."""
    name = function.__module__ or ""
    return name.startswith("s2sad.") and not name.startswith("s2sad.nn")


def is_foreign(function: Callable[..., Any]) -> bool:
    """Whether `function` belongs to Python's library or NumPy, whose source is not read."""
    root = (function.__module__ or "").partition(".")[0]
    return root == "numpy" or (root in sys.stdlib_module_names and root != "__main__")


def _cannot_call(function: Any) -> Exception:
    name = getattr(function, "__qualname__", repr(function))
    return fail("E0104", f"calling {name} cannot be compiled yet")


def run_ours(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Run a function of s2sad on values; arguments that do not fit are the user's (E0302)."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        raise fail("E0302", f"{function.__name__}: {error}") from None
    return function(*args, **kwargs)


def _call_cell(frame: Frame, cell: Cell, args: list[Any], kwargs: dict[str, Any]) -> Any:
    construct = frame.attribute(cell, "construct", f"{type(cell).__name__}.construct")
    with frame.session.inside(cell):
        if not hasattr(type(cell), "bprop"):
            return inline(frame, construct.__func__, [cell, *args], kwargs)
        return _call_with_bprop(frame, cell, construct.__func__, args, kwargs)


def _call_with_bprop(
    frame: Frame, cell: Cell, construct: FunctionType, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """A Cell that says its own gradient; keyword arguments take their places first."""
    bprop = frame.attribute(cell, "bprop", f"{type(cell).__name__}.bprop")
    _, *given = bind_arguments(construct, [cell, *args], kwargs).values()
    return call_custom(
        frame, given, lambda values: inline(frame, construct, [cell, *values], {}),
        lambda values: inline(frame, bprop.__func__, [cell, *values], {}),
    )  # fmt: skip


def inline(frame: Frame, function: FunctionType, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Evaluate the body of a function of the user, in a frame of its own."""
    source = source_of(function)
    caller = locations.current.get() if frame.file else None
    depth = min(MAX_DEPTH, context.get_context("max_call_depth"))
    if caller is not None and sum(1 for _ in caller.chain()) > depth:
        raise fail("E0103", f"{function.__qualname__} is called more than {depth} deep")
    for defaults in ("__defaults__", "__kwdefaults__"):
        if getattr(function, defaults):
            frame.session.guards.attribute(function, defaults, f"{function.__name__}.{defaults}")
    names = bind_arguments(function, args, kwargs)
    return run_body(_frame_for(frame, source, names, caller), source.node)


def bind_arguments(
    function: FunctionType, args: list[Any], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Parameters of `function` by name, defaults filled in (E0302 when they do not fit)."""
    try:
        bound = inspect.signature(function, follow_wrapped=False).bind(*args, **kwargs)
    except TypeError as error:
        raise fail("E0302", f"{function.__qualname__}: {error}") from None
    bound.apply_defaults()
    return dict(bound.arguments)


def _frame_for(frame: Frame, source: Source, names: dict[str, Any], caller: Any) -> Frame:
    function: Any = source.function
    return Frame(
        frame.session, source.file, function.__globals__, source.closure, caller,
        local_names=names, assigned=frozenset(function.__code__.co_varnames),
    )  # fmt: skip


def run_body(frame: Frame, node: Any) -> Any:
    """What a function or a lambda returns in `frame`."""
    if isinstance(node, gast.Lambda):
        return evaluate(frame, node.body)
    leaving = execute(frame, node.body)
    return None if leaving is None else leaving.value


def _call_builtin(frame: Frame, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if function is super and not args:
        return _super(frame)
    if function is range and any(is_tensor(x) for x in args):
        return Range(*args)
    if function is isinstance:
        return _isinstance(*args)
    if function is len and is_tensor(args[0]):
        return args[0].shape[0]
    if function is abs and is_tensor(args[0]):
        return slots().tensor_methods["__abs__"](*args)
    if not _is_pure(function):
        raise _cannot_call(function)
    given = [*args, *kwargs.values()]
    if function not in CONTAINERS and any(_holds_tensor(x) for x in given):
        raise fail("E0104", f"calling {function.__name__} on a tensor cannot be compiled yet")
    return function(*args, **kwargs)


def _is_pure(function: Any) -> bool:
    try:
        if function in PURE:
            return True
    except TypeError:
        return False
    return isinstance(function, BuiltinFunctionType) and (
        function.__module__ in PURE_MODULES or _is_method_of_literal(function)
    )


def _is_method_of_literal(function: BuiltinFunctionType) -> bool:
    return isinstance(function.__self__, (str, bytes, tuple, int, float, dict, list)) and (
        function.__name__
        not in ("append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse",
                "update", "setdefault", "popitem")
    )  # fmt: skip


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(_holds_tensor(item) for item in value)
    return is_tensor(value)


def _isinstance(value: Any, kind: Any) -> bool:
    if isinstance(value, Value):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        return any(k is Tensor or k is object for k in kinds)
    return isinstance(value, kind)


def _super(frame: Frame) -> Any:
    if "__class__" not in frame.closure or not frame.local_names:
        raise fail("E0101", "super() works in a method only")
    owner = next(iter(frame.local_names.values()))
    return super(frame.closure["__class__"].cell_contents, owner)
