"""The distribution of what happens or does not."""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, beyond, described
from s2sad.ops.distribution_parameters import numeric_dtype, require_probabilities


class Bernoulli(Distribution):
    """The Bernoulli distribution: 1 with a probability, else 0.

    Parameters
    ----------
    probs : number, list, array or Tensor, optional
        The probabilities of 1, above 0 and below 1; in a call they may be 0 or 1 as well.
    seed : int, optional
    dtype : DType of integers or floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for another probability.

    Notes
    -----
    The parameter in calls is ``probs1``. What is impossible has the logarithm -inf; MindSpore
    keeps probabilities a little away from 0 and 1. Between 0 and 1 `log_prob` is what lies between,
    as a cross entropy takes it.

    Examples
    --------
    >>> import s2sad as ms
    >>> bernoulli = Bernoulli(0.25)
    >>> bernoulli.prob(ms.Tensor([0, 1])).asnumpy(), bernoulli.mode().item()
    (array([0.75, 0.25], dtype=float32), 0)
    """

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: Any = dtypes.int32,
        name: str = "Bernoulli",
    ) -> None:  # fmt: skip
        super().__init__(seed, numeric_dtype(dtype), name, described(locals(), probs=probs))
        self._probs = self._add_parameter(probs, "probs")
        require_probabilities(self._probs)

    @property
    def probs(self) -> Any:
        return self._probs

    def _get_dist_args(self, probs1: Any = None) -> tuple[Any, ...]:
        return self._known(probs1)

    def _mean(self, probs1: Any = None) -> Any:
        return self._check_param_type(probs1)

    def _mode(self, probs1: Any = None) -> Any:
        return ops.cast(self._check_param_type(probs1) > 0.5, self.dtype)

    def _var(self, probs1: Any = None) -> Any:
        probs1 = self._check_param_type(probs1)
        return probs1 * (1.0 - probs1)

    def _entropy(self, probs1: Any = None) -> Any:
        probs1 = self._check_param_type(probs1)
        return -ops.xlogy(probs1, probs1) - ops.xlogy(1.0 - probs1, 1.0 - probs1)

    def _whole(self, value: Any) -> Any:
        """A value that is asked about, as a float of the type of the parameters."""
        return ops.cast(self._check_value(value, "value"), self.parameter_type)

    def _log_prob(self, value: Any, probs1: Any = None) -> Any:
        probs1, value = self._check_param_type(probs1), self._whole(value)
        return _times_log(value, probs1) + _times_log(1.0 - value, 1.0 - probs1)

    def _cdf(self, value: Any, probs1: Any = None) -> Any:
        probs1, value = self._check_param_type(probs1), self._whole(value)
        found = beyond(value < 0, 0.0, beyond(value >= 1, 1.0, 1.0 - probs1))
        return ops.where(ops.isnan(value), value, found)

    def _kl_loss(self, dist: str, probs1_b: Any, probs1: Any = None) -> Any:
        (probs1_b,) = self._other(dist, probs1_b)
        probs1_b = ops.cast(probs1_b, self.parameter_type)
        probs1 = self._check_param_type(probs1)
        return _loss(probs1, probs1_b) + _loss(1.0 - probs1, 1.0 - probs1_b)

    def _cross_entropy(self, dist: str, probs1_b: Any, probs1: Any = None) -> Any:
        return self._entropy(probs1) + self._kl_loss(dist, probs1_b, probs1)

    def _sample(self, shape: Any = (), probs1: Any = None) -> Any:
        probs1 = self._check_param_type(probs1)
        numbers = ops.uniform((*shape, *probs1.shape), 0.0, 1.0, self.seed, "float64")
        return ops.cast(numbers < probs1, self.dtype)


def _times_log(count: Any, probability: Any) -> Any:
    """``count * log(probability)``, and 0 with no gradient where `count` is 0."""
    none = ops.logical_and(count == 0, ops.logical_not(ops.isnan(probability)))
    return ops.where(none, 0.0, count * ops.log(ops.where(none, 1.0, probability)))


def _loss(mine: Any, other: Any) -> Any:
    """The part of a divergence that one event brings."""
    none = ops.logical_and(mine == 0, ops.logical_not(ops.isnan(other)))
    ratio = ops.where(none, 1.0, mine) / ops.where(none, 1.0, other)
    return ops.where(none, 0.0, mine * ops.log(ratio))
