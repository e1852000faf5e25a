"""How does Adadelta step? By the gradient, rescaled by how far steps and gradients went so far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.nn.optim.rules import adadelta_step
from s2sad.ops.settings import fraction, not_negative


class Adadelta(Optimizer):
    """Steps by the gradient times the ratio of the running means of steps and of gradients.

    ``a = rho * a + (1 - rho) * g**2``, ``u = sqrt(d + epsilon) / sqrt(a + epsilon) * g``,
    ``d = rho * d + (1 - rho) * u**2`` and ``w -= learning_rate * u``, with a and d from 0 on. Here
    ``g`` is the gradient, prepared by `Optimizer`. Source: M. Zeiler, ADADELTA: an adaptive
    learning rate method, 2012, algorithm 1.

    Parameters
    ----------
    params, learning_rate, weight_decay, loss_scale
        As of `Optimizer`.
    rho : float
        From 0 to 1.
    epsilon : float
        Not negative.

    Attributes
    ----------
    accum, accum_update : ParameterTuple
        a and d, called ``accum.`` and ``accum_update.`` and the Parameter's name.

    Raises
    ------
    S2sadError
        Those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.Adadelta([w], rho=0.0, epsilon=1.0)
    >>> optimizer((ms.Tensor([0.75]),))
    (True,)
    >>> w.asnumpy().round(4)
    array([0.4], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = fraction("rho", rho)
        self.epsilon = not_negative("epsilon", epsilon)
        self.accum = self.state_like_parameters("accum")
        self.accum_update = self.state_like_parameters("accum_update")

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        step = adadelta_step(
            self.wide(gradient), self.accum[index], self.accum_update[index], self.rho, self.epsilon
        )
        ops.assign(parameter, self.wide(parameter) - rate * step)
