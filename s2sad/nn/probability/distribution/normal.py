"""The normal distribution, and that of the size of a normal number."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, beyond, described
from s2sad.ops.distribution_parameters import require_positive
from s2sad.ops.draws import float_dtype
from s2sad.ops.normal_tails import log_normal_cdf, normal_cdf

HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


class Normal(Distribution):
    """The normal distribution.

    Parameters
    ----------
    mean : number, list, array or Tensor, optional
    sd : number, list, array or Tensor, optional
        Its standard deviation, positive.
    seed : int, optional
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for an `sd` that is not positive.

    Notes
    -----
    The parameters in calls are ``mean`` and ``sd``. Samples have a gradient by both.

    Examples
    --------
    >>> import s2sad as ms
    >>> normal = Normal(0.0, 1.0)
    >>> normal.prob(ms.Tensor([0.0, 1.0])).asnumpy().round(4)
    array([0.3989, 0.242 ], dtype=float32)
    >>> normal.kl_loss("Normal", ms.Tensor(1.0), ms.Tensor(1.0)).item()
    0.5
    >>> ms.set_seed(0)
    >>> normal.sample((2,), ms.Tensor([10.0]), ms.Tensor([1.0])).shape
    (2, 1)
    """

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None,
        dtype: Any = dtypes.float32, name: str = "Normal",
    ) -> None:  # fmt: skip
        super().__init__(seed, float_dtype(dtype), name, described(locals(), mean=mean, sd=sd))
        self._mean_value = self._add_parameter(mean, "mean")
        self._sd_value = self._add_parameter(sd, "sd")
        require_positive("sd", self._sd_value)

    def _get_dist_args(self, mean: Any = None, sd: Any = None) -> tuple[Any, ...]:
        return self._known(mean, sd)

    def _mean(self, mean: Any = None, sd: Any = None) -> Any:
        return self._check_param_type(mean, sd)[0]

    def _mode(self, mean: Any = None, sd: Any = None) -> Any:
        return self._check_param_type(mean, sd)[0]

    def _sd(self, mean: Any = None, sd: Any = None) -> Any:
        return self._check_param_type(mean, sd)[1]

    def _entropy(self, mean: Any = None, sd: Any = None) -> Any:
        return ops.log(self._check_param_type(mean, sd)[1]) + (HALF_LOG_TAU + 0.5)

    def _standard(self, value: Any, mean: Any, sd: Any) -> tuple[Any, Any]:
        """How many standard deviations `value` is above the mean, and how large they are."""
        mean, sd = self._check_param_type(mean, sd)
        return (self._event(value) - mean) / sd, sd

    def _log_prob(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        far, sd = self._standard(value, mean, sd)
        return -0.5 * ops.square(far) - (ops.log(sd) + HALF_LOG_TAU)

    def _cdf(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        return normal_cdf(self._standard(value, mean, sd)[0])

    def _log_cdf(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        return log_normal_cdf(self._standard(value, mean, sd)[0])

    def _survival_function(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        return normal_cdf(-self._standard(value, mean, sd)[0])

    def _log_survival(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        return log_normal_cdf(-self._standard(value, mean, sd)[0])

    def _kl_loss(self, dist: str, mean_b: Any, sd_b: Any, mean: Any = None, sd: Any = None) -> Any:
        mean_b, sd_b = self._other(dist, mean_b, sd_b)
        mean, sd = self._check_param_type(mean, sd)
        wider = ops.log(sd) - ops.log(sd_b)
        return 0.5 * (ops.square((mean - mean_b) / sd_b) + ops.expm1(2.0 * wider)) - wider

    def _cross_entropy(
        self, dist: str, mean_b: Any, sd_b: Any, mean: Any = None, sd: Any = None
    ) -> Any:
        return self._entropy(mean, sd) + self._kl_loss(dist, mean_b, sd_b, mean, sd)

    def _sample(self, shape: Any = (), mean: Any = None, sd: Any = None) -> Any:
        mean, sd = self._check_param_type(mean, sd)
        return ops.cast(ops.normal((*shape, *mean.shape), mean, sd, self.seed), self.dtype)


class HalfNormal(Distribution):
    """The density of a normal number, twice as high from 0 on and 0 below.

    Parameters
    ----------
    mean : number, list, array or Tensor, optional
        For a distribution it is 0.
    sd : number, list, array or Tensor, optional
        Positive.
    seed : int, optional
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        As of `Normal`.

    Notes
    -----
    As in MindSpore it has `prob` and `log_prob` alone.

    Examples
    --------
    >>> import s2sad as ms
    >>> HalfNormal(0.0, 1.0).prob(ms.Tensor([-1.0, 0.0, 1.0])).asnumpy().round(4)
    array([0.    , 0.7979, 0.4839], dtype=float32)
    """

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None,
        dtype: Any = dtypes.float32, name: str = "HalfNormal",
    ) -> None:  # fmt: skip
        super().__init__(seed, float_dtype(dtype), name, described(locals(), mean=mean, sd=sd))
        self._mean_value = self._add_parameter(mean, "mean")
        self._sd_value = self._add_parameter(sd, "sd")
        require_positive("sd", self._sd_value)

    def _get_dist_args(self, mean: Any = None, sd: Any = None) -> tuple[Any, ...]:
        return self._known(mean, sd)

    def _log_prob(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        mean, sd = self._check_param_type(mean, sd)
        value = self._event(value)
        height = math.log(2) - HALF_LOG_TAU - ops.log(sd)
        inside = height - 0.5 * ops.square((value - mean) / sd)
        return beyond(value < 0, -math.inf, inside)
