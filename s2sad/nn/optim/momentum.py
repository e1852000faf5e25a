"""How does gradient descent with momentum step, as MindSpore has it?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.settings import flag, not_negative


class Momentum(Optimizer):
    """Steps by a running sum of gradients.

    ``v = momentum * v + g``, from ``v = 0`` on; then ``w -= learning_rate * v``, with Nesterov
    ``w -= learning_rate * (g + momentum * v)``. Here ``g`` is the gradient, prepared by
    `Optimizer`. Source: Sutskever et al., On the importance of initialization and momentum, 2013.

    Parameters
    ----------
    params, learning_rate, weight_decay, loss_scale
        As of `Optimizer`.
    momentum : float
    use_nesterov : bool

    Attributes
    ----------
    momentum : Parameter, 0-d, float32
        Assigning to it changes the momentum from the next step on.
    moments : ParameterTuple
        The sums, called ``moments.`` and the Parameter's name.

    Raises
    ------
    S2sadError
        Those of `Optimizer`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.Momentum([w], learning_rate=0.5, momentum=0.5)
    >>> optimizer((ms.Tensor([1.0]),))
    (True,)
    >>> optimizer((ms.Tensor([1.0]),))
    (True,)
    >>> w.asnumpy()
    array([-0.25], dtype=float32)
    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any,
        momentum: float,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        kept = Tensor(not_negative("momentum", momentum), dtypes.float32)
        self.momentum = Parameter(kept, "momentum", requires_grad=False)
        self.use_nesterov = flag("use_nesterov", use_nesterov)
        self.moments = self.state_like_parameters("moments")

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        velocity = self.moments[index]
        updated, moved = p.momentum_update(
            parameter, velocity, gradient, rate, self.scalar(self.momentum, parameter),
            nesterov=self.use_nesterov,
        )  # fmt: skip
        ops.assign(velocity, moved)
        ops.assign(parameter, updated)
