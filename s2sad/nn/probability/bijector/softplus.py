"""The soft rectifier as a bijector."""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.nn.probability.bijector.bijector import Bijector
from s2sad.nn.probability.distribution.distribution import described


class Softplus(Bijector):
    """The bijector ``log(1 + exp(sharpness * x)) / sharpness``.

    Parameters
    ----------
    sharpness : float, list, array or Tensor of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Bijector`.

    Examples
    --------
    >>> import s2sad as ms
    >>> soft = Softplus(2.0)
    >>> soft.forward(ms.Tensor([0.0, 90.0])).asnumpy().round(4)
    array([ 0.3466, 90.    ], dtype=float32)
    """

    def __init__(self, sharpness: Any = 1.0, name: str = "Softplus") -> None:
        super().__init__(name=name, param=described(locals(), sharpness=sharpness))
        self._sharpness = self._add_parameter(sharpness, "sharpness")

    @property
    def sharpness(self) -> Any:
        return self._sharpness

    def _scaled(self, value: Any) -> tuple[Any, Any]:
        """The value times the sharpness, and that."""
        value = self._check_value_dtype(value)
        sharpness = self.cast_param_by_value(value, self.sharpness)
        return sharpness * value, sharpness

    def _forward(self, x: Any) -> Any:
        scaled, sharpness = self._scaled(x)
        return -ops.logsigmoid(-scaled) / sharpness

    def _inverse(self, y: Any) -> Any:
        scaled, sharpness = self._scaled(y)
        return (scaled + _log_rest(scaled)) / sharpness

    def _forward_log_jacobian(self, x: Any) -> Any:
        return ops.logsigmoid(self._scaled(x)[0])

    def _inverse_log_jacobian(self, y: Any) -> Any:
        return -_log_rest(self._scaled(y)[0])


def _log_rest(x: Any) -> Any:
    """``log(1 - exp(-x))``."""
    return ops.log(-ops.expm1(-x))
