"""What is a function that says its own gradient? Data: the function and its two rules."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.core.transform import checked_positions


class CustomVjp:
    """A function with a gradient of its own; see `custom_vjp`.

    Attributes
    ----------
    name : str
    function : callable
    nondiff_argnums : tuple of int
    rules : (callable, callable) or None
        ``fwd`` and ``bwd``.
    """

    def __init__(self, function: Callable[..., Any], nondiff_argnums: tuple[int, ...]) -> None:
        functools.update_wrapper(self, function)
        self.__signature__ = inspect.signature(function)
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self.function = function
        self.nondiff_argnums = nondiff_argnums
        self.rules: tuple[Callable[..., Any], Callable[..., Any]] | None = None

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Say the gradient by two functions.

        Parameters
        ----------
        fwd : callable
            Takes what the function takes; gives the pair of its output and of residuals, which may
            be anything: tensors, containers of them, numbers, None.
        bwd : callable
            Takes the arguments at `nondiff_argnums`, the residuals, and the cotangent of the
            output, which has the output's form; gives a tuple with a gradient for each other
            argument: of its form, dtype and shape, or None for zero.

        Raises
        ------
        S2sadError
            E0304 for what is no function.
        """
        for rule in (fwd, bwd):
            if not callable(rule):
                raise fail("E0304", f"defvjp takes two functions, got {shown(rule)}")
        self.rules = fwd, bwd

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method: the instance is the first argument, and belongs to `nondiff_argnums`."""
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<custom_vjp {self.name}>"


def custom_vjp(fun: Any = None, nondiff_argnums: int | Sequence[int] = ()) -> Any:
    """A function whose gradient you write yourself; decorate with it or call it.

    Parameters
    ----------
    fun : callable
        Computes the output. Left out, a decorator is returned.
    nondiff_argnums : int or sequence of int
        Positions of arguments without a gradient: functions, numbers, flags, also Tensors. The
        backward rule takes them first.

    Returns
    -------
    CustomVjp
        Called as `fun` is; `CustomVjp.defvjp` says the gradient.

    Raises
    ------
    S2sadError
        E0304 for what cannot be called, E0303 and E0404 for positions that are none. Where a
        derivative is taken: E0308 without rules; E0302 when `fwd` gives no pair, or `bwd` another
        number of gradients; E0301 and E0401 for a gradient of another dtype or shape.

    Notes
    -----
    `fun` runs where no derivative is taken, `fwd` where one is. A second derivative is that of
    `fwd` and `bwd`, which may call the function again. What they read besides their arguments has
    no gradient. Forward mode (`jvp`) transposes `bwd`, which is linear in the cotangent.

    Examples
    --------
    >>> import s2sad as ms
    >>> from s2sad import ops
    >>> @ms.custom_vjp
    ... def clipped(x):
    ...     return ops.exp(x)
    >>> def forward(x):
    ...     y = ops.exp(x)
    ...     return y, y
    >>> def backward(y, dy):
    ...     return (ops.minimum(y, 10.0) * dy,)
    >>> clipped.defvjp(forward, backward)
    >>> ms.grad(clipped)(ms.Tensor([0.0, 100.0])).asnumpy()
    array([ 1., 10.], dtype=float32)
    """
    positions = _fixed(nondiff_argnums)
    if fun is None:
        return lambda function: custom_vjp(function, positions)
    if not callable(fun):
        raise fail("E0304", f"custom_vjp takes a function, got {shown(fun)}")
    return CustomVjp(fun, positions)


def _fixed(given: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(given, (tuple, list)) and not given:
        return ()
    found = checked_positions(given)
    if not isinstance(found, (int, tuple)):
        raise fail("E0303", f"nondiff_argnums are ints, got {given!r}")
    return found if isinstance(found, tuple) else (found,)
