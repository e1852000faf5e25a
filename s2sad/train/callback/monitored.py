"""Does what is monitored of an epoch get better?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.ops.settings import number
from s2sad.train.callback.callback import Callback, RunContext
from s2sad.train.callback.outputs import loss_of

MODES = ("auto", "min", "max")


class Monitoring(Callback):
    """Base of callbacks that look at one value after each epoch.

    Parameters
    ----------
    monitor : str
        ``"eval_loss"``, the name of a metric, or ``"loss"``: that of the last step.
    mode : {"auto", "min", "max"}
        Whether less is better; "auto" means that, but for names with "acc".
    min_delta : number
        Changes of less are none.
    """

    def __init__(self, monitor: str, mode: str, min_delta: float) -> None:
        if not isinstance(monitor, str):
            raise fail("E0303", f"monitor is a name, got {monitor!r}")
        if mode not in MODES:
            raise fail("E0404", f"mode is one of {', '.join(MODES)}, got {mode!r}")
        self.monitor = monitor
        self.mode = mode
        self.min_delta = abs(number("min_delta", min_delta))
        self.is_less_better = mode == "min" or (mode == "auto" and "acc" not in monitor)

    @property
    def worst(self) -> float:
        """What every number is better than."""
        return float("inf") if self.is_less_better else float("-inf")

    def is_better(self, value: float, than: float) -> bool:
        """Whether `value` is better by more than `min_delta`; NaN never is."""
        if self.is_less_better:
            return value < than - self.min_delta
        return value > than + self.min_delta

    def value_of(self, context: RunContext) -> float | None:
        """What is monitored of this epoch; None where it had no evaluation, but others have.

        Raises
        ------
        S2sadError
            E0404 where nothing has the name, E0405 for what is not one number.
        """
        params = context.original_args()
        found = {"loss": loss_of(params.net_outputs), **params.get("eval_results", {})}
        if self.monitor in found:
            return _number(self.monitor, found[self.monitor])
        if context.evaluates and "eval_results" not in params:
            return None
        raise fail(
            "E0404", f"{type(self).__name__} monitors {self.monitor!r}, which does not exist",
            help=f"there is {', '.join(map(repr, found))}; "
            "evaluation within training is Model.fit(..., valid_dataset)",
        )  # fmt: skip


def _number(name: str, found: Any) -> float:
    array = np.asarray(found.asnumpy() if isinstance(found, Tensor) else found)
    if array.size != 1 or array.dtype.kind not in "fiub":
        raise fail("E0405", f"{name!r}, which is monitored, is one number, got {found!r}")
    return float(array.reshape(()))
