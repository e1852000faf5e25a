"""How do Adam and its relatives step? By the mean gradient over the root of the mean square."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from s2sad import ops
from s2sad import prims as p
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.settings import flag, number, positive
from s2sad.ops.state import check_gradients


def as_beta(name: str, given: Any) -> float:
    """How much of a running mean stays: at least 0 and below 1 (E0303, E0404)."""
    if not 0 <= number(name, given) < 1:
        raise fail("E0404", f"{name} is at least 0 and below 1, got {given}")
    return float(given)


class Adam(Optimizer):
    """Adam: steps by the mean gradient over the root of the mean square gradient.

    ``m = beta1 * m + (1 - beta1) * g``, ``v = beta2 * v + (1 - beta2) * g**2``, and in step t,
    the first being 1, ``w -= learning_rate * sqrt(1 - beta2**t) / (1 - beta1**t) * m / (sqrt(v) +
    eps)``. Here ``g`` is the gradient, prepared by `Optimizer`: weight decay is part of it.
    Source: Kingma and Ba, Adam: a method for stochastic optimization, 2015, section 2.

    Parameters
    ----------
    params, learning_rate, weight_decay, loss_scale
        As of `Optimizer`.
    beta1, beta2 : float
        At least 0 and below 1.
    eps : float
        Positive; added after the root is taken and before the bias is corrected.
    use_locking : bool
        Taken for compatibility: two updates of one Parameter are both made in either case.
    use_nesterov : bool
        Whether ``beta1 * m + (1 - beta1) * g`` stands for the last m.
    use_amsgrad : bool
        Whether the largest v so far stands for the last one: Reddi et al., 2018.
    use_lazy, use_offload : bool
        Taken for compatibility: gradients are dense, and all is computed in one place.

    Attributes
    ----------
    beta1_power, beta2_power : Parameter, 0-d
        ``beta1**t`` and ``beta2**t`` after t steps; float64 where a Parameter is, else float32.
    moment1, moment2 : ParameterTuple
        m and v, called ``moment1.`` and ``moment2.`` and the Parameter's name.
    vhat : ParameterTuple
        The largest v so far, called ``vhat.`` and the Parameter's name; with `use_amsgrad`.

    Raises
    ------
    S2sadError
        E0404 for `use_nesterov` with `use_amsgrad`; those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.Adam([w], learning_rate=0.5)
    >>> optimizer((ms.Tensor([3.0]),))
    (True,)
    >>> w.asnumpy().round(4)
    array([0.5], dtype=float32)
    """

    #: The shape of `beta1_power` and `beta2_power`.
    POWERS: ClassVar[tuple[int, ...]] = ()

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
        *,
        use_lazy: bool = False,
        use_offload: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2 = as_beta("beta1", beta1), as_beta("beta2", beta2)
        self.eps = positive("eps", eps)
        for name, given in {
            "use_locking": use_locking, "use_lazy": use_lazy, "use_offload": use_offload
        }.items():  # fmt: skip
            flag(name, given)
        self.use_nesterov = flag("use_nesterov", use_nesterov)
        self.use_amsgrad = flag("use_amsgrad", use_amsgrad)
        if use_nesterov and use_amsgrad:
            raise fail("E0404", "Adam takes use_nesterov or use_amsgrad, not both")
        self.beta1_power = self.number_state("beta1_power", 1.0, self.POWERS)
        self.beta2_power = self.number_state("beta2_power", 1.0, self.POWERS)
        self.moment1 = self.state_like_parameters("moment1")
        self.moment2 = self.state_like_parameters("moment2")
        if use_amsgrad:
            self.vhat = self.state_like_parameters("vhat")

    def count_step(self) -> None:
        super().count_step()
        ops.assign(self.beta1_power, ops.mul(self.beta1_power, self.beta1))
        ops.assign(self.beta2_power, ops.mul(self.beta2_power, self.beta2))

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        mean, square = self.moment1[index], self.moment2[index]
        power1 = self.scalar(self.beta1_power, parameter)
        power2 = self.scalar(self.beta2_power, parameter)
        if self.use_amsgrad:
            largest = self.vhat[index]
            updated, first, second, most = p.amsgrad_update(
                parameter, mean, square, largest, gradient, rate, power1, power2,
                beta1=self.beta1, beta2=self.beta2, eps=self.eps,
            )  # fmt: skip
            ops.assign(largest, most)
        else:
            updated, first, second = p.adam_update(
                parameter, mean, square, gradient, rate, power1, power2,
                beta1=self.beta1, beta2=self.beta2, eps=self.eps, nesterov=self.use_nesterov,
            )  # fmt: skip
        ops.assign(mean, first)
        ops.assign(square, second)
        ops.assign(parameter, updated)


class AdamWeightDecay(Optimizer):
    """Adam without correction of bias, with a decay that is no part of the gradient.

    ``m`` and ``v`` are those of `Adam`; ``w -= learning_rate * (m / (sqrt(v) + eps) +
    weight_decay * w)``. The source is the optimizer of J. Devlin et al., BERT, 2018.

    Parameters
    ----------
    params, learning_rate, weight_decay
        As of `Optimizer`, but for a decay that is a Cell.
    beta1, beta2 : float
        At least 0 and below 1.
    eps : float
        Positive.

    Attributes
    ----------
    moments1, moments2 : ParameterTuple
        m and v, called ``adam_m.`` and ``adam_v.`` and the Parameter's name.

    Raises
    ------
    S2sadError
        E0303 for a decay that is a Cell; those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.AdamWeightDecay([w], learning_rate=0.1, weight_decay=0.5)
    >>> optimizer((ms.Tensor([0.0]),))
    (True,)
    >>> w.asnumpy().round(4)
    array([0.95], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        for decay in (self.weight_decay, *self.group_decays):
            if isinstance(decay, Cell):
                raise fail("E0303", f"weight_decay is a number here, got {decay!r}")
        self.beta1, self.beta2 = as_beta("beta1", beta1), as_beta("beta2", beta2)
        self.eps = positive("eps", eps)
        self.moments1 = self.state_like_parameters("adam_m")
        self.moments2 = self.state_like_parameters("adam_v")

    def prepared(self, gradients: Any) -> Any:
        check_gradients(gradients, self.parameters)
        return self.gradients_centralization(gradients)

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        mean, square = self.moments1[index], self.moments2[index]
        updated, first, second = p.adam_weight_decay_update(
            parameter, mean, square, gradient, rate, beta1=self.beta1, beta2=self.beta2,
            eps=self.eps, weight_decay=self.decay_of(index),
        )  # fmt: skip
        ops.assign(mean, first)
        ops.assign(square, second)
        ops.assign(parameter, updated)
