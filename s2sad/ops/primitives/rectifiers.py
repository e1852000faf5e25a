"""Which objects are made of straight pieces, or nearly so?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import rectifiers
from s2sad.ops.primitives.base import like, primitive
from s2sad.ops.settings import number

SIGNS = "ms.Tensor([-1.0, 8.0])"

HSigmoid = like(rectifiers.hardsigmoid, "HSigmoid", "ms.Tensor([-9.0, 0.0])", "[0.0, 0.5]")
HSwish = like(rectifiers.hardswish, "HSwish", "ms.Tensor([-9.0, 9.0])", "[0.0, 9.0]")
PReLU = like(rectifiers.prelu, "PReLU", f"{SIGNS}, ms.Tensor([0.5])", "[-0.5, 8.0]")
ReLU = like(rectifiers.relu, "ReLU", SIGNS, "[0.0, 8.0]", operands=1)
ReLU6 = like(rectifiers.relu6, "ReLU6", SIGNS, "[0.0, 6.0]")
SeLU = like(rectifiers.selu, "SeLU", "ms.Tensor([0.0])", "[0.0]")


@primitive(alpha=number)
def Elu(input_x: Any, *, alpha: float = 1.0) -> Any:
    """`ops.elu`: below 0 ``alpha * (exp(x) - 1)``.

    Examples
    --------
    >>> import s2sad as ms
    >>> Elu()(ms.Tensor([-100.0, 2.0])).tolist()
    [-1.0, 2.0]
    """
    return rectifiers.elu(input_x, alpha)


@primitive(alpha=number)
def CeLU(x: Any, *, alpha: float = 1.0) -> Any:
    """`ops.celu`: below 0 ``alpha * (exp(x / alpha) - 1)``.

    Examples
    --------
    >>> import s2sad as ms
    >>> CeLU(alpha=2.0)(ms.Tensor([-1000.0, 2.0])).tolist()
    [-2.0, 2.0]
    """
    return rectifiers.celu(x, alpha)


@primitive(lambd=number)
def HShrink(input_x: Any, *, lambd: float = 0.5) -> Any:
    """`ops.hardshrink`: 0 where elements are at most `lambd` in size.

    Examples
    --------
    >>> import s2sad as ms
    >>> HShrink()(ms.Tensor([-0.5, 2.0])).tolist()
    [0.0, 2.0]
    """
    return rectifiers.hardshrink(input_x, lambd)


@primitive(lambd=number)
def SoftShrink(input: Any, *, lambd: float = 0.5) -> Any:
    """`ops.softshrink`: nearer to 0 by `lambd`.

    Examples
    --------
    >>> import s2sad as ms
    >>> SoftShrink()(ms.Tensor([-0.5, 2.0])).tolist()
    [0.0, 1.5]
    """
    return rectifiers.softshrink(input, lambd)
