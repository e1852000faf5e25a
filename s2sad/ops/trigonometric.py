"""Sines, their relatives and their inverses. Integers and bools are taken as float32."""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.ops.promotion import as_dtype, promote_floats, require_floats


def sin(input: Any) -> Any:
    """Sine, of integers in float32; NaN at the infinities.

    Examples
    --------
    >>> import s2sad as ms
    >>> sin(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.      , 0.841471], dtype=float32)
    """
    return p.sin(require_floats(input, "sin"))


def cos(input: Any) -> Any:
    """Cosine, of integers in float32; NaN at the infinities.

    Examples
    --------
    >>> import s2sad as ms
    >>> cos(ms.Tensor([0.0, 1.0])).asnumpy()
    array([1.       , 0.5403023], dtype=float32)
    """
    return p.cos(require_floats(input, "cos"))


def tan(input: Any) -> Any:
    """Tangent; NaN at the infinities.

    Examples
    --------
    >>> import s2sad as ms
    >>> tan(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 1.5574077], dtype=float32)
    """
    return p.tan(require_floats(input, "tan"))


def asin(input: Any) -> Any:
    """Angle from -pi/2 to pi/2 with the sine `input`; NaN outside [-1, 1].

    Examples
    --------
    >>> import s2sad as ms
    >>> asin(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 1.5707964], dtype=float32)
    """
    return p.asin(require_floats(input, "asin"))


def acos(input: Any) -> Any:
    """Angle from 0 to pi with the cosine `input`; NaN outside [-1, 1].

    Examples
    --------
    >>> import s2sad as ms
    >>> acos(ms.Tensor([1.0, 0.0])).asnumpy()
    array([0.       , 1.5707964], dtype=float32)
    """
    return p.acos(require_floats(input, "acos"))


def atan(input: Any) -> Any:
    """Angle from -pi/2 to pi/2 with the tangent `input`.

    Examples
    --------
    >>> import s2sad as ms
    >>> atan(ms.Tensor([0.0, 1.0])).asnumpy()
    array([0.       , 0.7853982], dtype=float32)
    """
    return p.atan(require_floats(input, "atan"))


def atan2(input: Any, other: Any) -> Any:
    """Angle from -pi to pi of the point with the ordinate `input` and the abscissa `other`.

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

    Examples
    --------
    >>> import s2sad as ms
    >>> sinc(ms.Tensor([0.0, 0.5])).asnumpy()
    array([1.        , 0.63661975], dtype=float32)
    """
    x = require_floats(input, "sinc")
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

    Examples
    --------
    >>> import s2sad as ms
    >>> deg2rad(ms.Tensor([180.0, 90.0])).asnumpy()
    array([3.1415927, 1.5707964], dtype=float32)
    """
    return p.mul(require_floats(x, "deg2rad"), math.pi / 180.0)


def rad2deg(x: Any) -> Any:
    """Radians in degrees.

    Examples
    --------
    >>> import s2sad as ms
    >>> rad2deg(ms.Tensor([1.0, 0.0])).asnumpy()
    array([57.29578,  0.     ], dtype=float32)
    """
    return p.mul(require_floats(x, "rad2deg"), 180.0 / math.pi)
