"""Which marks of MindSpore change nothing here, and which version's names are these?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops.primitives.base import Primitive

#: The version of MindSpore whose API is followed: what programs compare with.
MINDSPORE = "2.10.0"

__all__ = ["cell_attr_register", "get_cache_prim", "jit_class", "lazy_inline", "no_inline"]


def jit_class(cls: Any) -> Any:
    """`cls` itself: objects of any class may be used in compiled code.

    Raises
    ------
    S2sadError
        E0303 for what is no class.

    Examples
    --------
    >>> @jit_class
    ... class Scale:
    ...     by = 2
    >>> Scale.by
    2
    """
    if not isinstance(cls, type):
        raise fail("E0303", f"jit_class decorates a class, got {cls!r}")
    return cls


def lazy_inline(fn: Callable | None = None, attrs: Any = None, policy: Any = None) -> Any:
    """`fn` itself, or a decorator that gives it: how code is inlined changes no result.

    Examples
    --------
    >>> @lazy_inline
    ... def start(self):
    ...     return 1
    >>> start(None)
    1
    """
    return _unchanged if fn is None else fn


def no_inline(fn: Callable | None = None) -> Any:
    """As `lazy_inline`.

    Examples
    --------
    >>> no_inline(abs)(-1)
    1
    """
    return _unchanged if fn is None else fn


def cell_attr_register(fn: Callable | None = None, attrs: Any = None) -> Any:
    """As `lazy_inline`, of the `__init__` of a Cell: its arguments are not needed to tell Cells.

    Examples
    --------
    >>> @cell_attr_register(attrs=["size"])
    ... def start(self, size):
    ...     return size
    >>> start(None, 3)
    3
    """
    return _unchanged if fn is None else fn


def get_cache_prim(cls: Any) -> Any:
    """The class of an operation itself: making an object of it costs little, so none is kept.

    E0303 for what is no class of `Primitive`.

    Examples
    --------
    >>> from s2sad import ops
    >>> get_cache_prim(ops.Softmax)(-1)
    Softmax(axis=-1)
    """
    if not isinstance(cls, type) or not issubclass(cls, Primitive):
        raise fail("E0303", f"_get_cache_prim takes the class of an operation, got {cls!r}")
    return cls


def _unchanged(fn: Callable) -> Callable:
    return fn
