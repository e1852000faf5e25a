"""Optimizers: Cells that take gradients and write Parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter, ParameterTuple
from s2sad.core.tensor import Tensor
from s2sad.ops.state import check_gradients


class Optimizer(Cell):
    """Base of optimizers: the Parameters, the rate, and what happens to gradients beforehand.

    Parameters
    ----------
    learning_rate : float or 0-d Tensor
        Kept in a Parameter: assigning to it changes the rate from the next step on.
    parameters : iterable of Parameter
        At least one; names differ.
    weight_decay : float
        This much of a Parameter is added to its gradient, unless its name contains ``gamma`` or
        ``beta``.
    loss_scale : float
        Gradients are divided by it.

    Attributes
    ----------
    parameters : ParameterTuple
    learning_rate : Parameter, 0-d, float32
    global_step : Parameter, int32, shape (1,)
        Steps made so far.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of the wrong type or value, E0304 for what is no Parameter,
        E0404 for none, E0406 for names that clash.
    """

    def __init__(
        self,
        learning_rate: float | Tensor,
        parameters: Iterable[Parameter],
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(auto_prefix=False)
        self.parameters = ParameterTuple(parameters)
        if not self.parameters:
            raise fail("E0404", f"{self.cls_name} got no Parameters")
        rate = learning_rate.item() if isinstance(learning_rate, Tensor) else learning_rate
        rate = Tensor(not_negative("learning_rate", rate), dtypes.float32)
        self.learning_rate = Parameter(rate, "learning_rate", requires_grad=False)
        self.global_step = Parameter(Tensor([0], dtypes.int32), "global_step", requires_grad=False)
        self.weight_decay = not_negative("weight_decay", weight_decay)
        self.loss_scale = not_negative("loss_scale", loss_scale)
        if not self.loss_scale:
            raise fail("E0404", "loss_scale must be positive, got 0")
        self.decays = tuple(_decays(parameter.name) for parameter in self.parameters)

    def prepared(self, gradients: Any) -> list[Any]:
        """Gradients with the decay of their Parameters, divided by the scale of the loss."""
        check_gradients(gradients, self.parameters)
        found = []
        for index, parameter in enumerate(self.parameters):
            gradient = gradients[index]
            if self.loss_scale != 1:
                gradient = gradient / self.loss_scale
            if self.weight_decay and self.decays[index]:
                gradient = gradient + ops.mul(parameter, self.weight_decay)
            found = [*found, gradient]
        return found

    def rate_of(self, parameter: Any) -> Any:
        """The rate, in the dtype in which the update of `parameter` is computed."""
        return ops.cast(self.learning_rate, parameter.dtype.compute)

    def get_lr(self) -> Tensor:
        """The present rate."""
        return self.learning_rate.value()


def not_negative(name: str, value: Any) -> float:
    """A setting as a float (E0303 for no number, E0404 for a negative or infinite one)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise fail("E0303", f"{name} is a number, got {value!r}")
    if not 0 <= value < float("inf"):
        raise fail("E0404", f"{name} is finite and not negative, got {value}")
    return float(value)


def _decays(name: str) -> bool:
    return "gamma" not in name and "beta" not in name


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum, weight decay and Nesterov's step.

    The first step sets ``v = g``, later ones ``v = momentum * v + (1 - dampening) * g``; then
    ``w -= learning_rate * v``, with Nesterov ``w -= learning_rate * (g + momentum * v)``. Without
    momentum ``w -= learning_rate * g``. Here ``g`` is the gradient, prepared by `Optimizer`.
    Source: Sutskever et al., On the importance of initialization and momentum, 2013.

    Parameters
    ----------
    params : iterable of Parameter
    learning_rate : float or 0-d Tensor
    momentum, dampening, weight_decay : float
    nesterov : bool
    loss_scale : float

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
    >>> w.asnumpy()
    array([0.5], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Parameter],
        learning_rate: float | Tensor = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.momentum = not_negative("momentum", momentum)
        self.dampening = not_negative("dampening", dampening)
        if not isinstance(nesterov, bool):
            raise fail("E0303", f"nesterov is True or False, got {nesterov!r}")
        if nesterov and (not self.momentum or self.dampening):
            raise fail("E0404", "Nesterov's step needs momentum and no dampening")
        self.nesterov = nesterov
        self.accum = self.parameters.clone("accum", init="zeros") if self.momentum else ()

    def construct(self, gradients: Any) -> None:
        gradients = self.prepared(gradients)
        is_first = ops.equal(ops.reshape(self.global_step, ()), 0)
        for index, parameter in enumerate(self.parameters):
            gradient, rate = gradients[index], self.rate_of(parameter)
            if self.momentum:
                velocity = self.accum[index]
                momentum = p.full_like(rate, value=self.momentum)
                updated, moved = p.sgd_momentum_update(
                    parameter, velocity, is_first, gradient, rate, momentum,
                    dampening=self.dampening, nesterov=self.nesterov,
                )  # fmt: skip
                ops.assign(velocity, moved)
            else:
                updated = p.sgd_update(parameter, gradient, rate)
            ops.assign(parameter, updated)
        ops.assign(self.global_step, ops.add(self.global_step, 1))
