"""What is said of a call by a user: do its arguments fit, and may the shapes meet that it names?

The functions that `s2sad.ops` offers, methods of Tensor and objects of `ops` go through `called`.
Those that s2sad calls itself do not, so that no rule for the user's text is applied to ours.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from s2sad.core import location
from s2sad.core.diagnostics import fail
from s2sad.core.signatures import fitted
from s2sad.core.strictness import ASKED, is_strict
from s2sad.ops.promotion import is_tensor, type_of

#: What combines elements of two tensors, by name and by operator.
ARITHMETIC = frozenset(
    """
    add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor
    copysign div divide eq equal floor_div floor_divide floor_mod fmax fmin fmod gcd ge greater
    greater_equal gt heaviside hypot lcm ldexp le less less_equal logaddexp logaddexp2 logical_and
    logical_or logical_xor lt maximum minimum mod mul multiply ne not_equal pow remainder sub
    subtract true_divide xlogy
    __add__ __and__ __eq__ __floordiv__ __ge__ __gt__ __le__ __lshift__ __lt__ __mod__ __mul__
    __ne__ __or__ __pow__ __rshift__ __sub__ __truediv__ __xor__
    """.split()
)
#: Modules that pass a call of the user's on.
PASSING = (__name__, "s2sad.core.operators", "s2sad.core.in_place", "s2sad.ops.primitives.base")


def called(function: Callable[..., Any], name: str | None = None) -> Callable[..., Any]:
    """`function` as users call it, by `name`.

    Raises
    ------
    S2sadError
        In a call E0302 where the arguments do not fit; E0401 where tensors of different rank meet
        in arithmetic, and `strict_broadcast` says that they may not.

    Examples
    --------
    >>> import s2sad as ms
    >>> called(lambda x: x, "identity")(1, 2)
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadTypeError: [E0302] identity: too many positional arguments
    ...
    """
    name = name or function.__name__
    is_arithmetic = name in ARITHMETIC or name.rstrip("_") in ARITHMETIC

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if is_arithmetic and ASKED and is_strict():
            _require_one_rank(name, (*args, *kwargs.values()))
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            trace = error.__traceback__
            if trace is not None and trace.tb_next is None:  # of the call, not of what it does
                fitted(name, inspect.signature(function), args, kwargs)
            raise

    return call


def faced(names: dict[str, Any], offered: list[str], module: str) -> dict[str, Any]:
    """The functions of our own among `offered` in a namespace, as users call them.

    What is read as the user's own text, or known by its identity, stays as it is.
    """
    found = {}
    for name in offered:
        thing = names.get(name)
        home = getattr(thing, "__module__", None) or ""
        if isinstance(thing, FunctionType) and home.startswith("s2sad.ops."):
            if not home.startswith(AS_THEY_ARE):
                found[name] = called(thing, name)
                found[name].__module__ = module  # where it is found by its name
                found[name].__qualname__ = name
    return found


#: Modules whose functions the frontend reads, or looks for.
AS_THEY_ARE = ("s2sad.ops.composite", "s2sad.ops.gradient", "s2sad.ops.hooks", "s2sad.ops.matching")


def _require_one_rank(name: str, given: tuple[Any, ...]) -> None:
    tensors = [x for x in given if is_tensor(x) and x.ndim]
    ranks = {x.ndim for x in tensors}
    if len(ranks) < 2 or not _is_of_user():
        return
    shapes = " and ".join(str(type_of(x)) for x in tensors)
    short = min(tensors, key=lambda x: x.ndim)
    count = max(ranks) - short.ndim
    ones = (1,) * count + tuple(short.shape)
    raise fail(
        "E0401", f"{name.strip('_')} of {shapes}: strict_broadcast lets no rank grow by itself",
        help=f"write the axes out: x.reshape({ones}) of the shorter one puts them in front",
    )  # fmt: skip


def _is_of_user() -> bool:
    """Whether the call stands in the user's text, and not in s2sad's own."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") in PASSING:
        frame = frame.f_back  # type: ignore[assignment]
    name = "" if frame is None else frame.f_globals.get("__name__", "")
    if name.startswith("s2sad.frontend."):  # which reads some text
        place = location.current.get()
        return place is not None and not place.is_own
    return not name.startswith("s2sad.")
