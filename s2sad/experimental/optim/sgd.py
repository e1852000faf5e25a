"""How do gradient descent and its relatives step that have groups?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad.experimental.optim.optimizer import CountingOptimizer, Optimizer
from s2sad.nn.optim.rules import asgd_step, require_etas, require_nesterov, rprop_step
from s2sad.ops.settings import flag, not_negative, number


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum, weight decay and Nesterov's step.

    The first step sets ``v = g``, later ones ``v = momentum * v + (1 - dampening) * g``; then ``w
    -= lr * v``, with Nesterov ``w -= lr * (g + momentum * v)``. Weight decay is part of ``g``.
    Source: Sutskever et al., On the importance of initialization and momentum, 2013.

    Parameters
    ----------
    params
        As of `Optimizer`.
    lr : number or 0-d Tensor
    momentum, dampening, weight_decay : float
        Not negative.
    nesterov : bool
        Needs momentum and no dampening.
    maximize : bool
        Whether to step upwards.

    Attributes
    ----------
    accum, stat : ParameterTuple
        The velocities, and whether there are none yet, called ``accum.`` and ``stat.`` and the
        Parameter's name.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of the wrong type or value; those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.SGD([w], 0.5, momentum=0.5)
    >>> [optimizer((ms.Tensor([1.0]),)) and w.item() for _ in range(2)]
    [0.5, -0.25]
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "momentum": not_negative("momentum", momentum),
                "dampening": not_negative("dampening", dampening), "weight_decay": weight_decay,
                "nesterov": flag("nesterov", nesterov), "maximize": flag("maximize", maximize),
                "grad_centralization": False,
            },
        )  # fmt: skip
        for group in self.param_groups:
            require_nesterov(group["nesterov"], group["momentum"], group["dampening"])
        self.accum = self.states("accum")
        self.stat = self.states("stat", 1.0)

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        g = self.decayed(parameter, gradient, group)
        if group["grad_centralization"] and g.ndim > 1:
            g = g - ops.mean(g, tuple(range(1, g.ndim)), True)
        move = g
        if group["momentum"]:
            velocity, is_first = self.accum[index], self.stat[index]
            moved = velocity * group["momentum"] + g * (1 - group["dampening"])
            moved = ops.where(is_first > 0, g, moved)
            ops.assign(velocity, moved)
            ops.assign(is_first, ops.zeros_like(is_first))
            move = g + moved * group["momentum"] if group["nesterov"] else moved
        ops.assign(parameter, ops.cast(parameter, g.dtype) - self.rate(group, parameter) * move)


class ASGD(CountingOptimizer):
    """Averaged stochastic gradient descent; the formulas are those of `s2sad.nn.ASGD`.

    Parameters
    ----------
    params, lr, weight_decay, maximize
        As of `SGD`.
    lambd, alpha, t0 : float

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.ASGD([w], lr=0.5, lambd=0.0)
    >>> optimizer((ms.Tensor([1.0]),)), w.item()
    (True, 0.5)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "lambd": number("lambd", lambd), "alpha": number("alpha", alpha),
                "t0": number("t0", t0), "weight_decay": weight_decay,
                "maximize": flag("maximize", maximize),
            },
        )  # fmt: skip
        self.eta = self.states_of_numbers("eta", 0.0)
        self.mu = self.states_of_numbers("mu", 1.0)
        self.ax = self.states("ax")

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        g = self.decayed(parameter, gradient, group)
        w, count = ops.cast(parameter, g.dtype), self.steps_made(parameter)
        state = self.ax[index], self.eta[index], self.mu[index]
        w = asgd_step(
            w, g, self.rate(group, parameter), count, state, group["lambd"], group["alpha"],
            group["t0"],
        )  # fmt: skip
        ops.assign(parameter, w)


class Rprop(CountingOptimizer):
    """Resilient backpropagation; the formulas are those of `s2sad.nn.Rprop`.

    Parameters
    ----------
    params, lr, maximize
        As of `SGD`.
    etas, step_sizes : tuple of two float

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.experimental.optim.Rprop([w], lr=0.5)
    >>> optimizer((ms.Tensor([9.0]),)), w.item()
    (True, 0.5)
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        *,
        maximize: bool = False,
    ) -> None:
        require_etas(etas)
        defaults = {"lr": lr, "etas": etas, "step_sizes": step_sizes}
        super().__init__(params, {**defaults, "maximize": flag("maximize", maximize)})
        self.prev = self.states("prev")
        self.step_size = self.states("step_size")

    def update_parameter(self, index: int, parameter: Any, gradient: Any, group: Any) -> None:
        held = self.step_size[index]
        step = ops.where(self.steps_made(parameter) == 1, self.rate(group, parameter), held)
        move = rprop_step(
            gradient, self.prev[index], held, step, group["etas"], group["step_sizes"]
        )
        ops.assign(parameter, ops.cast(parameter, gradient.dtype) - move)
