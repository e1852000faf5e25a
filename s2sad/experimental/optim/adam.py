"""How do the optimizers of Adam's family step that have groups?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.experimental.optim.optimizer import CountingOptimizer
from s2sad.nn.optim.adam import as_beta
from s2sad.ops.settings import flag, not_negative


def _betas(given: Any) -> tuple[float, float]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise fail("E0303", f"betas is a tuple of two numbers, got {given!r}")
    return as_beta("beta1", given[0]), as_beta("beta2", given[1])


class _Moments(CountingOptimizer):
    """Running means of gradients and squares, and the number of steps."""

    def _set_moments(self) -> None:
        self.exp_avg = self.states("exp_avg")
        self.exp_avg_sq = self.states("exp_avg_sq")


class Adam(_Moments):
    """Adam: steps by the mean gradient over the root of the mean square, both corrected for bias.

    ``m = beta1 * m + (1 - beta1) * g``, ``v = beta2 * v + (1 - beta2) * g**2``, and in step t, the
    first being 1, ``w -= lr * m / (1 - beta1**t) / (sqrt(v / (1 - beta2**t)) + eps)``. Weight
    decay is part of ``g``. Source: Kingma and Ba, Adam: a method for stochastic optimization,
    2015, algorithm 1; `amsgrad`: Reddi et al., 2018.

    Parameters
    ----------
    params
        As of `Optimizer`.
    lr : number or 0-d Tensor
    betas : tuple of two float
        At least 0 and below 1.
    eps, weight_decay : float
        Not negative.
    amsgrad : bool
        Whether the largest v so far stands for the last one.
    maximize : bool
        Whether to step upwards.

    Attributes
    ----------
    exp_avg, exp_avg_sq, max_exp_avg_sq : ParameterTuple
        m, v and the largest v, called so, with a dot and the Parameter's name.
    state_step : Parameter, int32, 0-d

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of the wrong type or value; those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.Adam([w], lr=0.5)
    >>> optimizer((ms.Tensor([3.0]),)), w.asnumpy().round(4)
    (True, array([0.5], dtype=float32))
    """

    COUNTER = "state_step"

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "betas": _betas(betas), "eps": not_negative("eps", eps),
                "weight_decay": weight_decay, "amsgrad": flag("amsgrad", amsgrad),
                "maximize": flag("maximize", maximize),
            },
        )  # fmt: skip
        self._set_moments()
        self.max_exp_avg_sq = self.states("max_exp_avg_sq")

    def _stepped(self, index: int, parameter: Any, g: Any, group: Any, decay: float) -> None:
        """A step whose decay is no part of the gradient."""
        mean, square = self.exp_avg[index], self.exp_avg_sq[index]
        beta1, beta2 = group["betas"]
        rate, step = self.rate(group, parameter), self.steps_made(parameter)
        power1, power2 = ops.pow(beta1, step), ops.pow(beta2, step)
        if not group["amsgrad"]:
            updated, first, second = p.adamw_update(
                parameter, mean, square, g, rate, power1, power2,
                beta1=beta1, beta2=beta2, eps=group["eps"], weight_decay=decay,
            )  # fmt: skip
        else:
            most = self.max_exp_avg_sq[index]
            first = mean * beta1 + g * (1 - beta1)
            second = square * beta2 + g * g * (1 - beta2)
            largest = ops.maximum(most, second)
            ops.assign(most, largest)
            root = ops.sqrt(largest) / ops.sqrt(1 - power2) + group["eps"]
            w = ops.cast(parameter, g.dtype) * (1 - rate * decay)
            updated = w - rate / (1 - power1) * first / root
        ops.assign(mean, first)
        ops.assign(square, second)
        ops.assign(parameter, updated)

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        self._stepped(index, parameter, self.decayed(parameter, gradient, group), group, 0.0)


class AdamW(Adam):
    """`Adam` whose decay is no part of the gradient: ``w -= lr * weight_decay * w`` beforehand.

    Source: I. Loshchilov and F. Hutter, Decoupled weight decay regularization, 2019.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.AdamW([w], lr=0.5, weight_decay=0.5)
    >>> optimizer((ms.Tensor([3.0]),)), w.asnumpy().round(4)
    (True, array([0.25], dtype=float32))
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        self._stepped(index, parameter, gradient, group, group["weight_decay"])


