"""What has been gathered so far, at each place along an axis?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ops.promotion import as_dtype, dtype_of, require_tensor


def cumsum(x: Any, axis: int, dtype: Any = None) -> Any:
    """Sum of the elements up to each place along `axis`, of elements cast to `dtype`.

    Parameters
    ----------
    x : Tensor
    axis : int
    dtype : DType, optional
        That of the result; int32 for bools and integers below 32 bits by default, and int64 for
        all of these in `cumprod`.

    Raises
    ------
    S2sadError
        E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> cumsum(ms.Tensor([1.0, 2.0, 3.0]), 0).asnumpy()
    array([1., 3., 6.], dtype=float32)
    """
    return p.cumsum(_gathered(x, "cumsum", dtype), axis=axis)


def cumprod(input: Any, dim: int, dtype: Any = None) -> Any:
    """Product of the elements up to each place along `dim`, of elements cast to `dtype`.

    Parameters and errors are those of `cumsum`; bools and integers give int64. The gradient is
    right where elements are zero.

    Examples
    --------
    >>> import s2sad as ms
    >>> cumprod(ms.Tensor([1.0, 2.0, 3.0]), 0).asnumpy()
    array([1., 2., 6.], dtype=float32)
    """
    return p.cumprod(_gathered(input, "cumprod", dtype, dtypes.int64), axis=dim)


def _gathered(operand: Any, what: str, dtype: Any, least: Any = dtypes.int32) -> Any:
    """`operand` in `dtype`, by default its own, but in `least` for what would soon wrap."""
    x = require_tensor(operand, what)
    if dtype is not None:
        return as_dtype(x, dtype_of(dtype))
    return x if x.dtype.is_float or x.dtype.bits >= least.bits else as_dtype(x, least)


def cummax(input: Any, axis: int) -> tuple[Any, Any]:
    """Largest element up to each place along `axis`, and its index (int64).

    Of equal elements the latest is named, and gets the gradient; NaN beats all.

    Parameters
    ----------
    input : Tensor of numbers, shape (..., n, ...)
    axis : int
        The axis of length n.

    Returns
    -------
    tuple of Tensor
        Both of the shape of `input`.

    Raises
    ------
    S2sadError
        E0301 for bools, E0303 for an axis that is no int, E0304 for what is no Tensor, E0403 for
        an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> values, indices = cummax(ms.Tensor([1.0, 3.0, 2.0]), 0)
    >>> values.asnumpy(), indices.asnumpy()
    (array([1., 3., 3.], dtype=float32), array([0, 1, 1]))
    """
    return p.cummax(require_tensor(input, "cummax"), axis=axis)


def cummin(input: Any, axis: int) -> tuple[Any, Any]:
    """Smallest element up to each place along `axis`, and its index (int64).

    Of equal elements the latest is named, and gets the gradient; NaN beats all. Errors are those
    of `cummax`.

    Examples
    --------
    >>> import s2sad as ms
    >>> values, indices = cummin(ms.Tensor([3.0, 1.0, 2.0]), 0)
    >>> values.asnumpy(), indices.asnumpy()
    (array([3., 1., 1.], dtype=float32), array([0, 1, 1]))
    """
    return p.cummin(require_tensor(input, "cummin"), axis=axis)
