"""How does FTRL step? To where the sum of all gradients so far, with penalties, is least."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.settings import flag, not_negative, number


class FTRL(Optimizer):
    """Follows the regularised leader; Parameters of little use become exactly 0.

    ``n = m + g**2``, ``u += g - (n**-p - m**-p) / learning_rate * w``, then ``m = n`` and ``w =
    (sign(u) * l1 - u) / (n**-p / learning_rate + 2 * l2)`` where ``abs(u) > l1``, else 0. Here
    ``p`` is `lr_power`, m starts at `initial_accum`, u at 0, and ``g`` is the gradient, prepared
    by `Optimizer`. Source: B. McMahan et al., Ad click prediction, 2013, algorithm 1.

    Parameters
    ----------
    params, weight_decay, loss_scale
        As of `Optimizer`; groups have no rates of their own.
    initial_accum : float
        Not negative.
    learning_rate : float
        Positive; one number for all steps.
    lr_power : float
        Not positive.
    l1, l2 : float
        Not negative.
    use_locking : bool
        Taken for compatibility: two updates of one Parameter are both made in either case.

    Attributes
    ----------
    moments, linear : ParameterTuple
        m and u, called ``moments.`` and ``linear.`` and the Parameter's name.

    Raises
    ------
    S2sadError
        E0404 for a rate that changes or differs between groups; those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.FTRL([w], initial_accum=0.0, learning_rate=0.5)
    >>> optimizer((ms.Tensor([4.0]),))
    (True,)
    >>> w.asnumpy()
    array([0.5], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Any],
        initial_accum: float = 0.1,
        learning_rate: float = 1e-3,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.is_group_lr or not isinstance(self.learning_rate, Parameter):
            raise fail("E0404", "FTRL has one learning rate, a number, for all groups and steps")
        if not self.learning_rate.item():
            raise fail("E0404", "the learning rate of FTRL is positive, got 0")
        self.lr_power = float(number("lr_power", lr_power))
        if not self.lr_power <= 0:
            raise fail("E0404", f"lr_power is not positive, got {lr_power}")
        self.l1, self.l2 = not_negative("l1", l1), not_negative("l2", l2)
        flag("use_locking", use_locking)
        accum = not_negative("initial_accum", initial_accum)
        self.moments = self.state_like_parameters("moments", accum)
        self.linear = self.state_like_parameters("linear")

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        g, w = self.wide(gradient), self.wide(parameter)
        total, linear = self.moments[index], self.linear[index]
        grown = total + g * g
        power = ops.pow(grown, -self.lr_power)
        moved = linear + g - (power - ops.pow(total, -self.lr_power)) / rate * w
        # Where nothing was ever learned the power is 0, and so is what it would divide.
        size = power / rate + 2 * self.l2
        is_far = ops.abs(moved) > self.l1
        updated = (ops.sign(moved) * self.l1 - moved) / ops.where(is_far, size, 1.0)
        ops.assign(total, grown)
        ops.assign(linear, moved)
        ops.assign(parameter, ops.where(is_far, updated, 0.0))
