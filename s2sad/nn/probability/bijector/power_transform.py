"""The power ``(1 + c x)**(1 / c)``, which is the exponential function where c is 0."""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.nn.probability.bijector.bijector import Bijector
from s2sad.nn.probability.distribution.distribution import described
from s2sad.ops.distribution_parameters import require_not_negative


class PowerTransform(Bijector):
    """The bijector ``(1 + x * power)**(1 / power)``.

    Parameters
    ----------
    power : float, list, array or Tensor of floats
        Not negative; where it is 0 the function is ``exp(x)``, with no gradient by `power`.
    name : str

    Raises
    ------
    S2sadError
        Those of `Bijector`; E0404 for a negative power.

    Examples
    --------
    >>> import s2sad as ms
    >>> root = PowerTransform(2.0)
    >>> root.forward(ms.Tensor([4.0])).asnumpy().round(4), root.inverse(ms.Tensor([3.0])).asnumpy()
    (array([3.], dtype=float32), array([4.], dtype=float32))
    """

    def __init__(self, power: Any = 0.0, name: str = "PowerTransform") -> None:
        super().__init__(name=name, param=described(locals(), power=power))
        self._power = self._add_parameter(power, "power")
        require_not_negative("power", self._power)

    @property
    def power(self) -> Any:
        return self._power

    def _parts(self, value: Any) -> tuple[Any, Any, Any]:
        """The value, where the power is 0, and the power, which there is 1."""
        value = self._check_value_dtype(value)
        power = self.cast_param_by_value(value, self.power)
        return value, power == 0, ops.where(power == 0, 1.0, power)

    def _forward(self, x: Any) -> Any:
        x, is_none, power = self._parts(x)
        return ops.exp(ops.where(is_none, x, ops.log1p(ops.where(is_none, 0.0, x * power)) / power))

    def _inverse(self, y: Any) -> Any:
        y, is_none, power = self._parts(y)
        size = ops.log(y)
        return ops.where(is_none, size, ops.expm1(size * power) / power)

    def _forward_log_jacobian(self, x: Any) -> Any:
        x, is_none, power = self._parts(x)
        bent = ops.log1p(ops.where(is_none, 0.0, x * power))
        return ops.where(is_none, x, (1.0 / power - 1.0) * bent)

    def _inverse_log_jacobian(self, y: Any) -> Any:
        y = self._check_value_dtype(y)
        return (self.cast_param_by_value(y, self.power) - 1.0) * ops.log(y)
