"""How does Rprop step? By the sign of the gradient, further the longer that stays the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import ops
from s2sad.core.diagnostics import fail
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.nn.optim.rules import require_etas, rprop_step
from s2sad.ops.settings import number


class Rprop(Optimizer):
    """Resilient backpropagation: each element has a step of its own, and only signs count.

    Where the gradient has the sign of the one before, the step grows by ``etas[1]``; where it has
    the other it shrinks by ``etas[0]`` and the gradient counts as 0; steps stay within
    `step_sizes`, the first one is the learning rate. Then ``w -= sign(g) * step``. Here ``g`` is
    the gradient, prepared by `Optimizer`. Source: M. Riedmiller, H. Braun, A direct adaptive
    method for faster backpropagation learning, 1993.

    Parameters
    ----------
    params, learning_rate, weight_decay
        As of `Optimizer`.
    etas : tuple of two float
        One between 0 and 1, and one above 1.
    step_sizes : tuple of two float
        The shortest and the longest step.

    Attributes
    ----------
    prev, step_size : ParameterTuple
        Gradients before and steps, called ``prev.`` and ``step_size.`` and the Parameter's name.

    Raises
    ------
    S2sadError
        Those of `Optimizer`; E0303 for what is no pair, E0404 for numbers that cannot be.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> optimizer = ms.nn.Rprop([w], learning_rate=0.5, etas=(0.5, 1.5))
    >>> [optimizer((ms.Tensor([g]),)) and w.item() for g in (9.0, 0.1, -3.0)]
    [0.5, -0.25, -0.25]
    """

    def __init__(
        self,
        params: Iterable[Any],
        learning_rate: Any = 0.1,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(learning_rate, params, weight_decay)
        require_etas(etas)
        self.etas = etas
        if not isinstance(step_sizes, (tuple, list)) or len(step_sizes) != 2:
            raise fail("E0303", f"step_sizes is a tuple of two numbers, got {step_sizes!r}")
        if not number("step_sizes", step_sizes[0]) <= number("step_sizes", step_sizes[1]):
            raise fail("E0404", f"step_sizes are the least and the largest one, got {step_sizes}")
        self.step_sizes = step_sizes
        self.prev = self.state_like_parameters("prev")
        self.step_size = self.state_like_parameters("step_size")

    def update_parameter(self, index: int, parameter: Any, gradient: Any, rate: Any) -> None:
        step = ops.where(self.steps_made(parameter) == 1, rate, self.step_size[index])
        move = rprop_step(
            self.wide(gradient), self.prev[index], self.step_size[index], step, self.etas,
            self.step_sizes,
        )  # fmt: skip
        ops.assign(parameter, self.wide(parameter) - move)
