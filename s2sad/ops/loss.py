"""Losses."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail


def cross_entropy(input: Any, target: Any, *, reduction: str = "mean") -> Any:  # noqa: A002
    """Cross entropy of logits with class indices.

    Parameters
    ----------
    input : Tensor, float, shape (batch, classes)
        Logits.
    target : Tensor, integer, shape (batch,)
    reduction : str
        ``"mean"``, ``"sum"`` or ``"none"``.

    Raises
    ------
    S2sadError
        E0404 for another reduction.

    Examples
    --------
    >>> import s2sad as ms
    >>> cross_entropy(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1])).asnumpy()
    array(0.6931472, dtype=float32)
    """
    losses = p.sparse_cross_entropy(input, target)[0]
    if reduction == "none":
        return losses
    if reduction not in ("mean", "sum"):
        raise fail("E0404", f"reduction is 'mean', 'sum' or 'none', got {reduction!r}")
    reduce = p.mean if reduction == "mean" else p.reduce_sum
    return reduce(losses, axis=None, keepdims=False)
