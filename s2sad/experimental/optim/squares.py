"""How do optimizers with groups step that divide by the root of squares of gradients?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad.experimental.optim.optimizer import CountingOptimizer, Optimizer
from s2sad.nn.optim.rules import adadelta_step
from s2sad.ops.settings import flag, fraction, not_negative


class Adadelta(Optimizer):
    """Steps by the gradient, rescaled; the formulas are those of `s2sad.nn.Adadelta`.

    Parameters
    ----------
    params
        As of `Optimizer`.
    lr : number or 0-d Tensor
    rho : float
        From 0 to 1.
    eps, weight_decay : float
        Not negative.
    maximize : bool
        Whether to step upwards.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.Adadelta([w], rho=0.0, eps=1.0)
    >>> optimizer((ms.Tensor([0.75]),)), w.asnumpy().round(4)
    (True, array([0.4], dtype=float32))
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "rho": fraction("rho", rho), "eps": not_negative("eps", eps),
                "weight_decay": weight_decay, "maximize": flag("maximize", maximize),
            },
        )  # fmt: skip
        self.accum = self.states("accum")
        self.accum_update = self.states("accum_update")

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        g = self.decayed(parameter, gradient, group)
        step = adadelta_step(
            g, self.accum[index], self.accum_update[index], group["rho"], group["eps"]
        )
        ops.assign(parameter, ops.cast(parameter, g.dtype) - self.rate(group, parameter) * step)


class Adagrad(CountingOptimizer):
    """Steps by the gradient over the root of the sum of its squares so far.

    ``a = a + g**2`` and ``w -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(a) + eps)``, with a from
    `initial_accumulator_value` on and t the number of the step, from 1.

    Parameters
    ----------
    params, lr, eps, weight_decay, maximize
        As of `Adadelta`.
    lr_decay, initial_accumulator_value : float
        Not negative.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.Adagrad([w], lr=0.5)
    >>> optimizer((ms.Tensor([4.0]),)), w.item()
    (True, 0.5)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "lr_decay": not_negative("lr_decay", lr_decay),
                "eps": not_negative("eps", eps), "weight_decay": weight_decay,
                "maximize": flag("maximize", maximize),
            },
        )  # fmt: skip
        first = not_negative("initial_accumulator_value", initial_accumulator_value)
        self.accum = self.states("accum", first)

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        g, total = self.decayed(parameter, gradient, group), self.accum[index]
        grown = total + g * g
        before = self.steps_made(parameter) - 1
        rate = self.rate(group, parameter) / (1 + before * group["lr_decay"])
        ops.assign(total, grown)
        move = rate * g / (ops.sqrt(grown) + group["eps"])
        ops.assign(parameter, ops.cast(parameter, g.dtype) - move)


class RMSprop(Optimizer):
    """Steps by the gradient over the root of the mean square gradient, with momentum.

    ``s = alpha * s + (1 - alpha) * g**2`` from 0 on; where it is centered, the square of ``a =
    alpha * a + (1 - alpha) * g`` is taken from it; ``b = momentum * b + g / (sqrt(s) + eps)``, ``w
    -= lr * b``.

    Parameters
    ----------
    params, lr, eps, weight_decay, maximize
        As of `Adadelta`.
    alpha, momentum : float
        Not negative.
    centered : bool

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.RMSprop([w], lr=0.5, alpha=0.0)
    >>> optimizer((ms.Tensor([4.0]),)), w.item()
    (True, 0.5)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "alpha": not_negative("alpha", alpha), "eps": not_negative("eps", eps),
                "weight_decay": weight_decay, "momentum": not_negative("momentum", momentum),
                "centered": flag("centered", centered), "maximize": flag("maximize", maximize),
            },
        )  # fmt: skip
        self.mean_grad = self.states("mean_grad")
        self.mean_square = self.states("mean_square")
        self.moment = self.states("moment")

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        g, alpha = self.decayed(parameter, gradient, group), group["alpha"]
        square, moved = self.mean_square[index], self.moment[index]
        spread = square * alpha + g * g * (1 - alpha)
        ops.assign(square, spread)
        if group["centered"]:
            mean = self.mean_grad[index]
            center = mean * alpha + g * (1 - alpha)
            ops.assign(mean, center)
            spread = spread - center * center
        move = g / (ops.sqrt(spread) + group["eps"])
        if group["momentum"]:
            move = moved * group["momentum"] + move
            ops.assign(moved, move)
        ops.assign(parameter, ops.cast(parameter, g.dtype) - self.rate(group, parameter) * move)