class NAdam(_Moments):
    """Adam with Nesterov's step.

    With ``c_t = beta1 * (1 - 0.96**(t * momentum_decay) / 2)`` and their product P up to t, ``w -=
    lr * ((1 - c_t) * g / (1 - P) + c_{t+1} * m / (1 - P * c_{t+1})) / (sqrt(v / (1 - beta2**t)) +
    eps)``; m and v are those of `Adam`. Source: T. Dozat, Incorporating Nesterov momentum into
    Adam, 2016.

    Parameters
    ----------
    params, lr, betas, eps, weight_decay
        As of `Adam`.
    momentum_decay : float
        Not negative.

    Attributes
    ----------
    mu_product : ParameterTuple
        P, called ``mu_product.`` and the Parameter's name.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.NAdam([w], lr=0.5, betas=(0.0, 0.0))
    >>> optimizer((ms.Tensor([3.0]),)), w.asnumpy().round(4)
    (True, array([0.5], dtype=float32))
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "betas": _betas(betas), "eps": not_negative("eps", eps),
                "weight_decay": weight_decay,
                "momentum_decay": not_negative("momentum_decay", momentum_decay),
            },
        )  # fmt: skip
        self._set_moments()
        self.mu_product = self.states_of_numbers("mu_product", 1.0)

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        g = self.decayed(parameter, gradient, group)
        beta1, beta2 = group["betas"]
        mean, square, product = self.exp_avg[index], self.exp_avg_sq[index], self.mu_product[index]
        step, decay = self.steps_made(parameter), group["momentum_decay"]
        now = beta1 * (1 - 0.5 * ops.pow(0.96, step * decay))
        then = beta1 * (1 - 0.5 * ops.pow(0.96, (step + 1) * decay))
        held = product * now
        first = mean * beta1 + g * (1 - beta1)
        second = square * beta2 + g * g * (1 - beta2)
        root = ops.sqrt(second / (1 - ops.pow(beta2, step))) + group["eps"]
        move = g * ((1 - now) / (1 - held)) + first * (then / (1 - held * then))
        ops.assign(product, held)
        ops.assign(mean, first)
        ops.assign(square, second)
        ops.assign(
            parameter, ops.cast(parameter, g.dtype) - self.rate(group, parameter) * move / root
        )


class RAdam(_Moments):
    """Adam that steps by the mean gradient alone until the variance of its root can be told.

    Source: L. Liu et al., On the variance of the adaptive learning rate and beyond, 2020,
    algorithm 2. The Parameters are those of `Adam`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.RAdam([w], lr=0.5)
    >>> optimizer((ms.Tensor([3.0]),)), w.asnumpy().round(4)
    (True, array([-0.5], dtype=float32))
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "betas": _betas(betas), "eps": not_negative("eps", eps),
                "weight_decay": weight_decay,
            },
        )  # fmt: skip
        self._set_moments()

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        g = self.decayed(parameter, gradient, group)
        beta1, beta2 = group["betas"]
        mean, square, step = self.exp_avg[index], self.exp_avg_sq[index], self.steps_made(parameter)
        power = ops.pow(beta2, step)
        first = mean * beta1 + g * (1 - beta1)
        second = square * beta2 + g * g * (1 - beta2)
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * power / (1 - power)
        # Below 5 the variance is not told; 5 stands for it, so that no root is taken of less.
        told = ops.where(length > 5, length, 5.0)
        ratio = (told - 4) * (told - 2) * longest / ((longest - 4) * (longest - 2) * told)
        adapted = ops.sqrt(ratio) * ops.sqrt(1 - power) / (ops.sqrt(second) + group["eps"])
        move = first / (1 - ops.pow(beta1, step)) * ops.where(length > 5, adapted, 1.0)
        ops.assign(mean, first)
        ops.assign(square, second)
        ops.assign(parameter, ops.cast(parameter, g.dtype) - self.rate(group, parameter) * move)


class Adamax(CountingOptimizer):
    """Steps by the mean gradient over the largest one, which fades.

    ``u = max(beta2 * u, abs(g) + eps)`` and ``w -= lr / (1 - beta1**t) * m / u``; m and the
    Parameters are those of `Adam`. Source: Kingma and Ba, 2015, algorithm 2.

    Attributes
    ----------
    exp_avg, exp_inf : ParameterTuple
        m and u, called so, with a dot and the Parameter's name.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.Adamax([w], lr=0.5)
    >>> optimizer((ms.Tensor([3.0]),)), w.asnumpy().round(4)
    (True, array([0.5], dtype=float32))
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "betas": _betas(betas), "eps": not_negative("eps", eps),
                "weight_decay": weight_decay, "maximize": flag("maximize", maximize),
            },
        )  # fmt: skip
        self.exp_avg = self.states("exp_avg")
        self.exp_inf = self.states("exp_inf")

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        g = self.decayed(parameter, gradient, group)
        beta1, beta2 = group["betas"]
        mean, largest = self.exp_avg[index], self.exp_inf[index]
        first = mean * beta1 + g * (1 - beta1)
        most = ops.maximum(largest * beta2, ops.abs(g) + group["eps"])
        size = self.rate(group, parameter) / (1 - ops.pow(beta1, self.steps_made(parameter)))
        ops.assign(mean, first)
        ops.assign(largest, most)
        ops.assign(parameter, ops.cast(parameter, g.dtype) - size * first / most)
