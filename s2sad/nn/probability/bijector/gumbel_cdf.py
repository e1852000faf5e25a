"""The distribution function of Gumbel as a bijector, to numbers from 0 to 1."""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.nn.probability.bijector.bijector import Bijector
from s2sad.nn.probability.distribution.distribution import described
from s2sad.ops.distribution_parameters import require_positive


class GumbelCDF(Bijector):
    """The bijector ``exp(-exp(-(x - loc) / scale))``.

    Parameters
    ----------
    loc : float, list, array or Tensor of floats
    scale : float, list, array or Tensor of floats
        Positive.
    name : str

    Raises
    ------
    S2sadError
        Those of `Bijector`; E0404 for a scale that is not positive.

    Examples
    --------
    >>> import s2sad as ms
    >>> GumbelCDF(1.0, 2.0).forward(ms.Tensor([1.0])).asnumpy().round(4)
    array([0.3679], dtype=float32)
    """

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0, name: str = "GumbelCDF") -> None:
        super().__init__(name=name, param=described(locals(), loc=loc, scale=scale))
        self._loc = self._add_parameter(loc, "loc")
        self._scale = self._add_parameter(scale, "scale")
        require_positive("scale", self._scale)

    @property
    def loc(self) -> Any:
        return self._loc

    @property
    def scale(self) -> Any:
        return self._scale

    def _parts(self, value: Any) -> tuple[Any, Any, Any]:
        value = self._check_value_dtype(value)
        loc = self.cast_param_by_value(value, self.loc)
        return value, loc, self.cast_param_by_value(value, self.scale)

    def _forward(self, x: Any) -> Any:
        x, loc, scale = self._parts(x)
        return ops.exp(-ops.exp(-(x - loc) / scale))

    def _inverse(self, y: Any) -> Any:
        y, loc, scale = self._parts(y)
        return loc - scale * ops.log(-ops.log(y))

    def _forward_log_jacobian(self, x: Any) -> Any:
        x, loc, scale = self._parts(x)
        far = (x - loc) / scale
        return -far - ops.exp(-far) - ops.log(scale)

    def _inverse_log_jacobian(self, y: Any) -> Any:
        y, _, scale = self._parts(y)
        return ops.log(scale / (-y * ops.log(y)))
