"""The beta distribution, of probabilities."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, beyond, described
from s2sad.ops.distribution_parameters import require_positive
from s2sad.ops.draws import float_dtype
from s2sad.ops.gamma_integrals import log_beta, log_beta_term


class Beta(Distribution):
    """The beta distribution, of the density ``x**(c1 - 1) * (1 - x)**(c0 - 1) / beta(c1, c0)``.

    Parameters
    ----------
    concentration1, concentration0 : number, list, array or Tensor, optional
        c1 and c0 above, positive.
    seed : int, optional
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for a parameter that is not positive.

    Notes
    -----
    The parameters in calls are ``concentration1`` and ``concentration0``; MindSpore takes no
    single floats where it is made. As there, there is no `cdf`. Samples have no gradient.

    Examples
    --------
    >>> import s2sad as ms
    >>> shares = Beta([2.0], [1.0])
    >>> shares.prob(ms.Tensor([0.0, 0.5, 1.0, 2.0])).asnumpy()
    array([0., 1., 2., 0.], dtype=float32)
    """

    def __init__(
        self, concentration1: Any = None, concentration0: Any = None, seed: int | None = None,
        dtype: Any = dtypes.float32, name: str = "Beta",
    ) -> None:  # fmt: skip
        param = described(locals(), concentration1=concentration1, concentration0=concentration0)
        super().__init__(seed, float_dtype(dtype), name, param)
        self._concentration1 = self._add_parameter(concentration1, "concentration1")
        self._concentration0 = self._add_parameter(concentration0, "concentration0")
        require_positive("concentration1", self._concentration1)
        require_positive("concentration0", self._concentration0)

    @property
    def concentration1(self) -> Any:
        return self._concentration1

    @property
    def concentration0(self) -> Any:
        return self._concentration0

    def _get_dist_args(
        self, concentration1: Any = None, concentration0: Any = None
    ) -> tuple[Any, ...]:
        return self._known(concentration1, concentration0)

    def _mean(self, concentration1: Any = None, concentration0: Any = None) -> Any:
        one, none = self._check_param_type(concentration1, concentration0)
        return one / (one + none)

    def _mode(self, concentration1: Any = None, concentration0: Any = None) -> Any:
        one, none = self._check_param_type(concentration1, concentration0)
        is_inside = ops.logical_and(one > 1, none > 1)
        total = ops.where(is_inside, one + none - 2.0, 1.0)
        return ops.where(is_inside, (one - 1.0) / total, math.nan)

    def _var(self, concentration1: Any = None, concentration0: Any = None) -> Any:
        one, none = self._check_param_type(concentration1, concentration0)
        total = one + none
        return (one / total) * (none / total) / (total + 1.0)

    def _entropy(self, concentration1: Any = None, concentration0: Any = None) -> Any:
        one, none = self._check_param_type(concentration1, concentration0)
        both = (one - 1.0) * ops.digamma(one) + (none - 1.0) * ops.digamma(none)
        return log_beta(one, none) - both + (one + none - 2.0) * ops.digamma(one + none)

    def _log_prob(self, value: Any, concentration1: Any = None, concentration0: Any = None) -> Any:
        one, none = self._check_param_type(concentration1, concentration0)
        value = self._event(value)
        is_low, is_high = value <= 0, value >= 1
        inner = ops.where(ops.logical_or(is_low, is_high), 0.5, value)
        found = log_beta_term(one, none, inner) - ops.log(inner) - ops.log1p(-inner)
        found = beyond(is_low, _at_an_end(one, none, value == 0), found)
        return beyond(is_high, _at_an_end(none, one, value == 1), found)

    def _kl_loss(
        self, dist: str, concentration1_b: Any, concentration0_b: Any,
        concentration1_a: Any = None, concentration0_a: Any = None,
    ) -> Any:  # fmt: skip
        other1, other0 = self._other(dist, concentration1_b, concentration0_b)
        other1, other0 = (ops.cast(x, self.parameter_type) for x in (other1, other0))
        one, none = self._check_param_type(concentration1_a, concentration0_a)
        loss = log_beta(other1, other0) - log_beta(one, none)
        loss = loss - ops.digamma(one) * (other1 - one) - ops.digamma(none) * (other0 - none)
        return loss + ops.digamma(one + none) * (other1 + other0 - one - none)

    def _cross_entropy(
        self, dist: str, concentration1_b: Any, concentration0_b: Any,
        concentration1_a: Any = None, concentration0_a: Any = None,
    ) -> Any:  # fmt: skip
        loss = self._kl_loss(
            dist, concentration1_b, concentration0_b, concentration1_a, concentration0_a
        )
        return self._entropy(concentration1_a, concentration0_a) + loss

    def _sample(
        self, shape: Any = (), concentration1: Any = None, concentration0: Any = None
    ) -> Any:
        one, none = self._check_param_type(concentration1, concentration0)
        one, none = ops.cast(one, "float64"), ops.cast(none, "float64")
        whole = (*shape, *one.shape)
        first = ops.gamma(whole, one, 1.0, self.seed)
        total = first + ops.gamma(whole, none, 1.0, self.seed)
        # Concentrations near to 0 make both parts vanish: then all is on one side.
        side = ops.cast(self._wide(whole) < one / (one + none), "float64")
        share = first / ops.where(total == 0, 1.0, total)
        found = ops.where(total == 0, side, share)
        return ops.cast(ops.stop_gradient(found), self.dtype)


def _at_an_end(one: Any, other: Any, is_end: Any) -> Any:
    """The logarithm of the density at the end where the power is that of `one`; outside -inf."""
    found = ops.where(one < 1, math.inf, ops.where(one == 1, ops.log(other), -math.inf))
    return ops.where(is_end, found, -math.inf)
