"""What is computed while compiling, and what computes nothing?"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.ir import builder
from s2sad.ir.graph import Value
from s2sad.ops.promotion import constant, holds, require_tensor
from s2sad.ops.settings import flag


def identity(x: Any) -> Any:
    """`x` itself.

    Examples
    --------
    >>> identity(3)
    3
    """
    return x


def is_floating_point(input: Any) -> bool:
    """Whether `input` holds floats, which is known while compiling.

    E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> is_floating_point(ms.Tensor([1.0])), is_floating_point(ms.Tensor([1]))
    (True, False)
    """
    return require_tensor(input, "is_floating_point").dtype.is_float


def is_complex(input: Any) -> bool:
    """Whether `input` holds complex numbers: False for every Tensor, no dtype has such.

    E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> is_complex(ms.Tensor([1.0]))
    False
    """
    require_tensor(input, "is_complex")
    return False


def is_signed(input: Any) -> bool:
    """Whether the dtype of `input` has negative numbers, which is known while compiling.

    E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> is_signed(ms.Tensor([1])), is_signed(ms.Tensor([1], ms.uint8)), is_signed(ms.Tensor(True))
    (True, False, False)
    """
    dtype = require_tensor(input, "is_signed").dtype
    return dtype.is_float or (dtype.is_integer and holds(dtype, -1))


class Constexpr:
    """A function that compiled code calls as it stands; `constexpr` makes it."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        update_wrapper(self, function)
        self.function, self.name = function, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        if any(isinstance(x, Value) for x in given):
            raise fail(
                "E0304", f"{self.name} is a constexpr, which takes no data of tensors",
                help="give it a number, or the shape; or leave the decorator away",
            )  # fmt: skip
        if not builder.is_building(()):
            return self.function(*args, **kwargs)
        with builder.aside():
            result = self.function(*args, **kwargs)
        return _known(result)


def _known(result: Any) -> Any:
    """`result` with constants of the program that is being built in place of its tensors."""
    if isinstance(result, Tensor):
        return constant(result, result.dtype)
    if isinstance(result, (tuple, list)):
        return type(result)([_known(item) for item in result])
    return result


def constexpr(
    fn: Callable[..., Any] | None = None,
    get_instance: bool = True,
    name: str | None = None,
    reuse_result: bool = True,
    check: bool = True,
) -> Any:
    """Decorator of a function that is computed while compiling, whatever Python it is made of.

    What it gives is a constant of the program. It must depend on its arguments alone.

    Parameters
    ----------
    fn : function, optional
        Without it, ``constexpr(name="shape")`` gives the decorator.
    get_instance : bool
        False is refused (E0310).
    name : str, optional
        For messages; by default that of `fn`.
    reuse_result, check : bool
        Taken and not needed: a program is compiled once for the same arguments.

    Raises
    ------
    S2sadError
        E0303 for a setting of another form, E0304 where `fn` is no function; in a call E0304 for an
        argument that is tensor data.

    Examples
    --------
    >>> import numpy as np, s2sad as ms
    >>> @constexpr
    ... def triangle(n):
    ...     return ms.Tensor(np.tril(np.ones((n, n), np.float32)))
    >>> triangle(2).asnumpy()
    array([[1., 0.],
           [1., 1.]], dtype=float32)
    """
    for setting, given in (("reuse_result", reuse_result), ("check", check)):
        flag(setting, given)
    if not flag("get_instance", get_instance):
        raise fail("E0310", "get_instance=False of constexpr is not supported", help="leave it out")
    if fn is None:
        return lambda function: constexpr(function, name=name)
    if not callable(fn):
        raise fail("E0304", f"constexpr decorates a function, got a {type(fn).__name__}")
    return Constexpr(fn, name or getattr(fn, "__name__", type(fn).__name__))
