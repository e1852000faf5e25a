"""The distribution of one of several classes."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, described
from s2sad.ops.distribution_parameters import (
    numeric_dtype,
    require_probabilities,
    require_sums_of_one,
)


class Categorical(Distribution):
    """The categorical distribution: class k with the k-th probability.

    Parameters
    ----------
    probs : list, array or Tensor, shape (..., classes), optional
        Above 0 and below 1, with sums of 1. In a call that is not asked.
    seed : int, optional
    dtype : DType of integers or floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0401 for a single number, E0404 for other probabilities; where a
        sample is drawn E0501 for weights that cannot be.

    Notes
    -----
    The parameter in calls is ``probs``. The shape of a batch is that of `probs` without the last
    axis. As in MindSpore, `mean` and `var` keep that axis, of size 1, and `entropy` and `kl_loss`
    lose all axes of size 1. Values are rounded down, those between -1 and 0 up; the probability
    of what names no class is NaN. `kl_loss` takes weights of any sum.

    Examples
    --------
    >>> import s2sad as ms
    >>> chosen = Categorical([0.2, 0.3, 0.5])
    >>> chosen.prob(ms.Tensor([0, 2])).asnumpy(), chosen.cdf(ms.Tensor([1])).asnumpy()
    (array([0.2, 0.5], dtype=float32), array([0.5], dtype=float32))
    >>> chosen.mean().asnumpy(), chosen.mode().item(), round(chosen.entropy().item(), 4)
    (array([1.3], dtype=float32), 2, 1.0297)
    """

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: Any = dtypes.int32,
        name: str = "Categorical",
    ) -> None:  # fmt: skip
        super().__init__(seed, numeric_dtype(dtype), name, described(locals(), probs=probs))
        self._probs = self._add_parameter(probs, "probs")
        if self._probs is not None:
            require_sums_of_one(self._probs)
            require_probabilities(self._probs)
            self._broadcast_shape = tuple(self._probs.shape[:-1])
            self._is_scalar_batch = not self._broadcast_shape

    @property
    def probs(self) -> Any:
        return self._probs

    def _get_dist_args(self, probs: Any = None) -> tuple[Any, ...]:
        return self._known(probs)

    def _numbers(self, probs: Any) -> Any:
        """The numbers of the classes."""
        return ops.arange(0, probs.shape[-1], dtype=probs.dtype)

    def _mean(self, probs: Any = None) -> Any:
        probs = self._check_param_type(probs)
        return ops.sum(self._numbers(probs) * probs, -1, True)

    def _mode(self, probs: Any = None) -> Any:
        return ops.cast(ops.argmax(self._check_param_type(probs), -1), self.dtype)

    def _var(self, probs: Any = None) -> Any:
        probs = self._check_param_type(probs)
        away = self._numbers(probs) - self._mean(probs)
        return ops.sum(ops.square(away) * probs, -1, True)

    def _entropy(self, probs: Any = None) -> Any:
        probs = self._check_param_type(probs)
        return ops.squeeze(-ops.sum(_times(probs, _log(probs)), -1))

    def _kl_loss(self, dist: str, probs_b: Any, probs: Any = None) -> Any:
        (probs_b,) = self._other(dist, probs_b)
        other = _parts(ops.cast(probs_b, self.parameter_type))
        mine = _parts(self._check_param_type(probs))
        return ops.squeeze(ops.sum(_times(mine, _log(mine) - _log(other)), -1))

    def _cross_entropy(self, dist: str, probs_b: Any, probs: Any = None) -> Any:
        return self._entropy(probs) + self._kl_loss(dist, probs_b, probs)

    def _class_of(self, value: Any, probs: Any) -> Any:
        """A value that is asked about, as a float."""
        value = ops.cast(self._check_value(value, "value"), probs.dtype)
        return ops.where(ops.logical_and(value < 0, value > -1), 0.0, ops.floor(value))

    def _picked(self, table: Any, number: Any) -> Any:
        """For each `number` the entry of `table`, which has an axis of classes at its end."""
        classes = table.shape[-1]
        safe = ops.where(ops.isnan(number), 0.0, ops.clamp(number, 0.0, classes - 1.0))
        places = ops.expand_dims(ops.cast(safe, "int64"), -1)
        shape = (number + table[..., 0]).shape
        table = ops.broadcast_to(table, (*shape, classes))
        places = ops.broadcast_to(places, (*shape, 1))
        return ops.squeeze(ops.gather_elements(table, -1, places), -1)

    def _prob(self, value: Any, probs: Any = None) -> Any:
        probs = self._check_param_type(probs)
        number = self._class_of(value, probs)
        is_class = ops.logical_and(number >= 0, number <= probs.shape[-1] - 1)
        return ops.where(is_class, self._picked(probs, number), math.nan)

    def _log_prob(self, value: Any, probs: Any = None) -> Any:
        return ops.log(self._prob(value, probs))

    def _cdf(self, value: Any, probs: Any = None) -> Any:
        probs = self._check_param_type(probs)
        number = self._class_of(value, probs)
        found = ops.where(number < 0, 0.0, self._picked(ops.cumsum(probs, -1), number))
        return ops.where(ops.isnan(number), number, found)

    def _sample(self, shape: Any = (), probs: Any = None) -> Any:
        probs = self._check_param_type(probs)
        rows = ops.reshape(probs, (-1, probs.shape[-1]))
        count = 1
        for size in shape:
            count = count * size
        if count == 0:
            return ops.zeros((*shape, *probs.shape[:-1]), self.dtype)
        found = ops.multinomial(rows, count, True, self.seed)
        found = ops.reshape(ops.transpose(found, (1, 0)), (*shape, *probs.shape[:-1]))
        return ops.cast(found, self.dtype)


def _parts(weights: Any) -> Any:
    return weights / ops.sum(weights, -1, True)


def _log(probs: Any) -> Any:
    """The logarithm, with no gradient at 0, where it is -inf."""
    return ops.where(probs == 0, -math.inf, ops.log(ops.where(probs == 0, 1.0, probs)))


def _times(probs: Any, logarithm: Any) -> Any:
    """Their product, and 0 where the probability is 0."""
    none = probs == 0
    return ops.where(none, 0.0, probs * ops.where(none, 0.0, logarithm))
