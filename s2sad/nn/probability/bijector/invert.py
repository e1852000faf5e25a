"""A bijector the other way round."""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.nn.probability.bijector.bijector import Bijector


class Invert(Bijector):
    """The bijector that undoes another.

    Parameters
    ----------
    bijector : Bijector
    name : str
        ``"Invert"`` and the name of the other where it is empty.

    Raises
    ------
    S2sadError
        E0303 for what is no Bijector; those of `Bijector`.

    Examples
    --------
    >>> import s2sad as ms
    >>> from s2sad.nn.probability import bijector
    >>> log = Invert(bijector.Exp())
    >>> log.name, log.forward(ms.Tensor([1.0])).asnumpy()
    ('InvertExp', array([0.], dtype=float32))
    """

    def __init__(self, bijector: Any, name: str = "") -> None:
        if not isinstance(bijector, Bijector):
            raise fail("E0303", f"a Bijector is needed, got {shown(bijector)}")
        name = name or "Invert" + bijector.name
        super().__init__(
            bijector.is_constant_jacobian, bijector.is_injective, name, bijector.dtype,
            {"bijector": bijector, "name": name},
        )  # fmt: skip
        self._bijector = bijector
        self._batch_shape = bijector.batch_shape
        self._is_scalar_batch = bijector.is_scalar_batch

    @property
    def bijector(self) -> Any:
        return self._bijector

    def extend_repr(self) -> str:
        return ""

    def inverse(self, y: Any) -> Any:
        """What the other function makes of its argument."""
        return self.bijector.forward(y)

    def forward(self, x: Any) -> Any:
        """What the other function makes its argument of."""
        return self.bijector.inverse(x)

    def inverse_log_jacobian(self, y: Any) -> Any:
        """Logarithm of the absolute derivative of the other function."""
        return self.bijector.forward_log_jacobian(y)

    def forward_log_jacobian(self, x: Any) -> Any:
        """Logarithm of the absolute derivative of the inverse of the other function."""
        return self.bijector.inverse_log_jacobian(x)
