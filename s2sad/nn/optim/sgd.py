"""How does stochastic gradient descent step, with and without momentum?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from s2sad import ops
from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.nn.optim.rules import require_nesterov
from s2sad.ops.settings import flag, not_negative


class _NoMomentum(Parameter):
    """The momentum of steps that have none: what is compiled does not even look."""

    def adopt(self, array: np.ndarray) -> None:
        if array.any():
            raise fail(
                "E0404", "this SGD was made without momentum, and has none to change",
                help="give it at first: SGD(params, momentum=...)",
            )  # fmt: skip
        super().adopt(array)


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
    momentum : Parameter, 0-d
        Assigning to it changes the momentum from the next step on. One that was made without
        momentum takes none later (E0404).
    accum : ParameterTuple
        The velocities, called ``accum.`` and the Parameter's name.
    stat : ParameterTuple
        1 until there is a velocity, then 0; called ``stat.`` and the Parameter's name. Neither is
        touched without momentum.

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
        kept = self.number_state("momentum", not_negative("momentum", momentum))
        self.is_moving = bool(momentum)
        self.momentum = kept if self.is_moving else _NoMomentum(kept, "momentum", False)
        self.dampening = not_negative("dampening", dampening)
        self.nesterov = flag("nesterov", nesterov)
        require_nesterov(self.nesterov, self.is_moving, self.dampening)
        self.accum = self.state_like_parameters("accum")
        self.stat = self.state_like_parameters("stat", 1.0)

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        if not self.is_moving:
            ops.assign(parameter, p.sgd_update(parameter, gradient, rate))
            return
        velocity, stat = self.accum[index], self.stat[index]
        is_first = ops.any(ops.reshape(stat, (-1,))[:1] > 0)  # all elements are equal, if any
        updated, moved = p.sgd_momentum_update(
            parameter, velocity, is_first, gradient, rate, self.scalar(self.momentum, parameter),
            dampening=self.dampening, nesterov=self.nesterov,
        )  # fmt: skip
        ops.assign(velocity, moved)
        ops.assign(stat, ops.zeros_like(stat))
        ops.assign(parameter, updated)
