"""The Cauchy distribution, which has no mean."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, described
from s2sad.ops.distribution_parameters import missing, require_positive
from s2sad.ops.draws import float_dtype


class Cauchy(Distribution):
    """The Cauchy distribution.

    Parameters
    ----------
    loc : number, list, array or Tensor, optional
        The median.
    scale : number, list, array or Tensor, optional
        Half the distance between the quartiles, positive.
    seed : int, optional
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for a scale that is not positive; E0220 for `mean`, `sd` and
        `var`, which do not exist.

    Notes
    -----
    The parameters in calls are ``loc`` and ``scale``. The divergence is that of F. Chyzak and F.
    Nielsen, "A closed-form formula for the Kullback-Leibler divergence between Cauchy
    distributions", 2019.

    Examples
    --------
    >>> import s2sad as ms
    >>> Cauchy(0.0, 1.0).cdf(ms.Tensor([-1.0, 0.0, 1e9])).asnumpy().round(4)
    array([0.25, 0.5 , 1.  ], dtype=float32)
    """

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = None,
        dtype: Any = dtypes.float32, name: str = "Cauchy",
    ) -> None:  # fmt: skip
        super().__init__(seed, float_dtype(dtype), name, described(locals(), loc=loc, scale=scale))
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")
        require_positive("scale", self._scale)

    @property
    def loc(self) -> Any:
        return self._loc

    @property
    def scale(self) -> Any:
        return self._scale

    def _get_dist_args(self, loc: Any = None, scale: Any = None) -> tuple[Any, ...]:
        return self._known(loc, scale)

    def _mode(self, loc: Any = None, scale: Any = None) -> Any:
        return self._check_param_type(loc, scale)[0]

    def _sd(self, loc: Any = None, scale: Any = None) -> Any:
        return missing("Cauchy", "sd")

    def _var(self, loc: Any = None, scale: Any = None) -> Any:
        return missing("Cauchy", "var")

    def _entropy(self, loc: Any = None, scale: Any = None) -> Any:
        return ops.log(self._check_param_type(loc, scale)[1]) + math.log(4 * math.pi)

    def _standard(self, value: Any, loc: Any, scale: Any) -> tuple[Any, Any]:
        """How many times `scale` the value is above the median, and that scale."""
        loc, scale = self._check_param_type(loc, scale)
        return (self._event(value) - loc) / scale, scale

    def _log_prob(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        far, scale = self._standard(value, loc, scale)
        return -2.0 * ops.log(ops.hypot(far, 1.0)) - ops.log(scale) - math.log(math.pi)

    def _cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return ops.atan2(1.0, -self._standard(value, loc, scale)[0]) / math.pi

    def _survival_function(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return ops.atan2(1.0, self._standard(value, loc, scale)[0]) / math.pi

    def _kl_loss(
        self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None
    ) -> Any:
        loc_b, scale_b = self._other(dist, loc_b, scale_b)
        loc, scale = self._check_param_type(loc_a, scale_a)
        both = ops.square(scale + scale_b) + ops.square(loc - loc_b)
        return ops.log(both) - ops.log(scale) - ops.log(scale_b) - math.log(4.0)

    def _cross_entropy(
        self, dist: str, loc_b: Any, scale_b: Any, loc_a: Any = None, scale_a: Any = None
    ) -> Any:
        return self._entropy(loc_a, scale_a) + self._kl_loss(dist, loc_b, scale_b, loc_a, scale_a)

    def _sample(self, shape: Any = (), loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._check_param_type(loc, scale)
        far = ops.tan(math.pi * (self._wide((*shape, *loc.shape)) - 0.5))
        return ops.cast(loc + scale * far, self.dtype)
