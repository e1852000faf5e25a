"""Optimizers: Cells that take gradients and write parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Parameter, ParameterTuple, Tensor


class SGD(Cell):
    """Stochastic gradient descent, with momentum, weight decay and Nesterov's step.

    ``g = gradient + weight_decay * w``; the first step sets ``v = g``, later ones
    ``v = momentum * v + (1 - dampening) * g``; then ``w -= learning_rate * v``, with Nesterov
    ``w -= learning_rate * (g + momentum * v)``. Without momentum ``w -= learning_rate * g``.
    Source: Sutskever et al., On the importance of initialization and momentum, 2013.

    Parameters
    ----------
    params : iterable of Parameter
    learning_rate : float
    momentum, dampening, weight_decay : float
    nesterov : bool

    Raises
    ------
    S2sadError
        E0404 for a negative setting, or Nesterov without momentum.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> ms.nn.SGD([w], learning_rate=0.5)((ms.Tensor([1.0]),))
    >>> w.asnumpy()
    array([0.5], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Parameter],
        learning_rate: float = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        if min(learning_rate, momentum, dampening, weight_decay) < 0:
            raise fail("E0404", "SGD takes no negative settings")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise fail("E0404", "Nesterov's step needs momentum and no dampening")
        self.parameters = ParameterTuple(params)
        self.learning_rate = Parameter(Tensor(learning_rate), "learning_rate", requires_grad=False)
        self.momentum, self.dampening = float(momentum), float(dampening)
        self.weight_decay, self.nesterov = float(weight_decay), nesterov
        self.accum = self.parameters.clone("accum", init="zeros") if momentum else ()
        self.started = Parameter(Tensor(0.0), "started", requires_grad=False)

    def construct(self, gradients: Any) -> None:
        for index, parameter in enumerate(self.parameters):
            gradient = gradients[index]
            if self.weight_decay:
                gradient = gradient + parameter * self.weight_decay
            step = gradient
            if self.momentum:
                old = self.accum[index]
                velocity = ops.where(
                    self.started > 0, old * self.momentum + gradient * (1 - self.dampening), gradient
                )
                ops.assign(old, velocity)
                step = gradient + velocity * self.momentum if self.nesterov else velocity
            ops.assign(parameter, parameter - step * ops.cast(self.learning_rate, parameter.dtype))
        ops.assign(self.started, self.started * 0.0 + 1.0)
