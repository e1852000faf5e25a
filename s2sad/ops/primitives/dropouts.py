"""Which objects drop elements, or whole channels, at random?

`keep_prob` is the probability of being kept. All of them drop in training and in use alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.draws import drawn
from s2sad.ops.dropouts import dropout2d, dropout3d
from s2sad.ops.primitives.base import primitive
from s2sad.ops.promotion import as_dtype, require_floats
from s2sad.ops.settings import fraction, integer
from s2sad.prims.random import kept_scale


def _kept(name: str, given: Any) -> float:
    """A probability above 0."""
    if not fraction(name, given):
        raise fail("E0404", f"{name} is above 0 and at most 1, got {given}")
    return float(given)


@primitive(keep_prob=_kept, Seed0=integer, Seed1=integer)
def Dropout(x: Any, *, keep_prob: float = 0.5, Seed0: int = 0, Seed1: int = 0) -> tuple[Any, Any]:
    """`x` with elements set to 0, the others divided by `keep_prob`, and which ones are kept.

    The second is of the dtype of `x`: 1 for what is kept, else 0.

    Raises
    ------
    S2sadError
        E0301 unless `x` is of floats, E0303 or E0404 for a setting of another form or value.

    Examples
    --------
    >>> import s2sad as ms
    >>> [found.tolist() for found in Dropout(keep_prob=1.0)(ms.Tensor([1.0, 2.0]))]
    [[1.0, 2.0], [1.0, 1.0]]
    """
    x, rate = require_floats(x, "Dropout"), 1 - keep_prob
    seeds = [seed for seed in (Seed0, Seed1) if seed]

    def draw(state: Any) -> tuple[Any, Any]:
        y, mask, after = p.dropout(x, state, rate=rate)
        return (y, as_dtype(mask, x.dtype)), after

    return drawn(draw, *seeds)


@primitive(keep_prob=_kept)
def Dropout2D(x: Any, *, keep_prob: float = 0.5) -> tuple[Any, Any]:
    """`x`, of shape (N, C, H, W), with channels set to 0, and which elements are kept (bool).

    Examples
    --------
    >>> import s2sad as ms
    >>> [found.shape for found in Dropout2D()(ms.ops.ones((1, 2, 3, 4)))]
    [(1, 2, 3, 4), (1, 2, 3, 4)]
    """
    return _channels("Dropout2D", x, keep_prob, dropout2d)


@primitive(keep_prob=_kept)
def Dropout3D(x: Any, *, keep_prob: float = 0.5) -> tuple[Any, Any]:
    """`Dropout2D` for an `x` of shape (N, C, D, H, W).

    Examples
    --------
    >>> import s2sad as ms
    >>> Dropout3D(keep_prob=1.0)(ms.ops.ones((1, 1, 1, 1, 2)))[1].tolist()
    [[[[[True, True]]]]]
    """
    return _channels("Dropout3D", x, keep_prob, dropout3d)


def _channels(what: str, x: Any, keep_prob: float, drop: Callable[..., Any]) -> tuple[Any, Any]:
    x = require_floats(x, what)
    kept = p.greater(drop(p.ones_like(x), 1 - keep_prob), 0)
    return p.where(kept, p.mul(x, kept_scale(1 - keep_prob)), 0), kept
