"""What is the distribution of a function of something random?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ir import dims
from s2sad.nn.probability.distribution.distribution import Distribution
from s2sad.ops.distribution_parameters import missing
from s2sad.ops.draws import float_dtype


class TransformedDistribution(Distribution):
    """The distribution of ``bijector.forward(x)``, where x has the `distribution` given.

    Parameters
    ----------
    bijector : Bijector
        Growing: `cdf` takes it so.
    distribution : Distribution
        Of floats.
    seed : int, optional
        Kept as `seed`; as in MindSpore samples are drawn with the seed of `distribution`.
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0303 for what is no Bijector or no Distribution; E0220 for `mean`
        unless the bijector is linear, and for what does not carry over.

    Notes
    -----
    Parameters in calls are those of `distribution`.

    Examples
    --------
    >>> import s2sad as ms
    >>> from s2sad.nn.probability import bijector, distribution
    >>> doubled = TransformedDistribution(
    ...     bijector.ScalarAffine(2.0, 1.0), distribution.Normal(0.0, 1.0))
    >>> doubled.mean().item(), doubled.prob(ms.Tensor([1.0])).asnumpy().round(4)
    (1.0, array([0.1995], dtype=float32))
    """

    def __init__(
        self, bijector: Any, distribution: Any, seed: int | None = None,
        name: str = "transformed_distribution",
    ) -> None:  # fmt: skip
        if not hasattr(bijector, "inverse_log_jacobian"):
            raise fail("E0303", f"a Bijector is needed, got {shown(bijector)}")
        if not isinstance(distribution, Distribution):
            raise fail("E0303", f"a Distribution is needed, got {shown(distribution)}")
        super().__init__(seed, float_dtype(distribution.dtype), name, locals())
        self._bijector = bijector
        self._distribution = distribution
        self._is_linear_transformation = bijector.is_constant_jacobian
        self._is_scalar_batch = distribution.is_scalar_batch and bijector.is_scalar_batch
        self._batch_shape = distribution.batch_shape
        self.default_parameters = distribution.default_parameters
        self.parameter_names = distribution.parameter_names
        self.parameter_type = distribution.parameter_type
        self._broadcast_shape = _together(distribution.batch_shape, bijector.batch_shape)

    @property
    def bijector(self) -> Any:
        return self._bijector

    @property
    def distribution(self) -> Any:
        return self._distribution

    @property
    def is_linear_transformation(self) -> bool:
        return self._is_linear_transformation

    def extend_repr(self) -> str:
        return ""

    def _cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self.distribution.cdf(self.bijector.inverse(value), *args, **kwargs)

    def _log_cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self.distribution.log_cdf(self.bijector.inverse(value), *args, **kwargs)

    def _survival_function(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self.distribution.survival_function(self.bijector.inverse(value), *args, **kwargs)

    def _log_survival(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return self.distribution.log_survival(self.bijector.inverse(value), *args, **kwargs)

    def _log_prob(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        inner = self.distribution.log_prob(self.bijector.inverse(value), *args, **kwargs)
        whole = inner + self.bijector.inverse_log_jacobian(value)
        return ops.where(inner == -math.inf, inner, whole)

    def _mean(self, *args: Any, **kwargs: Any) -> Any:
        if not self.is_linear_transformation:
            return missing(self.name, "mean, for its bijector is not linear")
        return self.bijector.forward(self.distribution.mean(*args, **kwargs))

    def _sample(self, *args: Any, **kwargs: Any) -> Any:
        return self.bijector.forward(self.distribution.sample(*args, **kwargs))


def _together(one: tuple[int, ...] | None, other: tuple[int, ...] | None) -> Any:
    return None if one is None or other is None else tuple(dims.broadcast(one, other))
