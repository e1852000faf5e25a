"""How does a learning rate change from step to step? By a Cell that is given the step."""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor


class LearningRateSchedule(Cell):
    """Base of learning rates: `construct` takes the step, int32 of shape (1,), the first being 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> class Halving(LearningRateSchedule):
    ...     def construct(self, global_step):
    ...         return 0.5 ** ms.ops.cast(global_step, ms.float32)
    >>> w = ms.Parameter(ms.Tensor([0.0]), name="w")
    >>> optimizer = ms.nn.SGD([w], Halving())
    >>> for _ in range(3):
    ...     _ = optimizer((ms.Tensor([1.0]),))
    >>> w.asnumpy()
    array([-1.75], dtype=float32)
    """

    def __init__(self) -> None:
        super().__init__(auto_prefix=False)


class RateList(LearningRateSchedule):
    """A rate for each step; beyond the last one a step is an error (E0501).

    Parameters
    ----------
    rates : Tensor, float32, shape (steps,)
    name : str
        Of the Parameter that holds them.

    Attributes
    ----------
    learning_rate : Parameter
    """

    def __init__(self, rates: Tensor, name: str) -> None:
        super().__init__()
        self.learning_rate = Parameter(rates, name, requires_grad=False)

    def construct(self, global_step: Any) -> Any:
        return ops.gather(self.learning_rate, global_step, 0)
