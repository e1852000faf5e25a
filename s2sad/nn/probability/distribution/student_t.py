"""Student's t distribution."""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.nn.probability.distribution.distribution import Distribution, described
from s2sad.ops.distribution_parameters import require_positive
from s2sad.ops.draws import float_dtype
from s2sad.ops.gamma_integrals import log_beta


class StudentT(Distribution):
    """Student's t distribution.

    Parameters
    ----------
    df : number, list, array or Tensor, optional
        Degrees of freedom, positive.
    mean : number, list, array or Tensor, optional
    sd : number, list, array or Tensor, optional
        The scale, positive; it is no standard deviation.
    seed : int, optional
    dtype : DType of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Distribution`; E0404 for a `df` or an `sd` that is not positive.

    Notes
    -----
    As in MindSpore it has `prob` and `log_prob` alone.

    Examples
    --------
    >>> import s2sad as ms
    >>> StudentT(1.0, 0.0, 1.0).prob(ms.Tensor([0.0, 1.0])).asnumpy().round(4)
    array([0.3183, 0.1592], dtype=float32)
    """

    def __init__(
        self, df: Any = None, mean: Any = None, sd: Any = None, seed: int | None = None,
        dtype: Any = dtypes.float32, name: str = "StudentT",
    ) -> None:  # fmt: skip
        param = described(locals(), df=df, mean=mean, sd=sd)
        super().__init__(seed, float_dtype(dtype), name, param)
        self._df_value = self._add_parameter(df, "df")
        self._mean_value = self._add_parameter(mean, "mean")
        self._sd_value = self._add_parameter(sd, "sd")
        require_positive("sd", self._sd_value)
        require_positive("df", self._df_value)

    def _get_dist_args(self, df: Any = None, mean: Any = None, sd: Any = None) -> tuple[Any, ...]:
        return self._known(df, mean, sd)

    def _log_prob(self, value: Any, df: Any = None, mean: Any = None, sd: Any = None) -> Any:
        df, mean, sd = self._check_param_type(df, mean, sd)
        far = (self._event(value) - mean) / sd
        bend = 0.5 * (df + 1.0) * ops.log1p(ops.square(far) / df)
        size = ops.log(sd) + 0.5 * ops.log(df)
        return -bend - size - log_beta(0.5 * df, 0.5)
