"""To which whole numbers are floats rounded?

They stay floats; integers and bools are whole already. The gradient is 0: between their jumps
these functions are constant.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import as_dtype, require_tensor
from s2sad.ops.settings import integer


def floor(input: Any) -> Any:
    """Largest whole number that is not above each element.

    Of any shape and dtype; E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> floor(ms.Tensor([1.5, -1.5])).asnumpy()
    array([ 1., -2.], dtype=float32)
    """
    x = require_tensor(input, "floor")
    return p.floor(x) if x.dtype.is_float else x


def ceil(input: Any) -> Any:
    """Smallest whole number that is not below each element.

    Of any shape and dtype; E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> ceil(ms.Tensor([1.5, -1.5])).asnumpy()
    array([ 2., -1.], dtype=float32)
    """
    x = require_tensor(input, "ceil")
    return p.ceil(x) if x.dtype.is_float else x


def trunc(input: Any) -> Any:
    """Each element without its fraction: the nearest whole number towards 0.

    Of any shape and dtype; E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> trunc(ms.Tensor([1.5, -1.5])).asnumpy()
    array([ 1., -1.], dtype=float32)
    """
    x = require_tensor(input, "trunc")
    return p.trunc(x) if x.dtype.is_float else x


fix = trunc


def frac(x: Any) -> Any:
    """The fraction that `trunc` cuts off, with the sign of `x`; its gradient is 1.

    Numbers of any shape and dtype; E0304 for what is no Tensor, E0301 for bools.

    Examples
    --------
    >>> import s2sad as ms
    >>> frac(ms.Tensor([1.5, -1.25])).asnumpy()
    array([ 0.5 , -0.25], dtype=float32)
    """
    return p.sub(require_tensor(x, "frac"), trunc(x))


def round(input: Any, *, decimals: int = 0) -> Any:
    """Nearest number with `decimals` digits after the point; of two equally near, the even one.

    Parameters
    ----------
    input : Tensor
    decimals : int
        A negative number rounds to tens, hundreds, ... and is for floats only.

    Raises
    ------
    S2sadError
        E0301 for integers with negative `decimals`, E0303 when `decimals` is no int.

    Examples
    --------
    >>> import s2sad as ms
    >>> round(ms.Tensor([0.5, 1.5, -0.6])).asnumpy()
    array([ 0.,  2., -1.], dtype=float32)
    >>> round(ms.Tensor([1.25, 2.346]), decimals=2).asnumpy()
    array([1.25, 2.35], dtype=float32)
    """
    x = require_tensor(input, "round")
    integer("decimals", decimals)
    if not x.dtype.is_float:
        if decimals < 0:
            raise fail("E0301", f"round to {decimals} decimals needs floats, got {x.dtype.name}")
        return x
    if decimals == 0:
        return p.round(x)
    return as_dtype(_to_decimals(as_dtype(x, x.dtype.compute), decimals), x.dtype)


def _to_decimals(x: Any, decimals: int) -> Any:
    limit = np.finfo(x.dtype.storage).maxexp * math.log10(2.0)
    power = 10.0 ** min(abs(decimals), int(limit))
    if decimals > 0:
        scaled = p.mul(x, power)
        near = p.div(p.round(scaled), power)
    else:
        scaled = p.div(x, power)
        near = p.mul(p.round(scaled) if -decimals <= limit else p.mul(x, 0.0), power)
    # What is too large to be scaled has no digits there.
    return p.where(p.is_finite(scaled), near, p.stop_gradient(x))
