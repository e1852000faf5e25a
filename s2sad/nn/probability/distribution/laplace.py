"""The Laplace distribution: an exponential one to both sides."""

from __future__ import annotations

import math
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, described
from s2sad.ops.distribution_parameters import require_positive
from s2sad.ops.draws import float_dtype


class Laplace(Distribution):
    """The Laplace distribution, of the density ``exp(-|x - mean| / sd) / (2 * sd)``.

    Parameters
    ----------
    mean : number, list, array or Tensor, optional
    sd : number, list, array or Tensor, optional
        The scale, positive; the standard deviation is ``sqrt(2)`` times that.
    seed : int, optional
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for an `sd` that is not positive.

    Notes
    -----
    As in MindSpore it has `prob` and `log_prob` alone.

    Examples
    --------
    >>> import s2sad as ms
    >>> Laplace(0.0, 1.0).prob(ms.Tensor([-1.0, 0.0])).asnumpy().round(4)
    array([0.1839, 0.5   ], dtype=float32)
    """

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None,
        dtype: Any = dtypes.float32, name: str = "Laplace",
    ) -> None:  # fmt: skip
        super().__init__(seed, float_dtype(dtype), name, described(locals(), mean=mean, sd=sd))
        self._mean_value = self._add_parameter(mean, "mean")
        self._sd_value = self._add_parameter(sd, "sd")
        require_positive("sd", self._sd_value)

    def _get_dist_args(self, mean: Any = None, sd: Any = None) -> tuple[Any, ...]:
        return self._known(mean, sd)

    def _log_prob(self, value: Any, mean: Any = None, sd: Any = None) -> Any:
        mean, sd = self._check_param_type(mean, sd)
        far = ops.abs((self._event(value) - mean) / sd)
        return -far - ops.log(sd) - math.log(2.0)
