"""How did loss and metrics go, epoch by epoch?"""

from __future__ import annotations

from typing import Any

from s2sad.train.callback.callback import Callback, RunContext
from s2sad.train.callback.outputs import loss_of


class History(Callback):
    """Remembers epochs, the loss of the last step of each, and the metrics of evaluations.

    Attributes
    ----------
    epoch : dict
        ``{"epoch": [1, 2, ...]}``.
    history : dict
        ``"net_output"``, the losses, and each metric by its name: lists.

    Examples
    --------
    >>> import s2sad as ms
    >>> from s2sad.train.callback import CallbackParams
    >>> history = History()
    >>> history.epoch_end(RunContext(CallbackParams(cur_epoch_num=1, net_outputs=ms.Tensor(0.5))))
    >>> history.epoch, history.history
    ({'epoch': [1]}, {'net_output': [0.5]})
    """

    def __init__(self) -> None:
        self.epoch: dict[str, list[int]] = {"epoch": []}
        self.history: dict[str, list[Any]] = {}

    def begin(self, run_context: RunContext) -> None:  # noqa: ARG002
        self.epoch, self.history = {"epoch": []}, {}

    def epoch_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        self.epoch["epoch"].append(params.get("cur_epoch_num", 1))
        found = {"net_output": loss_of(params.net_outputs), **(params.get("metrics") or {})}
        for name, value in found.items():
            self.history.setdefault(name, []).append(value)
