"""A small program, what it gives and its gradients, in both modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import s2sad as ms
from support.elementwise import wide
from support.forms import plain

MODES = (ms.GRAPH_MODE, ms.PYNATIVE_MODE)


def in_both_modes() -> Iterator[int]:
    """The modes, one after the other, each set."""
    for mode in MODES:
        ms.set_context(mode=mode)
        yield mode


def check_case(
    function: Callable[..., Any],
    args: Sequence[Any],
    value: Any = None,
    gradients: Sequence[Any] = (),
    second: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 1e-6,
) -> None:
    """``function(*args)`` gives `value` and `gradients`, one an argument, None for those not asked.

    `second` is the gradient of the sum of the first argument's. Gradients have the shape and dtype
    of their arguments. None for `value` or `second` asks nothing.
    """
    asked = tuple(i for i, gradient in enumerate(gradients) if gradient is not None)
    for _ in in_both_modes():
        if value is not None:
            require_near(function(*args), value, rtol, atol)
        if asked:
            found = ms.grad(function, asked)(*args)
            for place, gradient in zip(asked, found if len(asked) > 1 else (found,), strict=True):
                assert (gradient.shape, gradient.dtype) == (args[place].shape, args[place].dtype)
                require_near(gradient, gradients[place], rtol, atol)
        if second is not None:
            require_near(ms.grad(ms.grad(function))(*args), second, rtol, atol)


def require_near(found: Any, expected: Any, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    """`found`, a tensor or a tuple or list of those, has the shapes and values of `expected`."""
    if isinstance(found, (tuple, list)):
        assert len(found) == len(expected), (plain(found), expected)
        for one, wanted in zip(found, expected, strict=True):
            require_near(one, wanted, rtol, atol)
    else:
        assert found.shape == np.shape(expected), (found.shape, np.shape(expected))
        np.testing.assert_allclose(wide(found), expected, rtol=rtol, atol=atol)
