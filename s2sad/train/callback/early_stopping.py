"""When is more training of no use?"""

from __future__ import annotations

from typing import Any

from s2sad.core.cell import Cell
from s2sad.ops.settings import flag, integer, number
from s2sad.train.callback.callback import RunContext
from s2sad.train.callback.monitored import Monitoring


class EarlyStopping(Monitoring):
    """Ends training once what is monitored has not become better for some epochs.

    Parameters
    ----------
    monitor : str
        ``"eval_loss"``, the name of a metric, or ``"loss"``: that of the last step of an epoch.
    min_delta : number
        What becomes better by less does not.
    patience : int
        So many epochs may not become better. With 0, as with 1, the first such epoch is the last.
    verbose : bool
        Whether a line says so.
    mode : {"auto", "min", "max"}
        Whether less is better; "auto" means that, but for names with "acc".
    baseline : number, optional
        What is no better than that does not count as better.
    restore_best_weights : bool
        Whether in the end Parameters, the optimizer's as well, are those of the best epoch.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in training E0404 where nothing of
        the name is known, and E0405 for what is not one number.

    Examples
    --------
    >>> stopping = EarlyStopping("accuracy", min_delta=0.01, patience=3)
    >>> stopping.is_better(0.9, than=0.8), stopping.is_better(0.905, than=0.9)
    (True, False)
    """

    def __init__(
        self, monitor: str = "eval_loss", min_delta: float = 0, patience: int = 0,
        verbose: bool = False, mode: str = "auto", baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode, min_delta)
        self.patience = integer("patience", patience, 0)
        self.verbose = flag("verbose", verbose)
        self.baseline = None if baseline is None else number("baseline", baseline)
        self.restore_best_weights = flag("restore_best_weights", restore_best_weights)
        self._begin()

    def _begin(self) -> None:
        self.wait = self.stopped_epoch = 0
        self.best = self.worst if self.baseline is None else float(self.baseline)
        self._weights: dict[str, Any] | None = None
        self._best_seen = self.worst

    def on_train_begin(self, run_context: RunContext) -> None:  # noqa: ARG002
        self._begin()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        value = self.value_of(run_context)
        if value is None:
            return
        if self.restore_best_weights and self.is_first_or_better(value):
            self._best_seen, self._weights = value, _copied(params.train_network)
        if self.is_better(value, self.best):
            self.best, self.wait = value, 0
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch = params.cur_epoch_num
            run_context.request_stop()
            self._restore(params.train_network)

    def is_first_or_better(self, value: float) -> bool:
        """Whether no epoch before was as good, whatever the baseline."""
        return self._weights is None or self.is_better(value, self._best_seen)

    def on_train_end(self, run_context: RunContext) -> None:
        if self.verbose and self.stopped_epoch:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping", flush=True)
        self._restore(run_context.original_args().train_network)

    def _restore(self, network: Cell) -> None:
        """Let Parameters be those of the best epoch, if they are to, once."""
        if self._weights is not None:
            for name, parameter in network.parameters_dict().items():
                parameter.set_data(self._weights[name])
            self._weights = None


def _copied(network: Cell) -> dict[str, Any]:
    return {name: x.value().copy() for name, x in network.parameters_dict().items()}
