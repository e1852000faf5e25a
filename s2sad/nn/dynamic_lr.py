"""Which learning rates, one a step, does a rule give over whole epochs?

Epoch ``i // step_per_epoch`` is that of step i. What is made here is a list that an optimizer takes
for its `learning_rate`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.nn.decay import float_from_zero, low_and_high, positive_float
from s2sad.ops.settings import flag, integer, integers


def piecewise_constant_lr(
    milestone: tuple[int, ...] | list[int], learning_rates: tuple[float, ...] | list[float]
) -> list[float]:
    """Rate i up to, and without, the step ``milestone[i]``.

    Parameters
    ----------
    milestone : tuple or list of int
        Positive, and rising.
    learning_rates : tuple or list of float
        As many.

    Raises
    ------
    S2sadError
        E0303 or E0404 for settings of another form or value, also in all functions below.

    Examples
    --------
    >>> piecewise_constant_lr([2, 3], [0.5, 0.25])
    [0.5, 0.5, 0.25]
    """
    ends = (0, *integers("milestone", milestone, 1))
    if not isinstance(learning_rates, (tuple, list)) or len(learning_rates) != len(milestone):
        raise fail("E0303", f"there are {len(milestone)} learning_rates, got {learning_rates!r}")
    rates = [float_from_zero("learning_rates", rate) for rate in learning_rates]
    if any(end >= after for end, after in pairwise(ends)):
        raise fail("E0404", f"milestones rise, got {list(milestone)}")
    return [rate for rate, (a, b) in zip(rates, pairwise(ends), strict=True) for _ in range(a, b)]


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """``learning_rate * decay_rate ** (epoch / decay_epoch)``; on stairs a whole exponent.

    Examples
    --------
    >>> exponential_decay_lr(0.5, 0.25, 3, 1, 2)
    [0.5, 0.25, 0.125]
    """
    rate, factor, periods = _decay(learning_rate, decay_rate, decay_epoch, is_stair)
    return _rates(total_step, step_per_epoch, lambda epoch: rate * factor ** periods(epoch))


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """``learning_rate * e ** (-decay_rate * epoch)``; on stairs the epoch is one of `decay_epoch`.

    Examples
    --------
    >>> natural_exp_decay_lr(0.5, 1.0, 2, 1, 2, True)
    [0.5, 0.5]
    """
    rate, factor, periods = _decay(learning_rate, decay_rate, decay_epoch, is_stair)
    return _rates(
        total_step, step_per_epoch,
        lambda epoch: rate * math.exp(-factor * (periods(epoch) * decay_epoch)),
    )  # fmt: skip


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """``learning_rate / (1 + decay_rate * epoch / decay_epoch)``; on stairs a whole quotient.

    Examples
    --------
    >>> inverse_decay_lr(0.5, 1.0, 3, 1, 2, True)
    [0.5, 0.5, 0.25]
    """
    rate, factor, periods = _decay(learning_rate, decay_rate, decay_epoch, is_stair)
    return _rates(total_step, step_per_epoch, lambda epoch: rate / (1 + factor * periods(epoch)))


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
) -> list[float]:
    """From `max_lr` down to `min_lr` by half a period of a cosine, over `decay_epoch` epochs.

    Examples
    --------
    >>> [round(rate, 6) for rate in cosine_decay_lr(0.0, 0.5, 4, 1, 2)]
    [0.5, 0.25, 0.0, 0.0]
    """
    low, high = low_and_high(min_lr, max_lr)
    last = integer("decay_epoch", decay_epoch, 1)

    def rate(epoch: int) -> float:
        return low + 0.5 * (high - low) * (1 + math.cos(math.pi * min(epoch, last) / last))

    return _rates(total_step, step_per_epoch, rate)


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
    update_decay_epoch: bool = False,
) -> list[float]:
    """``(learning_rate - end_learning_rate) * (1 - epoch / decay_epoch) ** power``, and the end.

    Examples
    --------
    >>> polynomial_decay_lr(0.5, 0.25, 3, 1, 2, 1.0)
    [0.5, 0.375, 0.25]
    """
    high = positive_float("learning_rate", learning_rate)
    low = float_from_zero("end_learning_rate", end_learning_rate)
    exponent = positive_float("power", power)
    last = integer("decay_epoch", decay_epoch, 1)
    starts_again = flag("update_decay_epoch", update_decay_epoch)

    def rate(epoch: int) -> float:
        span = last * max(-(-epoch // last), 1) if starts_again else last
        return (high - low) * (1 - min(epoch, span) / span) ** exponent + low

    return _rates(total_step, step_per_epoch, rate)


def warmup_lr(
    learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int
) -> list[float]:
    """From 0, in the first epoch, up to `learning_rate` in equal parts; at once without epochs.

    Examples
    --------
    >>> warmup_lr(0.5, 4, 1, 2)
    [0.0, 0.25, 0.5, 0.5]
    """
    high = positive_float("learning_rate", learning_rate)
    last = integer("warmup_epoch", warmup_epoch, 0)
    return _rates(
        total_step, step_per_epoch, lambda epoch: high * (min(epoch, last) / last if last else 1.0)
    )


def _decay(
    learning_rate: Any, decay_rate: Any, decay_epoch: Any, is_stair: Any
) -> tuple[float, float, Callable[[int], float]]:
    """Rate, factor, and how many times `decay_epoch` epochs have passed."""
    rate = positive_float("learning_rate", learning_rate)
    factor = positive_float("decay_rate", decay_rate)
    span, in_whole = integer("decay_epoch", decay_epoch, 1), flag("is_stair", is_stair)
    return rate, factor, lambda epoch: float(epoch // span) if in_whole else epoch / span


def _rates(total_step: Any, step_per_epoch: Any, rate: Callable[[int], float]) -> list[float]:
    count = integer("step_per_epoch", step_per_epoch, 1)
    return [rate(step // count) for step in range(integer("total_step", total_step, 1))]
