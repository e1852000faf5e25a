"""What are objects of the user's classes in compiled code: made, read, compared, called?

Objects that hold tensors are made by reading their class: what `__init__` assigns may be anything
that compiled code knows. Properties, operators and calls of such objects are read as functions are.
An object that compiled code has made may be changed where it was made, as lists may; others belong
to the user.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from enum import Enum
from types import FunctionType, MethodWrapperType
from typing import Any

from s2sad.core import location as locations
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.signatures import fitted
from s2sad.frontend.containers import made_here
from s2sad.frontend.frame import Frame
from s2sad.frontend.static import as_python
from s2sad.frontend.trees import leaves
from s2sad.ir import builder as builders
from s2sad.ir.graph import Value

#: ``call(frame, function, args, kwargs)``.
Call = Callable[[Frame, Any, list[Any], dict[str, Any]], Any]

REFLECTED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
NO_PARAMETER = "make it in __init__: self.w = Parameter(...)"


def defined(owner: Any, name: str) -> Any:
    """What the class of `owner` has under `name`; None where there is nothing."""
    for kind in type(owner).__mro__:
        if name in vars(kind):
            return vars(kind)[name]
    return None


def users_method(owner: Any, name: str) -> FunctionType | None:
    """The function `name` of the class of `owner`, where the user has written it."""
    if (type(owner).__module__ or "").partition(".")[0] in ("builtins", "numpy", "s2sad"):
        return None
    found = defined(owner, name)
    return found if isinstance(found, FunctionType) and is_users(found) else None


def is_users(function: FunctionType) -> bool:
    """Whether `function` was written by the user, and has a text."""
    file = function.__code__.co_filename
    is_other = (function.__module__ or "").partition(".")[0] in ("s2sad", "numpy")
    return not is_other and not file.startswith("<string>") and not locations.is_of_python(file)


def getter(owner: Any, name: str) -> FunctionType | None:
    """The function of the user's that reads the attribute `name` of `owner`, if there is one."""
    found = defined(owner, name)
    if isinstance(found, property):
        function = found.fget
    elif isinstance(found, functools.cached_property) and name not in vars(owner):
        function = found.func
    else:
        return None
    return function if isinstance(function, FunctionType) and is_users(function) else None


def operator_of(operands: tuple[Any, ...], name: str) -> tuple[FunctionType, list[Any]] | None:
    """The function of the user's that an operator means on `operands`, and its arguments."""
    method = users_method(operands[0], f"__{name}__")
    if method is not None:
        return method, list(operands)
    if len(operands) == 2:
        method = users_method(operands[1], f"__{REFLECTED.get(name, f'r{name}')}__")
        if method is not None:
            return method, [operands[1], operands[0]]
    return None


def makes(kind: Any) -> bool:
    """Whether calling `kind` makes an object that compiled code may have."""
    if not isinstance(kind, type) or issubclass(kind, BaseException):
        return False
    if is_named_tuple(kind) or issubclass(kind, (Cell, Enum)):
        return True
    return _is_plain(kind)


def is_named_tuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def _is_plain(kind: type) -> bool:
    """Whether the objects of `kind` are made as Python makes them, by the user's `__init__`."""
    root = (kind.__module__ or "").partition(".")[0]
    if root in ("builtins", "numpy", "s2sad") or kind.__new__ is not object.__new__:
        return False
    init = kind.__init__
    is_generated = dataclasses.is_dataclass(kind)
    return (
        init is object.__init__
        or is_generated
        or (isinstance(init, FunctionType) and is_users(init))
    )


def make(frame: Frame, kind: type, args: list[Any], kwargs: dict[str, Any], call: Call) -> Any:
    """``kind(*args, **kwargs)``.

    Raises
    ------
    S2sadError
        E0104 for a Cell with Parameters, or one that is made of tensors; E0302 for arguments that
        do not fit.
    """
    if is_named_tuple(kind) or issubclass(kind, Enum):
        return as_python(kind, *args, **kwargs)
    if issubclass(kind, Cell):
        return _make_cell(frame, kind, args, kwargs)
    made: Any = made_here(frame.session, as_python(kind.__new__, kind))
    init = kind.__init__
    if dataclasses.is_dataclass(kind) and not is_users(init):  # type: ignore[arg-type]
        _fill(frame, made, kind, args, kwargs, call)
    elif init is not object.__init__:
        call(frame, init, [made, *args], kwargs)
    elif args or kwargs:
        raise fail("E0302", f"{kind.__name__}() takes no arguments")
    return made


def _make_cell(frame: Frame, kind: type, args: list[Any], kwargs: dict[str, Any]) -> Cell:
    if any(isinstance(leaf, Value) for leaf in leaves([args, kwargs])):
        raise fail(
            "E0104", f"a {kind.__name__} that is made of tensors of the program cannot be compiled",
            help="make it in __init__, and give tensors where it is called",
        )  # fmt: skip
    frame.session.guards.is_complete = False
    with builders.aside():
        cell = as_python(kind, *args, **kwargs)
    if any(True for _ in cell.get_parameters()):
        raise fail(
            "E0104", f"a {kind.__name__} has Parameters, which compiled code would make anew at "
            "each call", help=f"make it in __init__: self.{kind.__name__.lower()} = ...",
        )  # fmt: skip
    return cell


def _fill(
    frame: Frame, made: Any, kind: Any, args: list[Any], kwargs: dict[str, Any], call: Call
) -> None:
    """What the `__init__` does that `dataclass` has written."""
    bound = fitted(kind.__name__, inspect.signature(kind), args, kwargs)
    given = dict(bound.arguments)
    for each in dataclasses.fields(kind):
        if each.name in given:
            value = given.pop(each.name)
        elif each.default is not dataclasses.MISSING:
            value = each.default
        elif each.default_factory is not dataclasses.MISSING:
            value = call(frame, each.default_factory, [], {})
        else:
            continue
        object.__setattr__(made, each.name, value)
    if given:
        raise fail(
            "E0104", f"{kind.__name__} has InitVar, which cannot be compiled",
            help="make it where the function is called",
        )  # fmt: skip
    after = getattr(kind, "__post_init__", None)
    if after is not None:
        call(frame, after, [made], {})


def is_empty_init(function: Any) -> bool:
    """Whether `function` is ``object.__init__`` of an object: ``super().__init__()`` may be."""
    return isinstance(function, MethodWrapperType) and function.__name__ == "__init__"


def refuse_parameter(kind: Any) -> None:
    """E0104 for a Parameter that compiled code would make."""
    if isinstance(kind, type) and issubclass(kind, Parameter):
        raise fail(
            "E0104", "a Parameter cannot be made in compiled code: it would be another one at each "
            "call", help=NO_PARAMETER,
        )  # fmt: skip
