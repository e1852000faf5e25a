"""The logistic distribution."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, described
from s2sad.ops.distribution_parameters import require_positive
from s2sad.ops.draws import float_dtype


class Logistic(Distribution):
    """The logistic distribution, of which the sigmoid is the distribution function.

    Parameters
    ----------
    loc : number, list, array or Tensor, optional
        The mean.
    scale : number, list, array or Tensor, optional
        Positive; ``sqrt(3) / pi`` standard deviations.
    seed : int, optional
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for a scale that is not positive.

    Notes
    -----
    The parameters in calls are ``loc`` and ``scale``. As in MindSpore there is no `kl_loss`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Logistic(0.0, 1.0).cdf(ms.Tensor([0.0, 2.0])).asnumpy().round(4)
    array([0.5   , 0.8808], dtype=float32)
    """

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = None,
        dtype: Any = dtypes.float32, name: str = "Logistic",
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

    def _mean(self, loc: Any = None, scale: Any = None) -> Any:
        return self._check_param_type(loc, scale)[0]

    def _mode(self, loc: Any = None, scale: Any = None) -> Any:
        return self._check_param_type(loc, scale)[0]

    def _sd(self, loc: Any = None, scale: Any = None) -> Any:
        return self._check_param_type(loc, scale)[1] * (math.pi / math.sqrt(3))

    def _entropy(self, loc: Any = None, scale: Any = None) -> Any:
        return ops.log(self._check_param_type(loc, scale)[1]) + 2.0

    def _standard(self, value: Any, loc: Any, scale: Any) -> tuple[Any, Any]:
        """How many times `scale` the value is above the middle, and that scale."""
        loc, scale = self._check_param_type(loc, scale)
        return (self._event(value) - loc) / scale, scale

    def _log_prob(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        far, scale = self._standard(value, loc, scale)
        return ops.logsigmoid(far) + ops.logsigmoid(-far) - ops.log(scale)

    def _cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return ops.sigmoid(self._standard(value, loc, scale)[0])

    def _log_cdf(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return ops.logsigmoid(self._standard(value, loc, scale)[0])

    def _survival_function(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return ops.sigmoid(-self._standard(value, loc, scale)[0])

    def _log_survival(self, value: Any, loc: Any = None, scale: Any = None) -> Any:
        return ops.logsigmoid(-self._standard(value, loc, scale)[0])

    def _sample(self, shape: Any = (), loc: Any = None, scale: Any = None) -> Any:
        loc, scale = self._check_param_type(loc, scale)
        numbers = self._wide((*shape, *loc.shape))
        far = ops.log(numbers) - ops.log1p(-numbers)
        return ops.cast(loc + scale * far, self.dtype)
