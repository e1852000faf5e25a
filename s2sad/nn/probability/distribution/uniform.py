"""The uniform distribution between two bounds."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, beyond, described
from s2sad.ops.distribution_parameters import require_less
from s2sad.ops.draws import float_dtype


class Uniform(Distribution):
    """The uniform distribution.

    Parameters
    ----------
    low, high : number, list, array or Tensor, optional
        The bounds, the first below the second; both belong to it.
    seed : int, optional
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for bounds of another order.

    Notes
    -----
    The parameters in calls are ``low`` and ``high``. There is no `mode`. The divergence to one
    that does not hold this one is infinite.

    Examples
    --------
    >>> import s2sad as ms
    >>> uniform = Uniform(0.0, 2.0)
    >>> uniform.prob(ms.Tensor([-1.0, 0.0, 1.0])).asnumpy()
    array([0. , 0.5, 0.5], dtype=float32)
    >>> uniform.cdf(ms.Tensor([-1.0, 0.5, 3.0])).asnumpy()
    array([0.  , 0.25, 1.  ], dtype=float32)
    """

    def __init__(
        self, low: Any = None, high: Any = None, seed: int | None = None,
        dtype: Any = dtypes.float32, name: str = "Uniform",
    ) -> None:  # fmt: skip
        super().__init__(seed, float_dtype(dtype), name, described(locals(), low=low, high=high))
        self._low = self._add_parameter(low, "low")
        self._high = self._add_parameter(high, "high")
        require_less(("low", self._low), ("high", self._high))

    @property
    def low(self) -> Any:
        return self._low

    @property
    def high(self) -> Any:
        return self._high

    def _get_dist_args(self, low: Any = None, high: Any = None) -> tuple[Any, ...]:
        return self._known(low, high)

    def _mean(self, low: Any = None, high: Any = None) -> Any:
        low, high = self._check_param_type(low, high)
        return (low + high) / 2.0

    def _var(self, low: Any = None, high: Any = None) -> Any:
        low, high = self._check_param_type(low, high)
        return ops.square(high - low) / 12.0

    def _entropy(self, low: Any = None, high: Any = None) -> Any:
        low, high = self._check_param_type(low, high)
        return ops.log(high - low)

    def _where_inside(self, value: Any, low: Any, high: Any, inside: Any, outside: float) -> Any:
        """`inside` where `value` is between the bounds; NaN stays NaN."""
        found = beyond(ops.logical_or(value < low, value > high), outside, inside)
        return ops.where(ops.isnan(value), math.nan, found)

    def _prob(self, value: Any, low: Any = None, high: Any = None) -> Any:
        value = self._event(value)
        low, high = self._check_param_type(low, high)
        return self._where_inside(value, low, high, 1.0 / (high - low), 0.0)

    def _log_prob(self, value: Any, low: Any = None, high: Any = None) -> Any:
        value = self._event(value)
        low, high = self._check_param_type(low, high)
        return self._where_inside(value, low, high, -ops.log(high - low), -math.inf)

    def _cdf(self, value: Any, low: Any = None, high: Any = None) -> Any:
        low, high = self._check_param_type(low, high)
        value = self._event(value)
        part = (value - low) / (high - low)
        return beyond(value < low, 0.0, beyond(value > high, 1.0, part))

    def _survival_function(self, value: Any, low: Any = None, high: Any = None) -> Any:
        low, high = self._check_param_type(low, high)
        value = self._event(value)
        part = (high - value) / (high - low)
        return beyond(value < low, 1.0, beyond(value > high, 0.0, part))

    def _kl_loss(
        self, dist: str, low_b: Any, high_b: Any, low: Any = None, high: Any = None
    ) -> Any:
        low_b, high_b = self._other(dist, low_b, high_b)
        low, high = self._check_param_type(low, high)
        loss = ops.log(high_b - low_b) - ops.log(high - low)
        return ops.where(ops.logical_or(low < low_b, high > high_b), math.inf, loss)

    def _cross_entropy(
        self, dist: str, low_b: Any, high_b: Any, low: Any = None, high: Any = None
    ) -> Any:
        return self._entropy(low, high) + self._kl_loss(dist, low_b, high_b, low, high)

    def _sample(self, shape: Any = (), low: Any = None, high: Any = None) -> Any:
        low, high = self._check_param_type(low, high)
        return ops.uniform((*shape, *low.shape), low, high, self.seed, self.dtype)
