"""The distribution of how often something fails before it happens."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, beyond, described
from s2sad.ops.distribution_parameters import numeric_dtype, require_probabilities


class Geometric(Distribution):
    """The geometric distribution: failures before the first success, from 0 on.

    Parameters
    ----------
    probs : number, list, array or Tensor, optional
        The probabilities of success, above 0 and below 1; in a call they may be 1 as well.
    seed : int, optional
    dtype : DType of integers or floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for another probability.

    Notes
    -----
    The parameter in calls is ``probs1``. Values are rounded down.

    Examples
    --------
    >>> import s2sad as ms
    >>> Geometric(0.5).prob(ms.Tensor([-1, 0, 1, 2])).asnumpy()
    array([0.   , 0.5  , 0.25 , 0.125], dtype=float32)
    """

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: Any = dtypes.int32,
        name: str = "Geometric",
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
        probs1 = self._check_param_type(probs1)
        return (1.0 - probs1) / probs1

    def _mode(self, probs1: Any = None) -> Any:
        return ops.zeros(self._check_param_type(probs1).shape, self.dtype)

    def _var(self, probs1: Any = None) -> Any:
        probs1 = self._check_param_type(probs1)
        return (1.0 - probs1) / ops.square(probs1)

    def _entropy(self, probs1: Any = None) -> Any:
        probs1 = self._check_param_type(probs1)
        fails = 1.0 - probs1
        return -(_times_log_rest(fails, probs1) + probs1 * ops.log(probs1)) / probs1

    def _count(self, value: Any) -> Any:
        """A value that is asked about, rounded down."""
        value = ops.cast(self._check_value(value, "value"), self.parameter_type)
        return ops.floor(value)

    def _log_prob(self, value: Any, probs1: Any = None) -> Any:
        probs1, count = self._check_param_type(probs1), self._count(value)
        found = _times_log_rest(count, probs1) + ops.log(probs1)
        return beyond(count < 0, -math.inf, found)

    def _log_survival(self, value: Any, probs1: Any = None) -> Any:
        probs1, count = self._check_param_type(probs1), self._count(value)
        return beyond(count < 0, 0.0, _times_log_rest(count + 1.0, probs1))

    def _cdf(self, value: Any, probs1: Any = None) -> Any:
        return -ops.expm1(self._log_survival(value, probs1))

    def _kl_loss(self, dist: str, probs1_b: Any, probs1: Any = None) -> Any:
        (probs1_b,) = self._other(dist, probs1_b)
        probs1_b = ops.cast(probs1_b, self.parameter_type)
        probs1 = self._check_param_type(probs1)
        fails = (1.0 - probs1) / probs1
        rest = _times_log_rest(fails, probs1) - _times_log_rest(fails, probs1_b)
        return ops.log(probs1 / probs1_b) + rest

    def _cross_entropy(self, dist: str, probs1_b: Any, probs1: Any = None) -> Any:
        return self._entropy(probs1) + self._kl_loss(dist, probs1_b, probs1)

    def _sample(self, shape: Any = (), probs1: Any = None) -> Any:
        probs1 = self._check_param_type(probs1)
        numbers = self._wide((*shape, *probs1.shape))
        rest = ops.log1p(-ops.cast(probs1, numbers.dtype))
        return ops.cast(ops.floor(ops.log(numbers) / rest), self.dtype)


def _times_log_rest(count: Any, probability: Any) -> Any:
    """``count * log(1 - probability)``, and 0 with no gradient where `count` is 0."""
    none = ops.logical_and(count == 0, ops.logical_not(ops.isnan(probability)))
    return ops.where(none, 0.0, count * ops.log1p(-ops.where(none, 0.0, probability)))
