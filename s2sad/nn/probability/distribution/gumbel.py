"""The Gumbel distribution, of the largest of many."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.bijector.gumbel_cdf import GumbelCDF
from s2sad.nn.probability.bijector.invert import Invert
from s2sad.nn.probability.distribution.transformed_distribution import TransformedDistribution
from s2sad.nn.probability.distribution.uniform import Uniform
from s2sad.ops.distribution_parameters import as_parameter, parameter_dtype
from s2sad.ops.draws import float_dtype

#: The Euler-Mascheroni constant.
EULER = 0.5772156649015329


class Gumbel(TransformedDistribution):
    """The Gumbel distribution, of the distribution function ``exp(-exp(-(x - loc) / scale))``.

    Parameters
    ----------
    loc : number, list, array or Tensor
        The mode.
    scale : number, list, array or Tensor
        Positive.
    seed : int
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for a scale that is not positive.

    Notes
    -----
    Parameters are given here alone: only `kl_loss` and `cross_entropy` take those of the other,
    ``loc_b`` and ``scale_b``.

    Examples
    --------
    >>> import s2sad as ms
    >>> Gumbel(0.0, 1.0).cdf(ms.Tensor([0.0, 3.0])).asnumpy().round(4)
    array([0.3679, 0.9514], dtype=float32)
    """

    def __init__(
        self, loc: Any, scale: Any, seed: int | None = 0, dtype: Any = dtypes.float32,
        name: str = "Gumbel",
    ) -> None:  # fmt: skip
        found = parameter_dtype({"loc": loc, "scale": scale}, float_dtype(dtype))
        cdf = GumbelCDF(as_parameter("loc", loc, found), as_parameter("scale", scale, found))
        super().__init__(Invert(cdf), Uniform(0.0, 1.0, dtype=dtype), seed, name)
        self._reset_parameters()
        self.parameter_type = found
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")
        self._gumbel_bijector = cdf
        self._is_scalar_batch = all(isinstance(x, (int, float)) for x in (loc, scale))

    @property
    def loc(self) -> Any:
        return self._loc

    @property
    def scale(self) -> Any:
        return self._scale

    def _get_dist_args(self, loc: Any = None, scale: Any = None) -> tuple[Any, ...]:
        return self._known(loc, scale)

    def _own(self) -> Any:
        """The parameters, of one shape."""
        return self._check_param_type(None, None)

    def _mean(self) -> Any:
        loc, scale = self._own()
        return loc + scale * EULER

    def _mode(self) -> Any:
        return self._own()[0]

    def _sd(self) -> Any:
        return self._own()[1] * (math.pi / math.sqrt(6))

    def _entropy(self) -> Any:
        return ops.log(self._own()[1]) + (1.0 + EULER)

    def _standard(self, value: Any) -> tuple[Any, Any]:
        """How many times the scale `value` is above the mode, and that scale."""
        loc, scale = self._own()
        return (self._event(value) - loc) / scale, scale

    def _log_prob(self, value: Any) -> Any:
        far, scale = self._standard(value)
        found = -far - ops.exp(-far) - ops.log(scale)
        return ops.where(far == -math.inf, -math.inf, found)

    def _cdf(self, value: Any) -> Any:
        return ops.exp(self._log_cdf(value))

    def _log_cdf(self, value: Any) -> Any:
        return -ops.exp(-self._standard(value)[0])

    def _survival_function(self, value: Any) -> Any:
        return -ops.expm1(self._log_cdf(value))

    def _log_survival(self, value: Any) -> Any:
        return ops.log(self._survival_function(value))

    def _kl_loss(self, dist: str, loc_b: Any, scale_b: Any) -> Any:
        loc_b, scale_b = self._other(dist, loc_b, scale_b)
        loc, scale = self._own()
        ratio, apart = scale / scale_b, (loc - loc_b) / scale_b
        loss = EULER * (ratio - 1.0) - ops.log(ratio) + apart
        return loss + ops.expm1(ops.lgamma(ratio + 1.0) - apart)

    def _cross_entropy(self, dist: str, loc_b: Any, scale_b: Any) -> Any:
        return self._entropy() + self._kl_loss(dist, loc_b, scale_b)

    def _sample(self, shape: Any = ()) -> Any:
        loc, scale = self._own()
        numbers = self._wide((*shape, *loc.shape))
        return ops.cast(loc - scale * ops.log(-ops.log(numbers)), self.dtype)
