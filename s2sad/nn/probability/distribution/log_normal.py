"""The distribution of what has a normal logarithm."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.bijector.exp import Exp
from s2sad.nn.probability.distribution.distribution import beyond
from s2sad.nn.probability.distribution.normal import HALF_LOG_TAU, Normal
from s2sad.nn.probability.distribution.transformed_distribution import TransformedDistribution


class LogNormal(TransformedDistribution):
    """The log-normal distribution: of ``exp(x)``, where x is normal.

    Parameters
    ----------
    loc : number, list, array or Tensor, optional
        The mean of the logarithm.
    scale : number, list, array or Tensor, optional
        Its standard deviation, positive.
    seed : int
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for a scale that is not positive.

    Notes
    -----
    The parameters in calls are ``loc`` and ``scale``. `kl_loss` takes ``loc_b, scale_b, loc_a,
    scale_a``.

    Examples
    --------
    >>> import s2sad as ms
    >>> LogNormal(0.0, 1.0).prob(ms.Tensor([-1.0, 0.0, 1.0])).asnumpy().round(4)
    array([0.    , 0.    , 0.3989], dtype=float32)
    """

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = 0,
        dtype: Any = dtypes.float32, name: str = "LogNormal",
    ) -> None:  # fmt: skip
        super().__init__(Exp(), Normal(loc, scale, seed, dtype), seed, name)
        self._reset_parameters()
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")

    @property
    def loc(self) -> Any:
        return self._loc

    @property
    def scale(self) -> Any:
        return self._scale

    def _get_dist_args(self, loc: Any = None, scale: Any = None) -> tuple[Any, ...]:
        return self._known(loc, scale)

    def _mean(self, loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._check_param_type(loc, scale)
        return ops.exp(loc + 0.5 * ops.square(scale))

    def _mode(self, loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._check_param_type(loc, scale)
        return ops.exp(loc - ops.square(scale))

    def _var(self, loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._check_param_type(loc, scale)
        var = ops.square(scale)
        return ops.expm1(var) * ops.exp(2.0 * loc + var)

    def _entropy(self, loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._check_param_type(loc, scale)
        return loc + ops.log(scale) + (HALF_LOG_TAU + 0.5)

    def _where_positive(self, value: Any, loc: Any, scale: Any) -> tuple[Any, Any, Any, Any]:
        """Where `value` is 0 or less, 1 in its place there, and the parameters."""
        loc, scale = self._check_param_type(loc, scale)
        value = self._event(value)
        return value <= 0, ops.where(value <= 0, 1.0, value), loc, scale

    def _log_prob(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        is_none, value, loc, scale = self._where_positive(value, loc, scale)
        size = ops.log(value)
        found = self.distribution.log_prob(size, loc, scale) - ops.where(
            size == math.inf, 0.0, size
        )
        return beyond(is_none, -math.inf, found)

    def _cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        is_none, value, loc, scale = self._where_positive(value, loc, scale)
        return beyond(is_none, 0.0, self.distribution.cdf(ops.log(value), loc, scale))

    def _log_cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        is_none, value, loc, scale = self._where_positive(value, loc, scale)
        found = self.distribution.log_cdf(ops.log(value), loc, scale)
        return beyond(is_none, -math.inf, found)

    def _survival_function(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        is_none, value, loc, scale = self._where_positive(value, loc, scale)
        found = self.distribution.survival_function(ops.log(value), loc, scale)
        return beyond(is_none, 1.0, found)

    def _log_survival(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        is_none, value, loc, scale = self._where_positive(value, loc, scale)
        found = self.distribution.log_survival(ops.log(value), loc, scale)
        return beyond(is_none, 0.0, found)

    def _kl_loss(
        self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None
    ) -> Any:
        loc_b, scale_b = self._other(dist, loc_b, scale_b)
        loc, scale = self._check_param_type(loc_a, scale_a)
        return self.distribution.kl_loss("Normal", loc_b, scale_b, loc, scale)

    def _cross_entropy(
        self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None
    ) -> Any:
        return self._entropy(loc_a, scale_a) + self._kl_loss(dist, loc_b, scale_b, loc_a, scale_a)

    def _sample(self, shape: Any = (), loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._check_param_type(loc, scale)
        return ops.exp(self.distribution.sample(shape, loc, scale))
