"""How likely is a normal number below a bound, however far out that is?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.ops.promotion import as_dtype

#: From here on outwards the fraction below is exact with `LEVELS` levels, in float64.
FAR = 6.0
LEVELS = 28


def normal_cdf(x: Any) -> Any:
    """The probability of `x`, a tensor of floats, or less, also where that is tiny.

    Examples
    --------
    >>> import s2sad as ms
    >>> normal_cdf(ms.Tensor([0.0, -12.0], ms.float64)).asnumpy()
    array([5.00000000e-01, 1.77648211e-33])
    """
    wide = as_dtype(x, x.dtype.compute)
    return as_dtype(p.mul(0.5, p.erfc(p.mul(wide, -math.sqrt(0.5)))), x.dtype)


def log_normal_cdf(x: Any) -> Any:
    """Logarithm of `normal_cdf`.

    Notes
    -----
    Far below 0 by Laplace's continued fraction of Mills' ratio: M. Abramowitz and I. Stegun,
    Handbook of mathematical functions, 1964, 26.2.14.

    Examples
    --------
    >>> import s2sad as ms
    >>> log_normal_cdf(ms.Tensor([0.0, -100.0, 100.0])).asnumpy()
    array([-6.9314718e-01, -5.0055244e+03, -0.0000000e+00], dtype=float32)
    """
    wide = as_dtype(x, x.dtype.compute)
    is_far = p.less(wide, -FAR)
    is_high = p.greater(wide, 0)
    scaled = p.mul(p.where(is_far, 0.0, wide), math.sqrt(0.5))
    half = p.mul(0.5, p.erfc(p.where(is_high, scaled, p.neg(scaled))))
    near = p.where(is_high, p.log1p(p.neg(half)), p.log(p.where(is_high, 1.0, half)))
    return as_dtype(p.where(is_far, _far_out(p.where(is_far, wide, -FAR)), near), x.dtype)


def _far_out(x: Any) -> Any:
    size = p.neg(x)
    level = size
    for count in range(LEVELS, 0, -1):
        level = p.add(size, p.div(float(count), level))
    front = p.add(p.mul(0.5, p.square(x)), 0.5 * math.log(2 * math.pi))
    return p.neg(p.add(front, p.log(level)))
