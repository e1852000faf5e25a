"""Which objects bend, or turn scores into probabilities?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops import activation
from s2sad.ops.primitives.base import like, older, primitive
from s2sad.ops.settings import integer

ZERO = "ms.Tensor([0.0])"

FastGeLU = like(activation.fast_gelu, "FastGeLU", ZERO, "[0.0]")
Mish = like(activation.mish, "Mish", ZERO, "[0.0]")
Sigmoid = like(activation.sigmoid, "Sigmoid", ZERO, "[0.5]")
SiLU = like(activation.silu, "SiLU", ZERO, "[0.0]")
Softplus = like(activation.softplus, "Softplus", "ms.Tensor([100.0])", "[100.0]", operands=1)
Softsign = like(activation.softsign, "Softsign", "ms.Tensor([1.0, -1.0])", "[0.5, -0.5]")
Tanh = like(activation.tanh, "Tanh", ZERO, "[0.0]")


def _axis(name: str, given: Any) -> int:
    """An int, or a tuple of one."""
    if isinstance(given, (tuple, list)):
        if len(given) != 1:
            raise fail("E0404", f"{name} is one axis, got {given!r}")
        (given,) = given
    return integer(name, given)


@primitive(axis=_axis)
def Softmax(input: Any, *, axis: Any = -1) -> Any:
    """Exponentials, scaled to sum to one along `axis`, an int or a tuple of one: `ops.softmax`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Softmax(axis=0)(ms.Tensor([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    return activation.softmax(input, axis)


@primitive(axis=_axis)
def LogSoftmax(logits: Any, *, axis: int = -1) -> Any:
    """Logarithm of `Softmax` along `axis`: `ops.log_softmax`.

    Examples
    --------
    >>> import s2sad as ms
    >>> LogSoftmax()(ms.Tensor([0.0, 0.0])).tolist()
    [-0.693147..., -0.693147...]
    """
    return activation.log_softmax(logits, axis)


@primitive()
def GeLU(input_x: Any) -> Any:
    """`ops.gelu` with ``approximate="tanh"``.

    Examples
    --------
    >>> import s2sad as ms
    >>> round(GeLU()(ms.Tensor([1.0])).item(), 6)
    0.841192
    """
    return activation.gelu(input_x, "tanh")


Gelu = older(GeLU, "Gelu", "", ZERO, "[0.0]")
