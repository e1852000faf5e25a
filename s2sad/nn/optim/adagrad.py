"""How does Adagrad step? By the gradient over the root of the sum of its squares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad import prims as p
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.settings import flag, not_negative


class Adagrad(Optimizer):
    """Steps by the gradient over the root of the sum of its squares so far.

    ``a = a + g**2``, from ``a = accum`` on, and ``w -= learning_rate * g / sqrt(a)``. Here ``g`` is
    the gradient, prepared by `Optimizer`. Source: J. Duchi et al., Adaptive subgradient methods for
    online learning and stochastic optimization, 2011.

    Parameters
    ----------
    params, learning_rate, weight_decay, loss_scale
        As of `Optimizer`.
    accum : float
        Not negative.
    update_slots : bool
        Whether the sums grow at all.

    Attributes
    ----------
    accum : ParameterTuple
        The sums, called ``accum.`` and the Parameter's name.

    Raises
    ------
    S2sadError
        Those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.Adagrad([w], accum=0.0, learning_rate=0.5)
    >>> optimizer((ms.Tensor([4.0]),))
    (True,)
    >>> w.asnumpy()
    array([0.5], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Any],
        accum: float = 0.1,
        learning_rate: Any = 1e-3,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.update_slots = flag("update_slots", update_slots)
        self.accum = self.state_like_parameters("accum", not_negative("accum", accum))

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        total = self.accum[index]
        updated, grown = p.adagrad_update(
            parameter, total, gradient, rate, update_slots=self.update_slots
        )
        ops.assign(total, grown)
        ops.assign(parameter, updated)
