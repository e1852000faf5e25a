"""How does LARS change the gradients that another optimizer then takes?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.settings import flag, not_negative
from s2sad.ops.state import check_gradients


def _is_scaled(parameter: Parameter) -> bool:
    return "LayerNorm" not in parameter.name and "bias" not in parameter.name


class LARS(Cell):
    """Layer-wise rates around another optimizer: gradients as long as `coefficient` of Parameters.

    With ``d`` the decay that `optimizer` had, ``t = coefficient * norm(w) / (norm(g) + d *
    norm(w) + epsilon)``, or 1 where one of the lengths is 0, `optimizer` gets ``t * (g + d * w)``.
    With `use_clip` ``min(t / learning_rate, 1)`` stands for t. Source: Y. You et al., Large batch
    training of convolutional networks, 2017.

    Parameters
    ----------
    optimizer : Optimizer
        Its decay becomes part of the gradients here and is taken from it.
    epsilon, coefficient : float
        Not negative.
    use_clip : bool
    lars_filter : function
        Whether a Parameter is treated so; the gradients of others go through as they are, without
        decay.

    Attributes
    ----------
    opt : Optimizer
    parameters : ParameterTuple
        Those of `opt`.

    Raises
    ------
    S2sadError
        E0304 for what is no Optimizer, E0303 or E0404 for a setting of the wrong type or value.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([2.0]), name="w")
    >>> optimizer = ms.nn.LARS(ms.nn.SGD([w], 0.5), epsilon=0.0, coefficient=0.25)
    >>> optimizer((ms.Tensor([100.0]),))
    (True,)
    >>> w.asnumpy()
    array([1.75], dtype=float32)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        epsilon: float = 1e-05,
        coefficient: float = 0.001,
        use_clip: bool = False,
        lars_filter: Callable[[Parameter], bool] = _is_scaled,
    ) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(optimizer, Optimizer):
            raise fail("E0304", f"LARS takes an Optimizer, got a {type(optimizer).__name__}")
        self.opt = optimizer
        self.parameters = optimizer.parameters
        self.epsilon = not_negative("epsilon", epsilon)
        self.coefficient = not_negative("coefficient", coefficient)
        self.use_clip = flag("use_clip", use_clip)
        self.lars_flag = tuple(bool(lars_filter(x)) for x in self.parameters)
        self.decays = optimizer.take_decays()

    def get_lr(self) -> Any:
        """The rate of the optimizer at the present step."""
        return self.opt.get_lr()

    def construct(self, gradients: Any) -> Any:
        check_gradients(gradients, self.parameters)
        rates = self.opt.get_lr()
        found = []
        for index, parameter in enumerate(self.parameters):
            gradient = gradients[index]
            if self.lars_flag[index]:
                rate = rates[index] if self.opt.is_group_lr else rates
                gradient = self._scaled(index, parameter, gradient, rate)
            found = [*found, gradient]
        return self.opt(tuple(found))

    def _scaled(self, index: int, parameter: Any, gradient: Any, rate: Any) -> Any:
        w, decay = self.opt.wide(parameter), self._decay(index, parameter)
        g = self.opt.wide(gradient) / self.opt.loss_scale
        length, steepness = ops.norm(w), ops.norm(g)
        trust = self.coefficient * length / (steepness + decay * length + self.epsilon)
        trust = ops.where(ops.logical_and(length > 0, steepness > 0), trust, 1.0)
        if self.use_clip:
            trust = ops.minimum(trust / self.opt.scalar(rate, parameter), 1.0)
        # The optimizer divides by the scale of the loss.
        return ops.cast(trust * (g + decay * w) * self.opt.loss_scale, gradient.dtype)

    def _decay(self, index: int, parameter: Any) -> Any:
        decay = self.decays[index]
        if isinstance(decay, Cell):
            return self.opt.scalar(decay(self.opt.global_step), parameter)
        return decay
