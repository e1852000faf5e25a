"""What are sums, products, powers and roots, with MindSpore's promotion?

Bools have the sum and the product that NumPy gives them: whether one holds, and whether both do.
What has several steps is computed in float32 for narrower floats, and rounded once.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.dtypes import bool_
from s2sad.ops.promotion import (
    as_dtype,
    as_operand,
    dtype_met,
    floats_of,
    is_tensor,
    promote,
    promote_floats,
    require_broadcast,
    require_tensor,
)


def add(input: Any, other: Any) -> Any:
    """Elementwise sum with broadcasting and promotion.

    Parameters
    ----------
    input, other : Tensor or number
        At least one is a Tensor; shapes broadcast.

    Returns
    -------
    Tensor
        Of the dtype in which the operands meet (`s2sad.ops.promotion`).

    Raises
    ------
    S2sadError
        E0304 for what is neither Tensor nor number, or no Tensor at all; E0401 for shapes that do
        not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> add(ms.Tensor([1.0, 2.0]), 1).asnumpy()
    array([2., 3.], dtype=float32)
    """
    x, y = promote(input, other)
    return p.logical_or(x, y) if dtype_met(x, y) is bool_ else p.add(x, y)


def sub(input: Any, other: Any) -> Any:
    """Elementwise difference with broadcasting and promotion; bools have none (E0301).

    Operands and errors are those of `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> sub(ms.Tensor([1.0, 2.0]), 1).asnumpy()
    array([0., 1.], dtype=float32)
    """
    return p.sub(*promote(input, other))


def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """``input - alpha * other``, elementwise.

    `alpha` is a number or a Tensor. Operands and errors are those of `sub`.

    Examples
    --------
    >>> import s2sad as ms
    >>> subtract(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 1.0]), alpha=2).asnumpy()
    array([-1.,  0.], dtype=float32)
    """
    return sub(input, scaled(other, alpha))


def scaled(operand: Any, factor: Any) -> Any:
    """`operand` times `factor`, or as it stands where that is the number 1."""
    if is_tensor(operand) or is_tensor(factor):
        return operand if not is_tensor(factor) and factor == 1 else mul(operand, factor)
    return as_operand(operand) * as_operand(factor)


def mul(input: Any, other: Any) -> Any:
    """Elementwise product with broadcasting and promotion.

    Operands and errors are those of `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> mul(ms.Tensor([1.0, 2.0]), 3).asnumpy()
    array([3., 6.], dtype=float32)
    """
    x, y = promote(input, other)
    return p.logical_and(x, y) if dtype_met(x, y) is bool_ else p.mul(x, y)


multiply = mul


def neg(input: Any) -> Any:
    """Elementwise negative.

    Numbers of any shape and dtype; E0304 for what is no Tensor, E0301 for bools.

    Examples
    --------
    >>> import s2sad as ms
    >>> neg(ms.Tensor([1.0, -2.0])).asnumpy()
    array([-1.,  2.], dtype=float32)
    """
    return p.neg(require_tensor(input, "neg"))


negative = neg


def positive(input: Any) -> Any:
    """`input` itself.

    Of any shape and dtype; E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> positive(ms.Tensor([1.0, -2.0])).asnumpy()
    array([ 1., -2.], dtype=float32)
    """
    return require_tensor(input, "positive")


def abs(input: Any) -> Any:
    """Elementwise absolute value; gradient 0 at 0.

    Numbers of any shape and dtype; E0304 for what is no Tensor, E0301 for bools.

    Examples
    --------
    >>> import s2sad as ms
    >>> abs(ms.Tensor([1.0, -2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return p.abs(require_tensor(input, "abs"))


absolute = abs


def sign(input: Any) -> Any:
    """1, 0 or -1, as each element is above, at or below 0; NaN stays NaN.

    Numbers of any shape and dtype; E0304 for what is no Tensor, E0301 for bools.

    Examples
    --------
    >>> import s2sad as ms
    >>> sign(ms.Tensor([1.5, -2.0, 0.0])).asnumpy()
    array([ 1., -1.,  0.], dtype=float32)
    """
    return p.sign(require_tensor(input, "sign"))


sgn = sign


def pow(input: Any, exponent: Any) -> Any:
    """Elementwise power with broadcasting and promotion.

    Operands and errors are those of `add`; bools have none (E0301).

    Examples
    --------
    >>> import s2sad as ms
    >>> pow(ms.Tensor([1.0, 3.0]), 2).asnumpy()
    array([1., 9.], dtype=float32)
    """
    return p.pow(*promote(input, exponent))


def square(input: Any) -> Any:
    """Each element times itself; integers wrap.

    Numbers of any shape and dtype; E0304 for what is no Tensor, E0301 for bools.

    Examples
    --------
    >>> import s2sad as ms
    >>> square(ms.Tensor([3, -2])).asnumpy()
    array([9, 4])
    """
    return p.square(require_tensor(input, "square"))


def sqrt(x: Any) -> Any:
    """Square root, of integers in float32; NaN below 0. The gradient at 0 is infinite.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> sqrt(ms.Tensor([4, 9])).asnumpy()
    array([2., 3.], dtype=float32)
    """
    return p.sqrt(floats_of(x, "sqrt"))


def rsqrt(input: Any) -> Any:
    """One divided by the square root; inf at 0, NaN below.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> rsqrt(ms.Tensor([4.0, 0.0])).asnumpy()
    array([0.5, inf], dtype=float32)
    """
    return p.rsqrt(floats_of(input, "rsqrt"))


def hypot(input: Any, other: Any) -> Any:
    """Length of the hypotenuse, ``sqrt(input**2 + other**2)``, without overflow.

    Operands and errors are those of `add`; integers and bools give float32.

    The gradient is 0 where both are 0; where one is infinite the length follows that one alone.

    Examples
    --------
    >>> import s2sad as ms
    >>> hypot(ms.Tensor([3.0, 3e38]), ms.Tensor([4.0, 0.0])).asnumpy()
    array([5.e+00, 3.e+38], dtype=float32)
    """
    one, other = promote_floats(input, other)
    require_broadcast(one, other)
    x, y = (as_dtype(side, side.dtype.compute) for side in (one, other))
    infinite = p.logical_or(p.is_inf(x), p.is_inf(y))
    # The scale cancels: the length does not depend on it.
    scale = p.stop_gradient(p.maximum(p.abs(x), p.abs(y)))
    none = p.equal(scale, 0)
    scale = p.where(p.logical_or(none, infinite), 1, scale)
    squares = p.add(p.square(p.div(x, scale)), p.square(p.div(y, scale)))
    length = p.mul(scale, p.sqrt(p.where(none, 1, squares)))
    ends = p.maximum(*(p.where(p.is_inf(side), p.abs(side), 0) for side in (x, y)))
    length = p.where(none, 0, p.where(infinite, ends, length))
    return as_dtype(length, one.dtype)


def lerp(input: Any, end: Any, weight: Any) -> Any:
    """``input + weight * (end - input)``: on the way from `input` to `end`.

    Parameters
    ----------
    input, end : Tensor
    weight : Tensor or number

    Raises
    ------
    S2sadError
        E0304 when `input` or `end` is no Tensor, E0401 for shapes that do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> lerp(ms.Tensor([0.0, 2.0]), ms.Tensor([1.0, 4.0]), 0.25).asnumpy()
    array([0.25, 2.5 ], dtype=float32)
    """
    require_tensor(input, "lerp")
    start, end, weight = promote_floats(input, require_tensor(end, "lerp"), weight)
    return p.add(start, p.mul(weight, p.sub(end, start)))


def addcmul(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """``input + value * tensor1 * tensor2``, elementwise.

    `value` is a number or a Tensor. Operands and errors are those of `mul` and `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> addcmul(ms.Tensor([1.0]), ms.Tensor([2.0]), ms.Tensor([3.0]), 0.5).asnumpy()
    array([4.], dtype=float32)
    """
    return add(input, scaled(mul(tensor1, tensor2), value))


def addcdiv(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """``input + value * tensor1 / tensor2``, elementwise; integers are divided in float32.

    `value` is a number or a Tensor. Operands and errors are those of `div` and `add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> addcdiv(ms.Tensor([1.0]), ms.Tensor([2.0]), ms.Tensor([4.0]), 2).asnumpy()
    array([2.], dtype=float32)
    """
    return add(input, scaled(p.div(*promote_floats(tensor1, tensor2)), value))
