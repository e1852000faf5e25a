"""What are sines, their relatives and their inverses?

Integers and bools are taken as float32.
"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.ops.promotion import as_dtype, floats_of, promote_floats


def sin(input: Any) -> Any:
    """Sine, of integers in float32; NaN at the infinities.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> sin(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.      , 0.841471], dtype=float32)
    """
    return p.sin(floats_of(input, "sin"))


def cos(input: Any) -> Any:
    """Cosine, of integers in float32; NaN at the infinities.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> cos(ms.Tensor([0.0, 1.0])).asnumpy()
    array([1.       , 0.5403023], dtype=float32)
    """
    return p.cos(floats_of(input, "cos"))


def tan(input: Any) -> Any:
    """Tangent; NaN at the infinities.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> tan(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 1.5574077], dtype=float32)
    """
    return p.tan(floats_of(input, "tan"))


def asin(input: Any) -> Any:
    """Angle from -pi/2 to pi/2 with the sine `input`; NaN outside [-1, 1].

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> asin(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 1.5707964], dtype=float32)
    """
    return p.asin(floats_of(input, "asin"))


def acos(input: Any) -> Any:
    """Angle from 0 to pi with the cosine `input`; NaN outside [-1, 1].

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> acos(ms.Tensor([1.0, 0.0])).asnumpy()
    array([0.       , 1.5707964], dtype=float32)
    """
    return p.acos(floats_of(input, "acos"))


def atan(input: Any) -> Any:
    """Angle from -pi/2 to pi/2 with the tangent `input`.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> atan(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 0.7853982], dtype=float32)
    """
    return p.atan(floats_of(input, "atan"))


def atan2(input: Any, other: Any) -> Any:
    """Angle from -pi to pi of the point with the ordinate `input` and the abscissa `other`.

    Operands and errors are those of `add`; integers and bools give float32.

    Examples
    --------
    >>> import s2sad as ms
    >>> atan2(ms.Tensor([0.0, 1.0]), ms.Tensor([1.0, 0.0])).asnumpy()
    array([0.       , 1.5707964], dtype=float32)
    """
    return p.atan2(*promote_floats(input, other))


arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2


#: Of ``sin(z) / z`` in powers of z**2, from the highest; below 1/4 rounding hides the next one.
_SERIES = tuple((-1) ** k / math.factorial(2 * k + 1) for k in range(6, -1, -1))


def sinc(input: Any) -> Any:
    """``sin(pi * input) / (pi * input)``, which is 1 at 0.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> sinc(ms.Tensor([0.0, 0.5])).asnumpy()
    array([1.        , 0.63661975], dtype=float32)
    """
    x = floats_of(input, "sinc")
    angle = p.mul(as_dtype(x, x.dtype.compute), math.pi)
    # The quotient cancels near 0, the more so in its derivatives.
    is_small = p.less(p.abs(angle), 0.25)
    small, large = p.where(is_small, angle, 0), p.where(is_small, 1, angle)
    square = p.square(small)
    series = p.full_like(square, value=_SERIES[0])
    for coefficient in _SERIES[1:]:
        series = p.add(p.mul(series, square), coefficient)
    return as_dtype(p.where(is_small, series, p.div(p.sin(large), large)), x.dtype)


def deg2rad(x: Any) -> Any:
    """Degrees in radians.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> deg2rad(ms.Tensor([180.0, 90.0])).asnumpy()
    array([3.1415927, 1.5707964], dtype=float32)
    """
    return p.mul(floats_of(x, "deg2rad"), math.pi / 180.0)


def rad2deg(x: Any) -> Any:
    """Radians in degrees.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> rad2deg(ms.Tensor([1.0, 0.0])).asnumpy()
    array([57.29578,  0.     ], dtype=float32)
    """
    return p.mul(floats_of(x, "rad2deg"), 180.0 / math.pi)
