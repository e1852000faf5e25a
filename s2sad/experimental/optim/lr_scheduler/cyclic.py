"""Which schedules go up and down?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.experimental.optim.lr_scheduler.base import LRScheduler, require_optimizer, set_rates
from s2sad.experimental.optim.optimizer import Optimizer
from s2sad.ops.settings import integer, number


def _cosine(low: float, high: float, share: float) -> float:
    """From `high`, at 0, to `low`, at 1."""
    return low + (high - low) * (1 + math.cos(math.pi * share)) / 2


class CosineAnnealingLR(LRScheduler):
    """Along half a cosine from the first rate to `eta_min` in `T_max` epochs, and back.

    Source: I. Loshchilov, F. Hutter, SGDR: stochastic gradient descent with warm restarts, 2017.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = optim.lr_scheduler.CosineAnnealingLR(optim.SGD([w], 1.0), T_max=2)
    >>> [scheduler.step() and round(scheduler.get_last_lr()[0].item(), 4) for _ in range(4)]
    [0.5, 0.0, 0.5, 1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_max: int,  # noqa: N803 - MindSpore's name
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        self.T_max, self.eta_min = integer("T_max", T_max, 1), number("eta_min", eta_min)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        epoch, bottom = self.last_epoch, self.eta_min
        if epoch == 0:
            return self.rates()
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # from the lowest rate upwards
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(self.rates(), self.base_lrs, strict=True)
            return [rate + (first - bottom) * rise for rate, first in pairs]
        now, before = (1 + math.cos(math.pi * t / self.T_max) for t in (epoch, epoch - 1))
        return [bottom + now / before * (rate - bottom) for rate in self.rates()]

    def _get_closed_form_lr(self) -> list[float]:
        share = self.last_epoch / self.T_max
        return [_cosine(self.eta_min, first, share) for first in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Along half a cosine from the first rate to `eta_min` in `T_0` epochs, then from the start.

    Each round is `T_mult` times as long as the one before. `step` takes parts of epochs, too.
    Source: I. Loshchilov, F. Hutter, SGDR: stochastic gradient descent with warm restarts, 2017.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = optim.lr_scheduler.CosineAnnealingWarmRestarts(optim.SGD([w], 1.0), 2)
    >>> [scheduler.step() and round(scheduler.get_last_lr()[0].item(), 4) for _ in range(4)]
    [0.5, 1.0, 0.5, 1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,  # noqa: N803 - MindSpore's name
        T_mult: int = 1,  # noqa: N803 - MindSpore's name
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        self.T_0, self.T_mult = integer("T_0", T_0, 1), integer("T_mult", T_mult, 1)
        self.eta_min = number("eta_min", eta_min)
        self.position: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        passed, length = self._place(max(self.position, 0))
        return [_cosine(self.eta_min, first, passed / length) for first in self.base_lrs]

    def _place(self, position: float) -> tuple[float, float]:
        """How far into its round `position` is, and how long that round is."""
        if self.T_mult == 1:
            return position % self.T_0, self.T_0
        round_number = int(math.log(position / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
        length = self.T_0 * self.T_mult**round_number
        start = self.T_0 * (self.T_mult**round_number - 1) / (self.T_mult - 1)
        return position - start, length

    def step(self, epoch: float | None = None) -> bool:  # type: ignore[override]
        """Count an epoch, or go to `epoch`, which need not be whole, and set the rates."""
        if epoch is not None and number("epoch", epoch) < 0:
            raise fail("E0404", f"epoch is not negative, got {epoch}")
        self.position = self.position + 1 if epoch is None else float(epoch)
        self.last_epoch = math.floor(self.position)
        set_rates(self.optimizer, self.get_lr())
        return True


class CyclicLR(LRScheduler):
    """Up from `base_lr` to `max_lr` in `step_size_up` steps, down in `step_size_down`, and again.

    ``"triangular2"`` halves the height each round, ``"exp_range"`` multiplies it by
    ``gamma**steps``; a `scale_fn` does so by what it makes of the round, from 1, or with
    ``scale_mode="iterations"`` of the steps. Source: L. Smith, Cyclical learning rates for
    training neural networks, 2017.

    Examples
    --------
    >>> import s2sad as ms
    >>> optim = ms.experimental.optim
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> scheduler = optim.lr_scheduler.CyclicLR(optim.SGD([w], 0.5), 0.5, 1.0, step_size_up=2)
    >>> [scheduler.step() and scheduler.get_last_lr()[0].item() for _ in range(4)]
    [0.75, 1.0, 0.75, 0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | Sequence[float],
        max_lr: float | Sequence[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[int], float] | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
    ) -> None:
        count = len(require_optimizer(optimizer).param_groups)
        lows, self.max_lrs = _each(count, "base_lr", base_lr), _each(count, "max_lr", max_lr)
        up = integer("step_size_up", step_size_up, 1)
        down = up if step_size_down is None else integer("step_size_down", step_size_down, 1)
        self.total_size, self.step_ratio = up + down, up / (up + down)
        if scale_mode not in ("cycle", "iterations"):
            raise fail("E0404", f"scale_mode is 'cycle' or 'iterations', got {scale_mode!r}")
        if scale_fn is None and mode not in SCALES:
            raise fail("E0404", f"mode is one of {', '.join(SCALES)}, got {mode!r}")
        self.mode, self.gamma, self.scale_fn = mode, number("gamma", gamma), scale_fn
        self.scale_mode = scale_mode
        for group, low in zip(optimizer.param_groups, lows, strict=True):
            group["initial_lr"] = low
        if last_epoch == -1:
            set_rates(optimizer, lows)
        super().__init__(optimizer, last_epoch)

    def _scale(self, cycle: int) -> float:
        if self.scale_fn is not None:
            return self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        return SCALES[self.mode](cycle, self.last_epoch, self.gamma)

    def get_lr(self) -> list[float]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        share = 1 + self.last_epoch / self.total_size - cycle
        up = self.step_ratio
        height = share / up if share <= up else (share - 1) / (up - 1)
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * height * self._scale(cycle) for low, high in pairs]


#: The height of round `cycle`, or of a step, among rounds.
SCALES: dict[str, Callable[[int, int, float], float]] = {
    "triangular": lambda cycle, step, gamma: 1.0,
    "triangular2": lambda cycle, step, gamma: 0.5 ** (cycle - 1),
    "exp_range": lambda cycle, step, gamma: gamma**step,
}


def _each(count: int, name: str, given: Any) -> list[float]:
    several = list(given) if isinstance(given, (tuple, list)) else [given] * count
    if len(several) != count:
        raise fail("E0404", f"{len(several)} of {name} for {count} groups")
    return [float(number(name, each)) for each in several]
