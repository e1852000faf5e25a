"""When is a function, or a class, of one process that of another?

When Python has made the same code of it, at the same place of the same file. Code has what the
source has, but for comments and what can never be reached.
"""

from __future__ import annotations

import functools
from types import CodeType, FunctionType
from typing import Any

from s2sad.core import location
from s2sad.core.cache import digest
from s2sad.frontend.source import PLAIN_LOADERS, short_name

#: Methods that Python calls when an object is made or an attribute is read. Guards know what was
#: read, so these are no matter. All others of this form may be called by an operator on a static
#: object, and nothing tells what they looked at.
HARMLESS = frozenset({
    "__init__", "__new__", "__post_init__", "__init_subclass__", "__class_getitem__", "__del__",
    "__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__call__", "__enter__",
    "__exit__", "__replace__", "__set_name__", "__get__", "__deepcopy__", "__copy__", "__dir__",
    "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__",
    "__annotate__", "__annotate_func__",
})  # fmt: skip


def code_digest(code: CodeType) -> str:
    """Digest of all that running `code`, or reading its source, depends on."""
    facts = (
        short_name(code.co_filename), code.co_firstlineno, code.co_name, code.co_argcount,
        code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags, code.co_names,
        code.co_varnames, code.co_freevars, code.co_cellvars,
    )  # fmt: skip
    constants = ",".join(map(_constant, code.co_consts))
    tables = code.co_linetable, getattr(code, "co_exceptiontable", b"")
    return digest(repr(facts), constants, code.co_code, *tables)


def _constant(value: Any) -> str:
    if isinstance(value, CodeType):
        return code_digest(value)
    if isinstance(value, tuple):
        return f"({','.join(map(_constant, value))})"
    if isinstance(value, frozenset):  # in an order of its own in each process
        return f"{{{','.join(sorted(map(_constant, value)))}}}"
    return f"{type(value).__name__} {value!r}"


def is_own(code: CodeType) -> bool:
    """Whether `code` stands in a file of s2sad, which has a digest as a whole."""
    return code.co_filename.startswith(location.PACKAGE)


def is_own_class(kind: type) -> bool:
    """Whether the class `kind` is s2sad's."""
    return kind.__module__.partition(".")[0] == "s2sad"


def is_as_written(function: FunctionType) -> bool:
    """Whether Python has made `function` from the text of its file, and nothing came between.

    An import hook, such as that of pytest, may change the code; then the text is not all.
    """
    loader = getattr(function.__globals__.get("__spec__"), "loader", None)
    return loader is None or type(loader) in PLAIN_LOADERS


def class_text(kind: type) -> str:
    """What the class `kind`, which is no class of s2sad, is: its bases, and its members' code."""
    bases = [f"{base.__module__}.{base.__qualname__}" for base in kind.__mro__]
    return f"{bases} {[_members(base) for base in kind.__mro__ if _is_of_user(base)]}"


def _members(kind: type) -> str:
    """Names of all members with the code of each; of what makes an object, only what it has made.

    That is in the object.
    """
    return ", ".join(
        f"{name}: {' '.join(code_digest(f.__code__) for f in _functions(value))}"
        for name, value in vars(kind).items()
        if name not in HARMLESS and (_functions(value) or not name.startswith("__"))
    )


def _functions(member: Any) -> list[FunctionType]:
    """The functions that make up a member of a class."""
    if isinstance(member, FunctionType):
        return [member]
    if isinstance(member, property):
        parts: tuple[Any, ...] = (member.fget, member.fset, member.fdel)
    elif isinstance(member, (staticmethod, classmethod)):
        parts = (member.__func__,)
    elif isinstance(member, functools.cached_property):
        parts = (member.func,)
    else:
        parts = ()
    return [part for part in parts if isinstance(part, FunctionType)]


def _is_of_user(kind: type) -> bool:
    """Whether the methods of `kind` are neither s2sad's nor of Python's own library."""
    return not is_own_class(kind) and any(
        not location.is_of_python(function.__code__.co_filename)
        for member in vars(kind).values()
        for function in _functions(member)
    )


def operators_of(kind: type) -> list[str]:
    """Methods of `kind` that somebody wrote and Python calls where no guard sees it: ``__eq__``.

    Those of s2sad and of Python's own library read nothing but the object; so do those that a
    dataclass is given.
    """
    return [
        name
        for base in kind.__mro__
        if not is_own_class(base)
        for name, member in vars(base).items()
        if name.startswith("__") and name not in HARMLESS
        for function in _functions(member)
        if not (_is_given(base, function) or location.is_of_python(function.__code__.co_filename))
    ]


def has_operators(kind: type) -> bool:
    """Whether Python may look into an object of `kind` where no guard sees it."""
    return any(
        name.startswith("__") and name not in HARMLESS and _functions(member)
        for base in kind.__mro__
        for name, member in vars(base).items()
    )


def _is_given(kind: type, function: FunctionType) -> bool:
    """Whether `function` is one that ``dataclass`` has written for `kind`."""
    return "__dataclass_fields__" in vars(kind) and function.__code__.co_filename == "<string>"
