"""How does AdaMax step? As Adam, with the largest gradient in place of the mean square."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad.nn.optim.adam import as_beta
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.settings import positive


class AdaMax(Optimizer):
    """Steps by the mean gradient over the largest one, which fades.

    ``m = beta1 * m + (1 - beta1) * g``, ``u = max(beta2 * u, abs(g))``, and in step t, the first
    being 1, ``w -= learning_rate / (1 - beta1**t) * m / (u + eps)``. Here ``g`` is the gradient,
    prepared by `Optimizer`. Source: Kingma and Ba, Adam: a method for stochastic optimization,
    2015, algorithm 2.

    Parameters
    ----------
    params, learning_rate, weight_decay, loss_scale
        As of `Optimizer`.
    beta1, beta2 : float
        At least 0 and below 1.
    eps : float
        Positive.

    Attributes
    ----------
    beta1_power : Parameter, shape (1,)
        ``beta1**t`` after t steps; float64 where a Parameter is, else float32.
    moment1, moment2 : ParameterTuple
        m and u, called ``moment1.`` and ``moment2.`` and the Parameter's name.

    Raises
    ------
    S2sadError
        Those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.AdaMax([w], learning_rate=0.5)
    >>> optimizer((ms.Tensor([3.0]),))
    (True,)
    >>> w.asnumpy().round(4)
    array([0.5], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2 = as_beta("beta1", beta1), as_beta("beta2", beta2)
        self.eps = positive("eps", eps)
        self.beta1_power = self.number_state("beta1_power", 1.0, (1,))
        self.moment1 = self.state_like_parameters("moment1")
        self.moment2 = self.state_like_parameters("moment2")

    def count_step(self) -> None:
        super().count_step()
        ops.assign(self.beta1_power, ops.mul(self.beta1_power, self.beta1))

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        g = self.wide(gradient)
        mean, largest = self.moment1[index], self.moment2[index]
        first = mean * self.beta1 + g * (1 - self.beta1)
        most = ops.maximum(largest * self.beta2, ops.abs(g))
        size = rate / (1 - self.scalar(self.beta1_power, parameter))
        ops.assign(mean, first)
        ops.assign(largest, most)
        ops.assign(parameter, self.wide(parameter) - size * first / (most + self.eps))
