"""How do several schedules work together?"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.experimental.optim.lr_scheduler.base import LRScheduler, require_optimizer, set_rates
from s2sad.experimental.optim.optimizer import Optimizer
from s2sad.ops.settings import integer


def _checked(schedulers: Sequence[LRScheduler], optimizer: Optimizer) -> list[LRScheduler]:
    for each in schedulers:
        if each.optimizer is not optimizer:
            raise fail("E0404", "schedules that work together are of one optimizer")
    return list(schedulers)


class SequentialLR:
    """One schedule after the other; each begins at epoch 0 when its milestone is reached.

    Parameters
    ----------
    optimizer : Optimizer
    schedulers : list of LRScheduler
    milestones : list of int
        One less than schedules.
    last_epoch : int

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], 1.0)
    >>> first = optim.lr_scheduler.ConstantLR(optimizer, 0.25, 9)
    >>> second = optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    >>> scheduler = optim.lr_scheduler.SequentialLR(optimizer, [first, second], [2])
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(4)]
    [0.25, 1.0, 0.5, 0.25]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[LRScheduler],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = require_optimizer(optimizer)
        self._schedulers = _checked(schedulers, optimizer)
        self._milestones = [integer("milestones", each) for each in milestones]
        if not self._schedulers or len(self._milestones) != len(self._schedulers) - 1:
            count = len(self._schedulers)
            raise fail("E0404", f"{len(self._milestones)} milestones between {count} schedules")
        self.last_epoch = integer("last_epoch", last_epoch) + 1
        # All of them have made their first step; only that of the first counts.
        set_rates(optimizer, [group["initial_lr"] for group in optimizer.param_groups])
        for each in self._schedulers:
            each.last_epoch -= 1
        self._schedulers[0].step()

    def step(self) -> bool:
        """Count an epoch and let the schedule whose turn it is set the rates."""
        self.last_epoch += 1
        place = bisect_right(self._milestones, self.last_epoch)
        if place > 0 and self._milestones[place - 1] == self.last_epoch:
            self._schedulers[place].step(0)
        else:
            self._schedulers[place].step()
        return True

    def get_last_lr(self) -> list[Tensor]:
        """The rates as they are, 0-d Tensors."""
        return self._schedulers[0].get_last_lr()


class ChainedScheduler:
    """Several schedules of one optimizer, all of which step.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> optimizer = optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="w")], 1.0)
    >>> first = optim.lr_scheduler.ConstantLR(optimizer, 0.5, 2)
    >>> second = optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    >>> scheduler = optim.lr_scheduler.ChainedScheduler([first, second])
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(2)]
    [0.25, 0.25]
    """

    def __init__(self, schedulers: Sequence[LRScheduler]) -> None:
        if not schedulers:
            raise fail("E0404", "ChainedScheduler got no schedules")
        self.optimizer = schedulers[0].optimizer
        self._schedulers = _checked(schedulers, self.optimizer)

    def step(self) -> bool:
        """Let each of them count an epoch and change the rates."""
        return all([each.step() for each in self._schedulers])

    def get_last_lr(self) -> list[Tensor]:
        """The rates as they are, 0-d Tensors."""
        return self._schedulers[-1].get_last_lr()
