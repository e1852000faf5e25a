"""By which rules do learning rates fall, or rise, from step to step?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.nn.learning_rate_schedule import LearningRateSchedule
from s2sad.ops.settings import flag, integer, not_negative, positive


def positive_float(name: str, given: Any) -> float:
    """`given`, a float, no int (E0303), above 0 and finite (E0404)."""
    return positive(name, _no_int(name, given))


def float_from_zero(name: str, given: Any) -> float:
    """`given`, a float, no int (E0303), from 0 on and finite (E0404)."""
    return not_negative(name, _no_int(name, given))


def low_and_high(min_lr: Any, max_lr: Any) -> tuple[float, float]:
    """Two rates, floats (E0303), the first from 0 on and below the second (E0404)."""
    low, high = float_from_zero("min_lr", min_lr), positive_float("max_lr", max_lr)
    if low >= high:
        raise fail("E0404", f"min_lr is below max_lr, got {min_lr} and {max_lr}")
    return low, high


def _no_int(name: str, given: Any) -> float:
    if not isinstance(given, float):
        raise fail("E0303", f"{name} is a float, got {given!r}", help="write 1.0 for 1")
    return given


class _Decay(LearningRateSchedule):
    """A rate, how fast it falls, and over how many steps."""

    def __init__(
        self, learning_rate: float, decay_rate: float, decay_steps: int, is_stair: bool = False
    ) -> None:
        super().__init__()
        self.learning_rate = positive_float("learning_rate", learning_rate)
        self.decay_rate = positive_float("decay_rate", decay_rate)
        self.decay_steps = integer("decay_steps", decay_steps, 1)
        self.is_stair = flag("is_stair", is_stair)

    def periods(self, global_step: Any) -> Any:
        """How many times `decay_steps` have passed, in whole numbers on stairs."""
        if self.is_stair:
            return ops.cast(global_step // self.decay_steps, dtypes.float32)
        return ops.cast(global_step, dtypes.float32) / self.decay_steps


class ExponentialDecayLR(_Decay):
    """``learning_rate * decay_rate ** (step / decay_steps)``.

    Parameters
    ----------
    learning_rate, decay_rate : float
        Positive, and no int.
    decay_steps : int
        At least 1.
    is_stair : bool
        Whether the exponent is rounded down.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value.

    Examples
    --------
    >>> import s2sad as ms
    >>> rate = ms.nn.ExponentialDecayLR(0.5, 0.25, 2)
    >>> [rate(ms.Tensor(step)).item() for step in range(3)]
    [0.5, 0.25, 0.125]
    """

    def construct(self, global_step: Any) -> Any:
        return self.learning_rate * self.decay_rate ** self.periods(global_step)


class NaturalExpDecayLR(_Decay):
    """``learning_rate * e ** (-decay_rate * step)``; on stairs the step is one of `decay_steps`.

    Parameters and errors are those of `ExponentialDecayLR`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.NaturalExpDecayLR(0.5, 0.25, 4, True)(ms.Tensor(3)).item()
    0.5
    """

    def construct(self, global_step: Any) -> Any:
        step = ops.cast(global_step, dtypes.float32)
        if self.is_stair:
            step = self.periods(global_step) * self.decay_steps
        return self.learning_rate * ops.exp(-self.decay_rate * step)


class InverseDecayLR(_Decay):
    """``learning_rate / (1 + decay_rate * step / decay_steps)``.

    Parameters and errors are those of `ExponentialDecayLR`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.InverseDecayLR(0.5, 1.0, 2)(ms.Tensor(6)).item()
    0.125
    """

    def construct(self, global_step: Any) -> Any:
        return self.learning_rate / (1 + self.decay_rate * self.periods(global_step))


class CosineDecayLR(LearningRateSchedule):
    """From `max_lr` down to `min_lr` by half a period of a cosine.

    Parameters
    ----------
    min_lr, max_lr : float
        No ints; the first at least 0 and below the second.
    decay_steps : int
        At least 1: the steps of the half period, after which the rate stays `min_lr`.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value.

    Examples
    --------
    >>> import s2sad as ms
    >>> rate = ms.nn.CosineDecayLR(0.0, 0.5, 2)
    >>> [round(rate(ms.Tensor(step)).item(), 6) for step in range(4)]
    [0.5, 0.25, 0.0, 0.0]
    """

    def __init__(self, min_lr: float, max_lr: float, decay_steps: int) -> None:
        super().__init__()
        self.min_lr, self.max_lr = low_and_high(min_lr, max_lr)
        self.decay_steps = integer("decay_steps", decay_steps, 1)

    def construct(self, global_step: Any) -> Any:
        step = p.minimum(ops.cast(global_step, dtypes.float32), self.decay_steps)
        wave = 1 + ops.cos(step * (math.pi / self.decay_steps))
        return self.min_lr + 0.5 * (self.max_lr - self.min_lr) * wave


class PolynomialDecayLR(LearningRateSchedule):
    """``(learning_rate - end_learning_rate) * (1 - step / decay_steps) ** power``, and the end.

    Parameters
    ----------
    learning_rate, end_learning_rate, power : float
        Positive, and no ints; the end rate may be 0.
    decay_steps : int
        At least 1. The rate stays at the end rate afterwards,
    update_decay_steps : bool
        or starts again over the next multiple of `decay_steps` which the step has not passed.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value.

    Examples
    --------
    >>> import s2sad as ms
    >>> rate = ms.nn.PolynomialDecayLR(0.5, 0.25, 4, 1.0)
    >>> [rate(ms.Tensor(step)).item() for step in (0, 2, 4, 6)]
    [0.5, 0.375, 0.25, 0.25]
    """

    def __init__(
        self,
        learning_rate: float,
        end_learning_rate: float,
        decay_steps: int,
        power: float,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        self.learning_rate = positive_float("learning_rate", learning_rate)
        self.end_learning_rate = float_from_zero("end_learning_rate", end_learning_rate)
        self.decay_steps = integer("decay_steps", decay_steps, 1)
        self.power = positive_float("power", power)
        self.update_decay_steps = flag("update_decay_steps", update_decay_steps)

    def construct(self, global_step: Any) -> Any:
        step = ops.cast(global_step, dtypes.float32)
        if self.update_decay_steps:
            rounds = p.maximum(-(-global_step // self.decay_steps), 1)
            left = 1 - step / ops.cast(rounds * self.decay_steps, dtypes.float32)
        else:
            left = 1 - p.minimum(step, self.decay_steps) / self.decay_steps
        span = self.learning_rate - self.end_learning_rate
        return span * left**self.power + self.end_learning_rate


class WarmUpLR(LearningRateSchedule):
    """From 0, at the first step, up to `learning_rate` in equal parts.

    Parameters
    ----------
    learning_rate : float
        Positive, and no int.
    warmup_steps : int
        At least 1: the steps until the rate is reached, and kept.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value.

    Examples
    --------
    >>> import s2sad as ms
    >>> rate = ms.nn.WarmUpLR(0.5, 2)
    >>> [rate(ms.Tensor(step)).item() for step in range(4)]
    [0.0, 0.25, 0.5, 0.5]
    """

    def __init__(self, learning_rate: float, warmup_steps: int) -> None:
        super().__init__()
        self.learning_rate = positive_float("learning_rate", learning_rate)
        self.warmup_steps = integer("warmup_steps", warmup_steps, 1)

    def construct(self, global_step: Any) -> Any:
        step = p.minimum(ops.cast(global_step, dtypes.float32), self.warmup_steps)
        return self.learning_rate * step / self.warmup_steps
