"""How does a function set the learning rate of each step?"""

from __future__ import annotations

import math
from collections.abc import Callable

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.train.callback.callback import Callback, RunContext
from s2sad.train.callback.rates import rate_of, set_rate


class LearningRateScheduler(Callback):
    """Sets the learning rate after each step, for the next.

    No step runs ahead of it. A schedule in the optimizer, `nn.exponential_decay_lr`, is quicker.

    Parameters
    ----------
    learning_rate_function : callable
        ``learning_rate_function(rate, step)`` gives the new rate; steps count from 1.

    Raises
    ------
    S2sadError
        E0304 for what cannot be called; in training E0404 for an optimizer without one rate.

    Examples
    --------
    >>> import s2sad as ms
    >>> from s2sad.train.callback import CallbackParams
    >>> optimizer = ms.nn.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], 0.5)
    >>> halving = LearningRateScheduler(lambda rate, step: rate / 2 if step % 10 == 0 else rate)
    >>> params = CallbackParams(optimizer=optimizer, cur_step_num=10)
    >>> halving.on_train_step_end(RunContext(params))
    >>> optimizer.learning_rate.item()
    0.25
    """

    needs_parameters = True

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        if not callable(learning_rate_function):
            given = shown(learning_rate_function)
            raise fail("E0304", f"learning_rate_function is a function, got {given}")
        self.learning_rate_function = learning_rate_function

    def on_train_step_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        rate = rate_of(params.optimizer)
        before = float(rate.asnumpy())
        after = float(self.learning_rate_function(before, params.cur_step_num))
        if not math.isclose(before, after, rel_tol=1e-10):
            set_rate(rate, after)
