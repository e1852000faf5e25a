"""Which objects compute sums, products, powers and roots?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import arithmetic
from s2sad.ops.primitives.base import like, older, primitive

THREE = "ms.Tensor([1.0]), ms.Tensor([3.0]), ms.Tensor([2.0]), ms.Tensor([2.0])"

Abs = like(arithmetic.abs, "Abs", "ms.Tensor([-1.5, 2.0])", "[1.5, 2.0]")
Add = like(arithmetic.add, "Add", "ms.Tensor([1.0, 2.0]), 0.5", "[1.5, 2.5]")
Addcdiv = like(arithmetic.addcdiv, "Addcdiv", THREE, "[4.0]")
Addcmul = like(arithmetic.addcmul, "Addcmul", THREE, "[13.0]")
Hypot = like(arithmetic.hypot, "Hypot", "ms.Tensor([3.0]), ms.Tensor([4.0])", "[5.0]")
Lerp = like(arithmetic.lerp, "Lerp", "ms.Tensor([1.0]), ms.Tensor([3.0]), 0.25", "[1.5]")
Mul = like(arithmetic.mul, "Mul", "ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])", "[3.0, 8.0]")
Neg = like(arithmetic.neg, "Neg", "ms.Tensor([1.0, -2.0])", "[-1.0, 2.0]")
Pow = like(arithmetic.pow, "Pow", "ms.Tensor([1.0, 3.0]), 2", "[1.0, 9.0]")
Rsqrt = like(arithmetic.rsqrt, "Rsqrt", "ms.Tensor([4.0])", "[0.5]")
Sign = like(arithmetic.sign, "Sign", "ms.Tensor([-1.5, 0.0])", "[-1.0, 0.0]")
Sqrt = like(arithmetic.sqrt, "Sqrt", "ms.Tensor([4.0])", "[2.0]")
Square = like(arithmetic.square, "Square", "ms.Tensor([-3.0])", "[9.0]")
Sub = like(arithmetic.sub, "Sub", "ms.Tensor([1.0, 2.0]), 0.5", "[0.5, 1.5]")
TensorAdd = older(Add, "TensorAdd", "", "ms.Tensor([1.0]), ms.Tensor([2.0])", "[3.0]")


@primitive()
def SquaredDifference(x: Any, y: Any) -> Any:
    """Square of the difference, with broadcasting and promotion: ``(x - y)**2``.

    Examples
    --------
    >>> import s2sad as ms
    >>> SquaredDifference()(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0])).tolist()
    [4.0, 1.0]
    """
    return arithmetic.square(arithmetic.sub(x, y))
