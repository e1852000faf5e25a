"""How does stochastic gradient descent step, with and without momentum?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.settings import flag, not_negative


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum, weight decay and Nesterov's step.

    The first step sets ``v = g``, later ones ``v = momentum * v + (1 - dampening) * g``; then
    ``w -= learning_rate * v``, with Nesterov ``w -= learning_rate * (g + momentum * v)``. Without
    momentum ``w -= learning_rate * g``. Here ``g`` is the gradient, prepared by `Optimizer`.
    Source: Sutskever et al., On the importance of initialization and momentum, 2013.

    Parameters
    ----------
    params, learning_rate, weight_decay, loss_scale
        As of `Optimizer`.
    momentum, dampening : float
    nesterov : bool

    Attributes
    ----------
    accum : ParameterTuple
        The velocities, called ``accum.`` and the Parameter's name; empty without momentum.

    Raises
    ------
    S2sadError
        E0404 for Nesterov without momentum, or with dampening; those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.SGD([w], learning_rate=0.5)
    >>> optimizer((ms.Tensor([1.0]),))
    (True,)
    >>> w.asnumpy()
    array([0.5], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: Any = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.momentum = not_negative("momentum", momentum)
        self.dampening = not_negative("dampening", dampening)
        self.nesterov = flag("nesterov", nesterov)
        if nesterov and (not self.momentum or self.dampening):
            raise fail("E0404", "Nesterov's step needs momentum and no dampening")
        self.accum = self.state_like_parameters("accum") if self.momentum else ()

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        if not self.momentum:
            ops.assign(parameter, p.sgd_update(parameter, gradient, rate))
            return
        velocity = self.accum[index]
        is_first = ops.equal(ops.reshape(self.global_step, ()), 1)
        updated, moved = p.sgd_momentum_update(
            parameter, velocity, is_first, gradient, rate, p.full_like(rate, value=self.momentum),
            dampening=self.dampening, nesterov=self.nesterov,
        )  # fmt: skip
        ops.assign(velocity, moved)
        ops.assign(parameter, updated)
