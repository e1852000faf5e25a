"""How does RMSProp step? By the gradient over the root of the mean square gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad import prims as p
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.settings import flag, not_negative, positive


class RMSProp(Optimizer):
    """Steps by the gradient over the root of the mean square gradient, with momentum.

    ``s = decay * s + (1 - decay) * g**2``, from ``s = 1`` on, ``m = momentum * m + learning_rate *
    g / sqrt(s + epsilon)`` and ``w -= m``. Where it is centered, the square of ``a = decay * a +
    (1 - decay) * g`` is taken from s under the root. Here ``g`` is the gradient, prepared by
    `Optimizer`. Source: G. Hinton, Neural networks for machine learning, lecture 6, 2012.

    Parameters
    ----------
    params, learning_rate, weight_decay, loss_scale
        As of `Optimizer`.
    decay, momentum : float
        Not negative.
    epsilon : float
        Positive.
    use_locking : bool
        Taken for compatibility: two updates of one Parameter are both made in either case.
    centered : bool

    Attributes
    ----------
    ms, moment : ParameterTuple
        s and m, called ``mean_square.`` and ``moment.`` and the Parameter's name.
    mg : ParameterTuple
        a, called ``mean_grad.`` and the Parameter's name; where it is centered.

    Raises
    ------
    S2sadError
        Those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.RMSProp([w], learning_rate=0.5, decay=0.0)
    >>> optimizer((ms.Tensor([4.0]),))
    (True,)
    >>> w.asnumpy()
    array([0.5], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.decay = not_negative("decay", decay)
        self.momentum = not_negative("momentum", momentum)
        self.epsilon = positive("epsilon", epsilon)
        flag("use_locking", use_locking)
        self.centered = flag("centered", centered)
        self.ms = self.state_like_parameters("mean_square", 1.0)
        self.moment = self.state_like_parameters("moment")
        if centered:
            self.mg = self.state_like_parameters("mean_grad")

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        square, moved = self.ms[index], self.moment[index]
        if self.centered:
            mean = self.mg[index]
            updated, center, spread, move = p.centered_rmsprop_update(
                parameter, mean, square, moved, gradient, rate,
                decay=self.decay, momentum=self.momentum, eps=self.epsilon,
            )  # fmt: skip
            ops.assign(mean, center)
        else:
            updated, spread, move = p.rmsprop_update(
                parameter, square, moved, gradient, rate,
                decay=self.decay, momentum=self.momentum, eps=self.epsilon,
            )  # fmt: skip
        ops.assign(square, spread)
        ops.assign(moved, move)
        ops.assign(parameter, updated)
