"""Which schedules let a rate fall, or rise, from epoch to epoch?"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.experimental.optim.lr_scheduler.base import LRScheduler
from s2sad.experimental.optim.optimizer import Optimizer
from s2sad.ops.settings import integer, number


class _Factor(LRScheduler):
    """Multiplies each rate by a number, whatever else changed it."""

    def factor(self) -> float:
        """What rates are multiplied by in this epoch."""
        raise fail("E0220", f"{type(self).__name__} has no method 'factor'", help="define it")

    def get_lr(self) -> list[float]:
        factor = self.factor()
        return [rate * factor for rate in self.rates()]


class StepLR(_Factor):
    """Times `gamma` each `step_size` epochs.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = optim.lr_scheduler.StepLR(optim.SGD([w], 0.5), 2, gamma=0.5)
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(4)]
    [0.5, 0.25, 0.25, 0.125]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = integer("step_size", step_size, 1)
        self.gamma = number("gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        return 1.0 if self.last_epoch == 0 or self.last_epoch % self.step_size else self.gamma

    def _get_closed_form_lr(self) -> list[float]:
        factor = self.gamma ** (self.last_epoch // self.step_size)
        return [rate * factor for rate in self.base_lrs]


class MultiStepLR(_Factor):
    """Times `gamma` at each of the epochs `milestones`.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = optim.lr_scheduler.MultiStepLR(optim.SGD([w], 0.5), [1, 3], gamma=0.5)
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(3)]
    [0.25, 0.25, 0.125]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = Counter(integer("milestones", each) for each in milestones)
        self.gamma = number("gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        return self.gamma ** self.milestones[self.last_epoch]

    def _get_closed_form_lr(self) -> list[float]:
        factor = self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [rate * factor for rate in self.base_lrs]


class ExponentialLR(_Factor):
    """Times `gamma` each epoch.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = optim.lr_scheduler.ExponentialLR(optim.SGD([w], 0.5), gamma=0.5)
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(2)]
    [0.25, 0.125]
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = number("gamma", gamma)
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        return self.gamma if self.last_epoch else 1.0

    def _get_closed_form_lr(self) -> list[float]:
        return [rate * self.gamma**self.last_epoch for rate in self.base_lrs]


class ConstantLR(_Factor):
    """Times `factor` until `total_iters` epochs are over.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = optim.lr_scheduler.ConstantLR(optim.SGD([w], 0.5), 0.5, 2)
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(3)]
    [0.25, 0.5, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < number("factor", factor) <= 1:
            raise fail("E0404", f"factor is above 0 and at most 1, got {factor}")
        self.first_factor, self.total_iters = factor, integer("total_iters", total_iters, 0)
        super().__init__(optimizer, last_epoch)

    def factor(self) -> float:
        if self.last_epoch == 0:
            return self.first_factor
        return 1 / self.first_factor if self.last_epoch == self.total_iters else 1.0

    def _get_closed_form_lr(self) -> list[float]:
        factor = self.first_factor if self.last_epoch < self.total_iters else 1.0
        return [rate * factor for rate in self.base_lrs]


class LinearLR(_Factor):
    """Times what goes from `start_factor` to `end_factor` within `total_iters` epochs.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = optim.lr_scheduler.LinearLR(optim.SGD([w], 1.0), 0.5, total_iters=2)
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(3)]
    [0.75, 1.0, 1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < number("start_factor", start_factor) <= 1:
            raise fail("E0404", f"start_factor is above 0 and at most 1, got {start_factor}")
        if not 0 <= number("end_factor", end_factor) <= 1:
            raise fail("E0404", f"end_factor is from 0 to 1, got {end_factor}")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = integer("total_iters", total_iters, 1)
        super().__init__(optimizer, last_epoch)

    def _level(self, epoch: int) -> float:
        share = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share

    def factor(self) -> float:
        if self.last_epoch == 0:
            return self.start_factor
        return self._level(self.last_epoch) / self._level(self.last_epoch - 1)

    def _get_closed_form_lr(self) -> list[float]:
        return [rate * self._level(self.last_epoch) for rate in self.base_lrs]


class PolynomialLR(_Factor):
    """Times ``(1 - epoch / total_iters) ** power``, 0 from `total_iters` on.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = optim.lr_scheduler.PolynomialLR(optim.SGD([w], 0.5), 2)
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(3)]
    [0.25, 0.0, 0.0]
    """

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = integer("total_iters", total_iters, 1)
        self.power = number("power", power)
        super().__init__(optimizer, last_epoch)

    def _level(self, epoch: int) -> float:
        return (1 - min(epoch, self.total_iters) / self.total_iters) ** self.power

    def factor(self) -> float:
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return 1.0
        return self._level(self.last_epoch) / self._level(self.last_epoch - 1)

    def _get_closed_form_lr(self) -> list[float]:
        return [rate * self._level(self.last_epoch) for rate in self.base_lrs]


Rule = Callable[[int], Any]


class _Lambda(LRScheduler):
    def __init__(
        self, optimizer: Optimizer, lr_lambda: Rule | Sequence[Rule], last_epoch: int = -1
    ) -> None:
        count = len(getattr(optimizer, "param_groups", ()))
        several = isinstance(lr_lambda, (tuple, list))
        self.lr_lambdas: list[Rule] = list(lr_lambda) if several else [lr_lambda] * count  # type: ignore[list-item]
        if len(self.lr_lambdas) != count:
            raise fail("E0404", f"{len(self.lr_lambdas)} functions for {count} groups")
        super().__init__(optimizer, last_epoch)

    def _factors(self) -> list[float]:
        return [float(rule(self.last_epoch)) for rule in self.lr_lambdas]


class LambdaLR(_Lambda):
    """The first rate times what a function, or one a group, makes of the epoch.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = optim.lr_scheduler.LambdaLR(optim.SGD([w], 0.5), lambda epoch: 0.5**epoch)
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(2)]
    [0.25, 0.125]
    """

    def get_lr(self) -> list[float]:
        return [r * factor for r, factor in zip(self.base_lrs, self._factors(), strict=True)]


class MultiplicativeLR(_Lambda):
    """The rate before times what a function, or one a group, makes of the epoch.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = optim.lr_scheduler.MultiplicativeLR(optim.SGD([w], 0.5), lambda epoch: 0.5)
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(2)]
    [0.25, 0.125]
    """

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return self.rates()
        return [r * factor for r, factor in zip(self.rates(), self._factors(), strict=True)]
