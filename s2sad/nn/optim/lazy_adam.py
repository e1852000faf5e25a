"""What are the kinds of Adam that differ in how, not in what, they compute?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad.nn.optim.adam import Adam


class LazyAdam(Adam):
    """`Adam` that updates only the rows of a table that were looked up.

    Gradients are dense here, so that all rows have one, and each step is that of `Adam`. The
    Parameters, names of states and errors are those of `Adam`; powers of beta have the shape (1,).

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.LazyAdam([w], learning_rate=0.5)
    >>> optimizer((ms.Tensor([3.0]),))
    (True,)
    >>> w.asnumpy().round(4)
    array([0.5], dtype=float32)
    """

    POWERS = (1,)

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(
            params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay,
            loss_scale,
        )  # fmt: skip


class AdamOffload(LazyAdam):
    """`Adam` that keeps its state with the host; there is one place here, and each step is Adam's.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.AdamOffload([w], learning_rate=0.5)
    >>> optimizer((ms.Tensor([3.0]),))
    (True,)
    >>> w.asnumpy().round(4)
    array([0.5], dtype=float32)
    """
