"""A line as a bijector."""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.nn.probability.bijector.bijector import Bijector
from s2sad.nn.probability.distribution.distribution import described


class ScalarAffine(Bijector):
    """The bijector ``scale * x + shift``.

    Parameters
    ----------
    scale, shift : float, list, array or Tensor of floats
    name : str

    Raises
    ------
    S2sadError
        Those of `Bijector`.

    Notes
    -----
    The logarithms of its derivatives have the shape of `scale`.

    Examples
    --------
    >>> import s2sad as ms
    >>> line = ScalarAffine(2.0, 1.0)
    >>> line.forward(ms.Tensor([3.0])).asnumpy(), line.inverse(ms.Tensor([7.0])).asnumpy()
    (array([7.], dtype=float32), array([3.], dtype=float32))
    """

    def __init__(self, scale: Any = 1.0, shift: Any = 0.0, name: str = "ScalarAffine") -> None:
        super().__init__(True, True, name, None, described(locals(), scale=scale, shift=shift))
        self._scale = self._add_parameter(scale, "scale")
        self._shift = self._add_parameter(shift, "shift")

    @property
    def scale(self) -> Any:
        return self._scale

    @property
    def shift(self) -> Any:
        return self._shift

    def _parts(self, value: Any) -> tuple[Any, Any, Any]:
        value = self._check_value_dtype(value)
        scale = self.cast_param_by_value(value, self.scale)
        return value, scale, self.cast_param_by_value(value, self.shift)

    def _forward(self, x: Any) -> Any:
        x, scale, shift = self._parts(x)
        return scale * x + shift

    def _inverse(self, y: Any) -> Any:
        y, scale, shift = self._parts(y)
        return (y - shift) / scale

    def _forward_log_jacobian(self, x: Any) -> Any:
        return ops.log(ops.abs(self._parts(x)[1]))

    def _inverse_log_jacobian(self, y: Any) -> Any:
        return -ops.log(ops.abs(self._parts(y)[1]))
