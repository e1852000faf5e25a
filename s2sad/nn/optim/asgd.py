"""How does gradient descent step that also keeps the mean of where it has been?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.nn.optim.rules import asgd_step, numbers_like
from s2sad.ops.settings import number


class ASGD(Optimizer):
    """Averaged stochastic gradient descent.

    ``w = w * (1 - lambd * eta) - eta * g``, ``ax += mu * (w - ax)``, and for the step after this
    one, which is number t, ``eta = learning_rate / (1 + lambd * learning_rate * t)**alpha`` and
    ``mu = 1 / max(1, t - t0)``. The first step has ``eta = learning_rate`` and ``mu = 1``. Here
    ``g`` is the gradient, prepared by `Optimizer`. Source: B. Polyak, A. Juditsky, Acceleration
    of stochastic approximation by averaging, 1992.

    Parameters
    ----------
    params, learning_rate, weight_decay
        As of `Optimizer`.
    lambd, alpha, t0 : float
        Decay, the power by which eta falls, and the step from which on `ax` is a mean.

    Attributes
    ----------
    ax, eta, mu : ParameterTuple
        Called ``ax_.``, ``eta_`` and ``mu_`` and the Parameter's name; the latter two are 0-d.

    Raises
    ------
    S2sadError
        Those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.ASGD([w], learning_rate=0.5, lambd=0.0)
    >>> optimizer((ms.Tensor([1.0]),))
    (True,)
    >>> w.asnumpy(), optimizer.ax[0].asnumpy()
    (array([0.5], dtype=float32), array([0.5], dtype=float32))
    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any = 0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        self.lambd = float(number("lambd", lambd))
        self.alpha = float(number("alpha", alpha))
        self.t0 = float(number("t0", t0))
        self.mu = numbers_like(self.parameters, "mu_", 1.0)
        self.eta = numbers_like(self.parameters, "eta_", 0.0)
        self.ax = self.state_like_parameters("ax_")

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        state = self.ax[index], self.eta[index], self.mu[index]
        w = asgd_step(
            self.wide(parameter), self.wide(gradient), rate, self.steps_made(parameter), state,
            self.lambd, self.alpha, self.t0,
        )  # fmt: skip
        ops.assign(parameter, w)
