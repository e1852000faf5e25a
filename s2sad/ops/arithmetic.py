"""Sums, products and powers, with MindSpore's promotion."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ops.promotion import as_dtype, is_tensor, promote, require_tensor


def add(input: Any, other: Any) -> Any:
    """Elementwise sum with broadcasting and promotion.

    Examples
    --------
    >>> import s2sad as ms
    >>> add(ms.Tensor([1.0, 2.0]), 1).asnumpy()
    array([2., 3.], dtype=float32)
    """
    return p.add(*promote(input, other))


def sub(input: Any, other: Any) -> Any:
    """Elementwise difference with broadcasting and promotion.

    Examples
    --------
    >>> import s2sad as ms
    >>> sub(ms.Tensor([1.0, 2.0]), 1).asnumpy()
    array([0., 1.], dtype=float32)
    """
    return p.sub(*promote(input, other))


def mul(input: Any, other: Any) -> Any:
    """Elementwise product with broadcasting and promotion.

    Examples
    --------
    >>> import s2sad as ms
    >>> mul(ms.Tensor([1.0, 2.0]), 3).asnumpy()
    array([3., 6.], dtype=float32)
    """
    return p.mul(*promote(input, other))


def div(input: Any, other: Any) -> Any:
    """Elementwise true quotient; of integers and bools in float32.

    Examples
    --------
    >>> import s2sad as ms
    >>> div(ms.Tensor([1, 2]), 2).asnumpy()
    array([0.5, 1. ], dtype=float32)
    """
    return p.div(*(_as_float(x) if is_tensor(x) else x for x in promote(input, other)))


def _as_float(tensor: Any) -> Any:
    return tensor if tensor.dtype.is_float else as_dtype(tensor, dtypes.float32)


def neg(input: Any) -> Any:
    """Elementwise negative.

    Examples
    --------
    >>> import s2sad as ms
    >>> neg(ms.Tensor([1.0, -2.0])).asnumpy()
    array([-1.,  2.], dtype=float32)
    """
    return p.neg(require_tensor(input, "neg"))


def abs(input: Any) -> Any:
    """Elementwise absolute value; gradient 0 at 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> abs(ms.Tensor([1.0, -2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return p.abs(require_tensor(input, "abs"))


def pow(input: Any, exponent: Any) -> Any:
    """Elementwise power with broadcasting and promotion.

    Examples
    --------
    >>> import s2sad as ms
    >>> pow(ms.Tensor([1.0, 3.0]), 2).asnumpy()
    array([1., 9.], dtype=float32)
    """
    return p.pow(*promote(input, exponent))
