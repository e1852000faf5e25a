"""The exponential function as a bijector."""

from __future__ import annotations

from s2sad.nn.probability.bijector.power_transform import PowerTransform


class Exp(PowerTransform):
    """The bijector ``exp(x)``.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> import s2sad as ms
    >>> Exp().forward(ms.Tensor([0.0])).asnumpy(), Exp().inverse(ms.Tensor([1.0])).asnumpy()
    (array([1.], dtype=float32), array([0.], dtype=float32))
    """

    def __init__(self, name: str = "Exp") -> None:
        super().__init__(name=name)

    def extend_repr(self) -> str:
        return "exp"
