"""How does a rate fall when a measure stops getting better?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.experimental.optim.lr_scheduler.base import rate_of, require_optimizer, set_rates
from s2sad.experimental.optim.optimizer import Optimizer
from s2sad.ops.settings import integer, number


class ReduceLROnPlateau:
    """Times `factor` when the measure has not become better for more than `patience` epochs.

    Parameters
    ----------
    optimizer : Optimizer
    mode : {"min", "max"}
        Whether less or more is better.
    factor : float
        Below 1.
    patience, cooldown : int
        Epochs that are waited for, and that are not counted after a change.
    threshold : float
    threshold_mode : {"rel", "abs"}
        Better is by this share of the best so far, or by this much.
    min_lr : float, or list of one a group
    eps : float
        Smaller changes of a rate are not made.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], 1.0)
    >>> scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=0)
    >>> [scheduler.step(loss) and scheduler.get_last_lr()[0].item() for loss in (3.0, 2.0, 2.0)]
    [1.0, 1.0, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0.0,
        eps: float = 1e-8,
    ) -> None:
        self.optimizer = require_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise fail("E0404", f"mode is 'min' or 'max', got {mode!r}")
        if threshold_mode not in ("rel", "abs"):
            raise fail("E0404", f"threshold_mode is 'rel' or 'abs', got {threshold_mode!r}")
        if not number("factor", factor) < 1:
            raise fail("E0404", f"factor is below 1, got {factor}")
        count = len(optimizer.param_groups)
        several = isinstance(min_lr, (tuple, list))
        self.min_lrs: list[Any] = list(min_lr) if several else [min_lr] * count  # type: ignore[arg-type]
        if len(self.min_lrs) != count:
            raise fail("E0404", f"{len(self.min_lrs)} of min_lr for {count} groups")
        self.mode, self.factor, self.threshold_mode = mode, factor, threshold_mode
        self.patience, self.cooldown = integer("patience", patience), integer("cooldown", cooldown)
        self.threshold, self.eps = number("threshold", threshold), number("eps", eps)
        self.best = float("inf") if mode == "min" else -float("inf")
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0

    def step(self, metrics: Any) -> bool:
        """Count an epoch whose measure was `metrics`, a number or a Tensor of one element."""
        current = metrics.item() if isinstance(metrics, Tensor) else float(metrics)
        self.last_epoch += 1
        if self._is_better(current):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        return True

    @property
    def in_cooldown(self) -> bool:
        """Whether bad epochs are not counted at present."""
        return self.cooldown_counter > 0

    def _is_better(self, current: float) -> bool:
        change = -self.threshold if self.mode == "min" else self.threshold
        if self.threshold_mode == "abs":
            bound = self.best + change
        else:
            bound = self.best * (1 + change)
        return current < bound if self.mode == "min" else current > bound

    def _reduce(self) -> None:
        old = [rate_of(group) for group in self.optimizer.param_groups]
        new = [
            max(rate * self.factor, least) for rate, least in zip(old, self.min_lrs, strict=True)
        ]
        pairs = zip(old, new, strict=True)
        set_rates(self.optimizer, [n if o - n > self.eps else o for o, n in pairs])

    def get_last_lr(self) -> list[Tensor]:
        """The rates as they are, 0-d Tensors."""
        return [Tensor(group["lr"].array.copy()) for group in self.optimizer.param_groups]
