"""What is left of a tensor when elements, or whole channels, are dropped at random?"""

from __future__ import annotations

from typing import Any

from s2sad import prims
from s2sad.core.diagnostics import fail
from s2sad.core.generator import Generator
from s2sad.ops.draws import drawn
from s2sad.ops.promotion import require_floats
from s2sad.ops.settings import flag, fraction
from s2sad.prims.random import kept_scale


def dropout(
    input: Any,
    p: float = 0.5,
    training: bool = True,
    seed: int | None = None,
    *,
    generator: Generator | None = None,
) -> Any:
    """`input` with a random part of its elements set to 0, the others scaled: the mean stays.

    Parameters
    ----------
    input : Tensor of floats
    p : float
        Probability of being set to 0, from 0 to 1.
    training : bool
        Where it is False, or `p` is 0, `input` is given as it is and nothing is drawn.
    seed : int, optional
    generator : Generator, optional

    Raises
    ------
    S2sadError
        E0301 for a Tensor that is not of floats, E0303 or E0404 for a `p` that cannot be, E0304 for
        what is no Tensor.

    Notes
    -----
    The gradient is that of the elements that were kept, with the very choice of the forward pass.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.set_seed(0)
    >>> dropout(ms.Tensor([1.0, 1.0, 1.0, 1.0])).asnumpy()
    array([0., 2., 2., 2.], dtype=float32)
    """
    x, rate = require_floats(input, "dropout"), fraction("p", p)
    if not _is_active(training, rate):
        return x

    def draw(state: Any) -> tuple[Any, Any]:
        y, _, after = prims.dropout(x, state, rate=rate)
        return y, after

    return drawn(draw, seed, generator=generator)


def _is_active(training: Any, rate: float) -> bool:
    return flag("training", training) and rate > 0


def dropout1d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """`input` with random channels of it set to 0, the others scaled.

    Parameters
    ----------
    input : Tensor of floats, shape (N, C, L) or (C, L)
    p, training
        As of `dropout`.

    Raises
    ------
    S2sadError
        Those of `dropout`; E0401 for another number of axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.set_seed(0)
    >>> dropout1d(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()
    array([[0., 0.], [6., 8.]], dtype=float32)
    """
    return _channels(input, p, training, 1)


def dropout2d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """`dropout1d` for an `input` of shape (N, C, H, W) or (C, H, W).

    Arguments and errors are those of `dropout1d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> dropout2d(ms.ops.ones((1, 2, 3, 4)), training=False).shape
    (1, 2, 3, 4)
    """
    return _channels(input, p, training, 2)


def dropout3d(input: Any, p: float = 0.5, training: bool = True) -> Any:
    """`dropout1d` for an `input` of shape (N, C, D, H, W) or (C, D, H, W).

    Arguments and errors are those of `dropout1d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> dropout3d(ms.ops.ones((1, 2, 3, 4)), 0.0).shape
    (1, 2, 3, 4)
    """
    return _channels(input, p, training, 3)


def _channels(input: Any, p: float, training: bool, inner: int) -> Any:
    """Dropout of whole channels, which have `inner` axes."""
    name = f"dropout{inner}d"
    x, rate = require_floats(input, name), fraction("p", p)
    if x.ndim not in (inner + 1, inner + 2):
        raise fail("E0401", f"{name} takes {inner + 1} or {inner + 2} axes, got {x.shape}")
    if not _is_active(training, rate):
        return x
    shape = (*x.shape[:-inner], *(1,) * inner)
    wide = x.dtype.compute
    numbers = drawn(lambda state: prims.random_uniform(state, shape=shape, dtype=wide))
    kept = prims.greater_equal(numbers, rate)
    return prims.where(kept, prims.mul(x, kept_scale(rate)), 0)
