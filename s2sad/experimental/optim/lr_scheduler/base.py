"""How does a schedule change the rates of an optimizer?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.experimental.optim.optimizer import Optimizer
from s2sad.ops.settings import integer


class LRScheduler:
    """Base of schedules: each `step` counts an epoch and sets the rate of each group.

    Subclasses define `get_lr`, which gives a rate a group; `_get_closed_form_lr`, where they have
    it, gives those of an epoch that is jumped to. Making one makes the step to epoch 0.

    Parameters
    ----------
    optimizer : Optimizer of `s2sad.experimental.optim`
    last_epoch : int
        -1 to begin; else the epoch to go on from, for groups that have ``initial_lr``.

    Attributes
    ----------
    last_epoch : int
    base_lrs : list of float
        The rates of the groups at first.

    Raises
    ------
    S2sadError
        E0304 for what is no such optimizer, E0303 or E0404 for an epoch that cannot be.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> class Halving(optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [rate * 0.5**self.last_epoch for rate in self.base_lrs]
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = Halving(optim.SGD([w], 0.5))
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(2)]
    [0.25, 0.125]
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = require_optimizer(optimizer)
        integer("last_epoch", last_epoch, -1)
        for place, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", rate_of(group))
            elif "initial_lr" not in group:
                raise fail(
                    "E0404", f"group {place} has no 'initial_lr' to go on from", help="name it"
                )
        self.base_lrs = [float(group["initial_lr"]) for group in optimizer.param_groups]
        self.groups_num = len(optimizer.param_groups)
        self.last_epoch = last_epoch
        self.step()

    @property
    def _last_lr(self) -> list[Any]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def rates(self) -> list[float]:
        """The rates as they are."""
        return [rate_of(group) for group in self.optimizer.param_groups]

    def get_lr(self) -> Sequence[Any]:
        """The rate of each group in this epoch."""
        raise fail("E0220", f"{type(self).__name__} has no method 'get_lr'", help="define it")

    def get_last_lr(self) -> list[Tensor]:
        """The rates as they are, 0-d Tensors."""
        return [Tensor(rate.array.copy()) for rate in self._last_lr]

    def step(self, epoch: int | None = None) -> bool:
        """Count an epoch, or go to `epoch`, and set the rates."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else integer("epoch", epoch)
        closed: Callable[[], Sequence[Any]] | None = getattr(self, "_get_closed_form_lr", None)
        set_rates(self.optimizer, self.get_lr() if epoch is None or closed is None else closed())
        return True


def require_optimizer(given: Any) -> Optimizer:
    """`given`, which must have groups of settings (E0304)."""
    if not isinstance(given, Optimizer):
        kind = type(given).__name__
        raise fail(
            "E0304", f"a schedule takes an Optimizer of s2sad.experimental.optim, got a {kind}"
        )
    return given


def rate_of(group: dict[str, Any]) -> float:
    """The rate of a group; a number where somebody put one into its place."""
    rate = group["lr"]
    return rate.item() if isinstance(rate, Tensor) else float(rate)


def set_rates(optimizer: Optimizer, rates: Sequence[Any]) -> None:
    """Let each group have its rate from the next step on."""
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        plain = rate.item() if isinstance(rate, Tensor) else float(rate)
        if isinstance(group["lr"], Parameter):
            group["lr"].set_data(plain)
        else:
            group["lr"] = plain
