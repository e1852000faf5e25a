"""What is a function that is computed again for its gradient? Data: the function, and a budget."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import MethodType
from typing import Any

from s2sad.core.cache import parse_bytes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown


class Checkpoint:
    """A function whose gradient keeps little; see `checkpoint`.

    Attributes
    ----------
    name : str
    function : callable
    memory : int or None
        Bytes that may be kept.
    """

    def __init__(self, function: Callable[..., Any], memory: int | None) -> None:
        functools.update_wrapper(self, function)
        self.__signature__ = inspect.signature(function)
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self.function = function
        self.memory = memory

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<checkpoint {self.name}>"


def checkpoint(fn: Any = None, *, memory: int | str | None = None) -> Any:
    """A function that keeps little for its gradient, and computes the rest again when it is needed.

    Values are the same with it and without, to the last bit, and so are gradients. Where several
    calls that are computed again as a whole add to one gradient, its sum may round otherwise.

    Parameters
    ----------
    fn : callable or Cell
        A function, a method, or a Cell. Left out, a decorator is returned.
    memory : int or str, optional
        Bytes, also as a text: ``"16MB"``, ``"1.5GiB"``. Without it nothing is kept but the
        arguments, and `fn` is computed once more. With it the loops of `fn` keep about that much
        in all: half of it for states, of which a loop keeps one every so many passes, half for
        what the passes from one state to the next leave, which are computed again together.

    Returns
    -------
    callable or Cell
        Called as `fn` is. A Cell is given back itself, marked.

    Raises
    ------
    S2sadError
        E0304 for what cannot be called, or a class; E0303 and E0404 for what is no number of bytes.
        Where a gradient is taken: E0404 for a loop of which a single pass needs more memory, E0104
        for one that prints, or whose tensors have no known sizes.

    Notes
    -----
    A loop without a known end holds a state for each segment. So the budget holds up to as many
    passes as there fit in one half of it, times the states that fit in the other; beyond that,
    memory grows by a state a segment.

    Examples
    --------
    >>> import s2sad as ms
    >>> from s2sad import ops
    >>> @ms.checkpoint(memory="16MB")
    ... def powers(x):
    ...     y = x
    ...     for _ in range(1000):
    ...         y = ops.sin(y) * x
    ...     return y
    >>> ms.grad(powers)(ms.Tensor([0.0, 1.0])).asnumpy().shape
    (2,)
    >>> layer = ms.checkpoint(ms.nn.Dense(3, 2))
    """
    budget = parse_bytes("memory", memory)
    if fn is None:
        return lambda function: checkpoint(function, memory=budget)
    if isinstance(fn, Cell):
        fn.mark_checkpoint(budget)
        return fn
    if not callable(fn) or isinstance(fn, type):
        help = "checkpoint its instances" if isinstance(fn, type) else None  # noqa: A001
        raise fail("E0304", f"checkpoint takes a function or a Cell, got {shown(fn)}", help=help)
    return Checkpoint(fn, budget)
