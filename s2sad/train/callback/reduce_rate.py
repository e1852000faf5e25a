"""When does a smaller learning rate help?"""

from __future__ import annotations

from s2sad.core.diagnostics import fail
from s2sad.ops.settings import flag, integer, not_negative
from s2sad.train.callback.callback import CallbackParams, RunContext
from s2sad.train.callback.monitored import Monitoring
from s2sad.train.callback.rates import rate_of, set_rate


class ReduceLROnPlateau(Monitoring):
    """Makes the learning rate smaller once what is monitored has not become better for some epochs.

    Parameters
    ----------
    monitor : str
        ``"eval_loss"``, the name of a metric, or ``"loss"``: that of the last step of an epoch.
    factor : number
        The rate becomes this part of itself; it is below 1.
    patience : int
        So many epochs may not become better before it does.
    verbose : bool
        Whether a line says so.
    mode : {"auto", "min", "max"}
        Whether less is better; "auto" means that, but for names with "acc".
    min_delta : number
        What becomes better by less does not.
    cooldown : int
        Epochs after that which do not count.
    min_lr : number
        It becomes no smaller than that.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in training E0404 where nothing of
        the name is known or the optimizer has no one rate, and E0405 for what is not one number.

    Examples
    --------
    >>> import s2sad as ms
    >>> optimizer = ms.nn.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], 0.5)
    >>> plateau = ReduceLROnPlateau(factor=0.5, patience=3)
    >>> plateau.reduce(CallbackParams(optimizer=optimizer, cur_epoch_num=4))
    >>> optimizer.learning_rate.item()
    0.25
    """

    def __init__(
        self, monitor: str = "eval_loss", factor: float = 0.1, patience: int = 10,
        verbose: bool = False, mode: str = "auto", min_delta: float = 1e-4, cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode, min_delta)
        self.factor = not_negative("factor", factor)
        if self.factor >= 1:
            raise fail("E0404", f"factor is below 1, got {factor}")
        self.patience = integer("patience", patience, 0)
        self.verbose = flag("verbose", verbose)
        self.cooldown = integer("cooldown", cooldown, 0)
        self.min_lr = not_negative("min_lr", min_lr)
        self._begin()

    def _begin(self) -> None:
        self.best = self.worst
        self.wait = self.cooldown_counter = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        rate_of(run_context.original_args().get("optimizer"))  # to say so now if there is none
        self._begin()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        value = self.value_of(run_context)
        if value is None:
            return
        if self.cooldown_counter:
            self.cooldown_counter -= 1
            self.wait = 0
        if self.is_better(value, self.best):
            self.best, self.wait = value, 0
        elif not self.cooldown_counter:
            self.wait += 1
            if self.wait >= self.patience:
                self.reduce(params)

    def reduce(self, params: CallbackParams) -> None:
        """Make the rate smaller, and begin to wait again."""
        self.wait, self.cooldown_counter = 0, self.cooldown
        rate = rate_of(params.optimizer)
        before = float(rate.asnumpy())
        after = max(before * self.factor, self.min_lr)
        if after >= before:
            return
        set_rate(rate, after)
        if self.verbose:
            said = f"Epoch {params.cur_epoch_num:05d}: ReduceLROnPlateau reducing learning rate"
            print(f"{said} to {after}.", flush=True)
