"""The gamma distribution."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, beyond, described
from s2sad.ops.distribution_parameters import require_positive
from s2sad.ops.draws import float_dtype
from s2sad.ops.gamma_integrals import log_gamma_term, lower_gamma, upper_gamma


class Gamma(Distribution):
    """The gamma distribution, of the density ``rate**c * x**(c - 1) * exp(-rate * x) / gamma(c)``.

    Parameters
    ----------
    concentration : number, list, array or Tensor, optional
        The c above, positive.
    rate : number, list, array or Tensor, optional
        Positive.
    seed : int, optional
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for a parameter that is not positive.

    Notes
    -----
    The parameters in calls are ``concentration`` and ``rate``; MindSpore takes no single numbers
    where it is made. Samples have a gradient by `rate`, none by `concentration`. `cdf` has one by
    all that it takes, see `s2sad.ops.gamma_integrals.lower_gamma`.

    Examples
    --------
    >>> import s2sad as ms
    >>> waits = Gamma([2.0], [1.0])
    >>> waits.prob(ms.Tensor([-1.0, 0.0, 1.0])).asnumpy().round(4)
    array([0.    , 0.    , 0.3679], dtype=float32)
    >>> waits.cdf(ms.Tensor([1.0, 50.0])).asnumpy().round(4)
    array([0.2642, 1.    ], dtype=float32)
    """

    def __init__(
        self, concentration: Any = None, rate: Any = None, seed: int | None = None,
        dtype: Any = dtypes.float32, name: str = "Gamma",
    ) -> None:  # fmt: skip
        param = described(locals(), concentration=concentration, rate=rate)
        super().__init__(seed, float_dtype(dtype), name, param)
        self._concentration = self._add_parameter(concentration, "concentration")
        self._rate = self._add_parameter(rate, "rate")
        require_positive("concentration", self._concentration)
        require_positive("rate", self._rate)

    @property
    def concentration(self) -> Any:
        return self._concentration

    @property
    def rate(self) -> Any:
        return self._rate

    def _get_dist_args(self, concentration: Any = None, rate: Any = None) -> tuple[Any, ...]:
        return self._known(concentration, rate)

    def _mean(self, concentration: Any = None, rate: Any = None) -> Any:
        concentration, rate = self._check_param_type(concentration, rate)
        return concentration / rate

    def _mode(self, concentration: Any = None, rate: Any = None) -> Any:
        concentration, rate = self._check_param_type(concentration, rate)
        return ops.where(concentration > 1, (concentration - 1.0) / rate, math.nan)

    def _var(self, concentration: Any = None, rate: Any = None) -> Any:
        concentration, rate = self._check_param_type(concentration, rate)
        return concentration / ops.square(rate)

    def _sd(self, concentration: Any = None, rate: Any = None) -> Any:
        concentration, rate = self._check_param_type(concentration, rate)
        return ops.sqrt(concentration) / rate

    def _entropy(self, concentration: Any = None, rate: Any = None) -> Any:
        concentration, rate = self._check_param_type(concentration, rate)
        curved = (1.0 - concentration) * ops.digamma(concentration)
        return concentration - ops.log(rate) + ops.lgamma(concentration) + curved

    def _log_prob(self, value: Any, concentration: Any = None, rate: Any = None) -> Any:
        concentration, rate = self._check_param_type(concentration, rate)
        value = self._event(value)
        # At 0 the density is that of a power: 0, the rate, or infinite.
        at_start = ops.where(concentration < 1, math.inf, -math.inf)
        at_start = ops.where(concentration == 1, ops.log(rate), at_start)
        inner = ops.where(value == 0, 1.0, value)
        scaled = ops.where(inner < 0, 1.0, rate * inner)
        found = log_gamma_term(concentration, scaled)
        found = found + ops.log(concentration) - ops.log(ops.where(inner < 0, 1.0, inner))
        found = beyond(value == 0, at_start, found)
        found = beyond(value == math.inf, -math.inf, found)
        return beyond(value < 0, -math.inf, found)

    def _scaled(self, value: Any, concentration: Any, rate: Any) -> tuple[Any, Any]:
        """The concentration, and `value` with a rate of 1, from 0 on."""
        concentration, rate = self._check_param_type(concentration, rate)
        value = self._event(value)
        return concentration, rate * ops.where(value < 0, 0.0, value)

    def _cdf(self, value: Any, concentration: Any = None, rate: Any = None) -> Any:
        concentration, scaled = self._scaled(value, concentration, rate)
        return lower_gamma(concentration, scaled)

    def _survival_function(self, value: Any, concentration: Any = None, rate: Any = None) -> Any:
        concentration, scaled = self._scaled(value, concentration, rate)
        return upper_gamma(concentration, scaled)

    def _kl_loss(
        self, dist: str, concentration_b: Any, rate_b: Any, concentration_a: Any = None,
        rate_a: Any = None,
    ) -> Any:  # fmt: skip
        other, rate_b = self._other(dist, concentration_b, rate_b)
        mine, rate = self._check_param_type(concentration_a, rate_a)
        loss = (mine - other) * ops.digamma(mine) + ops.lgamma(other) - ops.lgamma(mine)
        return loss + other * (ops.log(rate) - ops.log(rate_b)) + mine * (rate_b / rate - 1.0)

    def _cross_entropy(
        self, dist: str, concentration_b: Any, rate_b: Any, concentration_a: Any = None,
        rate_a: Any = None,
    ) -> Any:  # fmt: skip
        loss = self._kl_loss(dist, concentration_b, rate_b, concentration_a, rate_a)
        return self._entropy(concentration_a, rate_a) + loss

    def _sample(self, shape: Any = (), concentration: Any = None, rate: Any = None) -> Any:
        concentration, rate = self._check_param_type(concentration, rate)
        found = ops.gamma((*shape, *rate.shape), concentration, rate, self.seed)
        return ops.cast(found, self.dtype)
