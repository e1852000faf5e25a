"""How does LAMB step? As AdamW, but as far as the Parameters are long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad import prims as p
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.nn.optim.adam import as_beta
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.settings import positive
from s2sad.ops.state import check_gradients


class Lamb(Optimizer):
    """Layer-wise adaptive moments, for large batches.

    ``m`` and ``v`` are those of `Adam`; with ``r = m / (1 - beta1**t) / (sqrt(v / (1 - beta2**t))
    + eps) + weight_decay * w``, ``w -= learning_rate * norm(w) / norm(r) * r``, where both lengths
    are above 0, else ``w -= learning_rate * r``. Source: Y. You et al., Large batch optimization
    for deep learning: training BERT in 76 minutes, 2020, algorithm 2.

    Parameters
    ----------
    params, learning_rate, weight_decay
        As of `Optimizer`, but for a decay that is a Cell.
    beta1, beta2 : float
        At least 0 and below 1.
    eps : float
        Positive.

    Attributes
    ----------
    moments1, moments2 : ParameterTuple
        m and v, called ``lamb_m.`` and ``lamb_v.`` and the Parameter's name.

    Raises
    ------
    S2sadError
        E0303 for a decay that is a Cell; those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([2.0]), name="w")
    >>> optimizer = ms.nn.Lamb([w], learning_rate=0.25)
    >>> optimizer((ms.Tensor([3.0]),))
    (True,)
    >>> w.asnumpy()
    array([1.5], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for decay in (self.weight_decay, *self.group_decays):
            if isinstance(decay, Cell):
                raise fail("E0303", f"weight_decay is a number here, got {decay!r}")
        self.beta1, self.beta2 = as_beta("beta1", beta1), as_beta("beta2", beta2)
        self.eps = positive("eps", eps)
        self.moments1 = self.state_like_parameters("lamb_m")
        self.moments2 = self.state_like_parameters("lamb_v")

    def prepared(self, gradients: Any) -> Any:
        check_gradients(gradients, self.parameters)
        return self.gradients_centralization(gradients)

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        mean, square = self.moments1[index], self.moments2[index]
        step = self.steps_made(parameter)
        updated, first, second = p.lamb_update(
            parameter, mean, square, gradient, rate, ops.pow(self.beta1, step),
            ops.pow(self.beta2, step), beta1=self.beta1, beta2=self.beta2, eps=self.eps,
            weight_decay=self.decay_of(index),
        )  # fmt: skip
        ops.assign(mean, first)
        ops.assign(square, second)
        ops.assign(parameter, updated)
