"""How far has an epoch come?"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from s2sad.core.progress import progress
from s2sad.train.callback.callback import Callback, RunContext


class ProgressBar(Callback):
    """Draws a bar for each epoch of training on a terminal; elsewhere nothing.

    `Model.train` and `Model.fit` have one where no other callback is given.

    Examples
    --------
    >>> from s2sad.train.callback import CallbackParams
    >>> context, bar = RunContext(CallbackParams(cur_epoch_num=1, batch_num=1)), ProgressBar()
    >>> bar.on_train_epoch_begin(context)
    >>> bar.on_train_step_end(context)
    >>> bar.on_train_epoch_end(context)
    """

    def __init__(self) -> None:
        self._bar = ExitStack()
        self._tick: Any = None

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        self._bar.close()
        title = f"epoch {params.cur_epoch_num}"
        self._tick = self._bar.enter_context(progress(title, params.batch_num))

    def on_train_step_end(self, run_context: RunContext) -> None:  # noqa: ARG002
        self._tick()

    def on_train_epoch_end(self, run_context: RunContext) -> None:  # noqa: ARG002
        self._bar.close()

    def __exit__(self, *exception: Any) -> None:
        self._bar.close()
