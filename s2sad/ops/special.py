"""Error functions, and the logarithm of the gamma function with its derivatives.

Integers and bools are taken as float32.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.ops.promotion import require_floats


def erf(input: Any) -> Any:
    """Error function, ``2/sqrt(pi)`` times the integral of ``exp(-t**2)`` from 0 to `input`.

    Examples
    --------
    >>> import s2sad as ms
    >>> erf(ms.Tensor([0.0, 0.5])).asnumpy()
    array([0.       , 0.5204999], dtype=float32)
    """
    return p.erf(require_floats(input, "erf"))


def erfc(input: Any) -> Any:
    """``1 - erf(input)``, without the cancellation.

    Examples
    --------
    >>> import s2sad as ms
    >>> erfc(ms.Tensor([0.0, 10.0])).asnumpy()
    array([1.e+00, 1.e-45], dtype=float32)
    """
    return p.erfc(require_floats(input, "erfc"))


def erfinv(input: Any) -> Any:
    """Inverse of `erf`; infinite at -1 and 1, NaN outside.

    Examples
    --------
    >>> import s2sad as ms
    >>> erfinv(ms.Tensor([0.0, 0.5])).asnumpy()
    array([0.        , 0.47693628], dtype=float32)
    """
    return p.erfinv(require_floats(input, "erfinv"))


def lgamma(input: Any) -> Any:
    """Logarithm of the absolute value of the gamma function; inf at 0, -1, -2, ...

    Examples
    --------
    >>> import s2sad as ms
    >>> lgamma(ms.Tensor([1.0, 0.5])).asnumpy()
    array([0.       , 0.5723649], dtype=float32)
    """
    return p.lgamma(require_floats(input, "lgamma"))


def digamma(input: Any) -> Any:
    """Derivative of `lgamma`.

    Examples
    --------
    >>> import s2sad as ms
    >>> digamma(ms.Tensor([1.0, 2.0])).asnumpy()
    array([-0.5772157 ,  0.42278433], dtype=float32)
    """
    return p.polygamma(require_floats(input, "digamma"), n=0)


def polygamma(n: int, input: Any) -> Any:
    """Derivative of order `n` of `digamma`.

    Parameters
    ----------
    n : int
        At least 0 (E0404). Static.
    input : Tensor

    Examples
    --------
    >>> import s2sad as ms
    >>> polygamma(1, ms.Tensor([1.0])).asnumpy()
    array([1.644934], dtype=float32)
    """
    return p.polygamma(require_floats(input, "polygamma"), n=n)
