"""What are error functions, and the logarithm of the gamma function with its derivatives?

Integers and bools are taken as float32.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.ops.promotion import floats_of


def erf(input: Any) -> Any:
    """Error function, ``2/sqrt(pi)`` times the integral of ``exp(-t**2)`` from 0 to `input`.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> erf(ms.Tensor([0.0, 0.5])).asnumpy()
    array([0.       , 0.5204999], dtype=float32)
    """
    return p.erf(floats_of(input, "erf"))


def erfc(input: Any) -> Any:
    """``1 - erf(input)``, without the cancellation.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> erfc(ms.Tensor([0.0, 10.0])).asnumpy()
    array([1.e+00, 1.e-45], dtype=float32)
    """
    return p.erfc(floats_of(input, "erfc"))


def erfinv(input: Any) -> Any:
    """Inverse of `erf`; infinite at -1 and 1, NaN outside.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> erfinv(ms.Tensor([0.0, 0.5])).asnumpy()
    array([0.        , 0.47693628], dtype=float32)
    """
    return p.erfinv(floats_of(input, "erfinv"))


def lgamma(input: Any) -> Any:
    """Logarithm of the absolute value of the gamma function; inf at 0, -1, -2, ...

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> lgamma(ms.Tensor([1.0, 0.5])).asnumpy()
    array([0.       , 0.5723649], dtype=float32)
    """
    return p.lgamma(floats_of(input, "lgamma"))


def digamma(input: Any) -> Any:
    """Derivative of `lgamma`.

    Of any shape; integers and bools give float32. E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> digamma(ms.Tensor([1.0, 2.0])).asnumpy()
    array([-0.5772157 ,  0.42278433], dtype=float32)
    """
    return p.polygamma(floats_of(input, "digamma"), n=0)


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
    return p.polygamma(floats_of(input, "polygamma"), n=n)
