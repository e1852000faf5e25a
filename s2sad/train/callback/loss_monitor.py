"""What is the loss, step by step?"""

from __future__ import annotations

import math

from s2sad.core.diagnostics import fail
from s2sad.ops.settings import integer
from s2sad.train.callback.callback import Callback, RunContext
from s2sad.train.callback.outputs import loss_of


class LossMonitor(Callback):
    """Prints the loss, and within `Model.fit` the metrics after each evaluation.

    Training ends where the loss is not finite.

    Parameters
    ----------
    per_print_times : int
        Steps from one line to the next; 0 for no lines.

    Raises
    ------
    S2sadError
        E0303 or E0404 for another number of steps; in training E0404 for a loss that is NaN or
        infinite.

    Examples
    --------
    >>> import s2sad as ms
    >>> from s2sad.train.callback import CallbackParams
    >>> params = CallbackParams(
    ...     mode="train", cur_epoch_num=1, cur_step_num=2, batch_num=8, net_outputs=ms.Tensor(6.5))
    >>> LossMonitor().step_end(RunContext(params))
    epoch: 1 step: 2, loss is 6.5
    """

    def __init__(self, per_print_times: int = 1) -> None:
        self._per_print_times = integer("per_print_times", per_print_times, 0)
        self._last_printed = 0

    def begin(self, run_context: RunContext) -> None:  # noqa: ARG002
        self._last_printed = 0

    def step_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if params.get("mode") == "eval":
            return
        loss, epoch = loss_of(params.net_outputs), params.get("cur_epoch_num", 1)
        step = (params.cur_step_num - 1) % params.batch_num + 1
        if isinstance(loss, float) and not math.isfinite(loss):
            raise fail(
                "E0404", f"the loss is {loss} in epoch {epoch}, step {step}: training ends",
                help="try a smaller learning rate, or look where the first NaN comes from",
            )  # fmt: skip
        is_due = params.cur_step_num - self._last_printed >= self._per_print_times
        if self._per_print_times and is_due:
            self._last_printed = params.cur_step_num
            print(f"epoch: {epoch} step: {step}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        super().on_train_epoch_end(run_context)
        params = run_context.original_args()
        if params.get("metrics"):
            print(f"Eval result: epoch {params.cur_epoch_num}, metrics: {params.metrics}")
