"""How does Adagrad step where large Parameters are penalised?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.settings import flag, not_negative


class ProximalAdagrad(Optimizer):
    """Adagrad, after which each Parameter is drawn towards 0, by `l1` and `l2`.

    ``a = a + g**2``, ``r = learning_rate / sqrt(a)``, ``v = w - r * g``, and ``w = sign(v) *
    max(abs(v) - r * l1, 0) / (1 + r * l2)``. Here ``g`` is the gradient, prepared by `Optimizer`.
    Source: J. Duchi, Y. Singer, Efficient learning using forward-backward splitting, 2009.

    Parameters
    ----------
    params, learning_rate, weight_decay, loss_scale
        As of `Optimizer`.
    accum : float
        What a starts at; not negative.
    l1, l2 : float
        Not negative.
    use_locking : bool
        Taken for compatibility: two updates of one Parameter are both made in either case.

    Attributes
    ----------
    accum : ParameterTuple
        a, called ``accum.`` and the Parameter's name.

    Raises
    ------
    S2sadError
        Those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.ProximalAdagrad([w], accum=0.0, learning_rate=0.5, l1=1.0)
    >>> optimizer((ms.Tensor([2.0]),))
    (True,)
    >>> w.asnumpy()
    array([0.25], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Any],
        accum: float = 0.1,
        learning_rate: Any = 1e-3,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.l1, self.l2 = not_negative("l1", l1), not_negative("l2", l2)
        flag("use_locking", use_locking)
        self.accum = self.state_like_parameters("accum", not_negative("accum", accum))

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        g, total = self.wide(gradient), self.accum[index]
        grown = total + g * g
        own_rate = rate / ops.sqrt(grown)
        moved = self.wide(parameter) - own_rate * g
        if self.l1:
            moved = ops.sign(moved) * ops.maximum(ops.abs(moved) - own_rate * self.l1, 0.0)
        ops.assign(total, grown)
        ops.assign(parameter, moved / (1 + own_rate * self.l2))
