"""The Poisson distribution, of counts."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, beyond, described
from s2sad.ops.distribution_parameters import numeric_dtype, require_positive
from s2sad.ops.gamma_integrals import log_gamma_term, lower_gamma, upper_gamma


class Poisson(Distribution):
    """The Poisson distribution: counts of events of which there are `rate` on average.

    Parameters
    ----------
    rate : number, list, array or Tensor, optional
        Positive; in a call it may be 0 as well.
    seed : int, optional
    dtype : DType of integers or floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for a rate that is not positive.

    Notes
    -----
    The parameter in calls is ``rate``; MindSpore takes no single number where it is made. `cdf` and
    `survival_function` round values down; `prob` goes on between whole numbers, as the gamma
    function does.

    Examples
    --------
    >>> import s2sad as ms
    >>> counts = Poisson([2.0])
    >>> counts.prob(ms.Tensor([-1.0, 0.0, 1.0])).asnumpy().round(4)
    array([0.    , 0.1353, 0.2707], dtype=float32)
    >>> counts.cdf(ms.Tensor([-1.0, 0.5, 1.0])).asnumpy().round(4)
    array([0.    , 0.1353, 0.406 ], dtype=float32)
    """

    def __init__(
        self, rate: Any = None, seed: int | None = None, dtype: Any = dtypes.float32,
        name: str = "Poisson",
    ) -> None:  # fmt: skip
        super().__init__(seed, numeric_dtype(dtype), name, described(locals(), rate=rate))
        self._rate = self._add_parameter(rate, "rate")
        require_positive("rate", self._rate)

    @property
    def rate(self) -> Any:
        return self._rate

    def _get_dist_args(self, rate: Any = None) -> tuple[Any, ...]:
        return self._known(rate)

    def _mean(self, rate: Any = None) -> Any:
        return self._check_param_type(rate)

    def _mode(self, rate: Any = None) -> Any:
        return ops.floor(self._check_param_type(rate))

    def _var(self, rate: Any = None) -> Any:
        return self._check_param_type(rate)

    def _count(self, value: Any, rate: Any) -> tuple[Any, Any, Any]:
        """A value that is asked about, from 0 on, the rate, both of one dtype, and the value."""
        value = self._event(value)
        count = ops.where(value < 0, 0.0, value)
        return count, ops.cast(rate, count.dtype), value

    def _log_prob(self, value: Any, rate: Any = None) -> Any:
        count, rate, value = self._count(value, self._check_param_type(rate))
        is_infinite = value == math.inf
        found = log_gamma_term(ops.where(is_infinite, 0.0, count), rate)
        return beyond(ops.logical_or(value < 0, is_infinite), -math.inf, found)

    def _cdf(self, value: Any, rate: Any = None) -> Any:
        count, rate, value = self._count(value, self._check_param_type(rate))
        return beyond(value < 0, 0.0, upper_gamma(ops.floor(count) + 1.0, rate))

    def _survival_function(self, value: Any, rate: Any = None) -> Any:
        count, rate, value = self._count(value, self._check_param_type(rate))
        return beyond(value < 0, 1.0, lower_gamma(ops.floor(count) + 1.0, rate))

    def _sample(self, shape: Any = (), rate: Any = None) -> Any:
        rate = self._check_param_type(rate)
        found = ops.poisson((*shape, *rate.shape), rate, self.seed)
        return ops.cast(found, self.dtype)
