"""The exponential distribution, of waiting times."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, beyond, described
from s2sad.ops.distribution_parameters import require_positive
from s2sad.ops.draws import float_dtype


class Exponential(Distribution):
    """The exponential distribution, of the density ``rate * exp(-rate * x)`` from 0 on.

    Parameters
    ----------
    rate : number, list, array or Tensor, optional
        Positive.
    seed : int, optional
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for a rate that is not positive.

    Notes
    -----
    The parameter in calls is ``rate``.

    Examples
    --------
    >>> import s2sad as ms
    >>> Exponential(2.0).prob(ms.Tensor([-1.0, 0.0, 1.0])).asnumpy().round(4)
    array([0.    , 2.    , 0.2707], dtype=float32)
    """

    def __init__(
        self, rate: Any = None, seed: int | None = None, dtype: Any = dtypes.float32,
        name: str = "Exponential",
    ) -> None:  # fmt: skip
        super().__init__(seed, float_dtype(dtype), name, described(locals(), rate=rate))
        self._rate = self._add_parameter(rate, "rate")
        require_positive("rate", self._rate)

    @property
    def rate(self) -> Any:
        return self._rate

    def _get_dist_args(self, rate: Any = None) -> tuple[Any, ...]:
        return self._known(rate)

    def _mean(self, rate: Any = None) -> Any:
        return 1.0 / self._check_param_type(rate)

    def _mode(self, rate: Any = None) -> Any:
        return ops.zeros_like(self._check_param_type(rate))

    def _sd(self, rate: Any = None) -> Any:
        return 1.0 / self._check_param_type(rate)

    def _entropy(self, rate: Any = None) -> Any:
        return 1.0 - ops.log(self._check_param_type(rate))

    def _log_prob(self, value: Any, rate: Any = None) -> Any:
        value, rate = self._event(value), self._check_param_type(rate)
        return beyond(value < 0, -math.inf, ops.log(rate) - rate * value)

    def _cdf(self, value: Any, rate: Any = None) -> Any:
        return -ops.expm1(self._log_survival(value, rate))

    def _log_survival(self, value: Any, rate: Any = None) -> Any:
        value, rate = self._event(value), self._check_param_type(rate)
        return beyond(value < 0, 0.0, -rate * value)

    def _kl_loss(self, dist: str, rate_b: Any, rate: Any = None) -> Any:
        (rate_b,) = self._other(dist, rate_b)
        rate = self._check_param_type(rate)
        return ops.log(rate) - ops.log(rate_b) + rate_b / rate - 1.0

    def _cross_entropy(self, dist: str, rate_b: Any, rate: Any = None) -> Any:
        return self._entropy(rate) + self._kl_loss(dist, rate_b, rate)

    def _sample(self, shape: Any = (), rate: Any = None) -> Any:
        rate = self._check_param_type(rate)
        waited = -ops.log(self._wide((*shape, *rate.shape)))
        return ops.cast(waited / rate, self.dtype)
