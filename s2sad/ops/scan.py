"""What has been gathered so far, at each place along an axis?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ops.exponential import logaddexp
from s2sad.ops.promotion import as_dtype, dtype_of, require_floats, require_tensor
from s2sad.ops.settings import integer
from s2sad.prims.arrange import slice_axis, static_size
from s2sad.prims.rules import axis_of


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


def logcumsumexp(input: Any, axis: int) -> Any:
    """Logarithm of the sum of the exponentials up to each place along `axis`, without overflow.

    Parameters
    ----------
    input : Tensor of floats, shape (..., n, ...)
    axis : int
        The axis of length n, which must be known while compiling.

    Returns
    -------
    Tensor
        Of the shape and dtype of `input`; narrow floats are computed in float32.

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 for an axis that is no int, E0304 for what is no Tensor, E0402
        for a length that is not known, E0403 for an axis that does not exist.

    Notes
    -----
    Sums of 2, 4, 8, ... neighbours are made one out of another: W. D. Hillis and G. L. Steele,
    "Data parallel algorithms", 1986.

    Examples
    --------
    >>> import s2sad as ms
    >>> logcumsumexp(ms.Tensor([1000.0, 1000.0, -1000.0]), 0).asnumpy()
    array([1000.    , 1000.6932, 1000.6932], dtype=float32)
    """
    x = require_floats(input, "logcumsumexp")
    along = axis_of(integer("axis", axis), x.ndim)
    length = static_size(x.shape[along], "the length of the axis")
    found, reach = as_dtype(x, x.dtype.compute), 1
    while reach < length:
        done = slice_axis(found, along, 0, reach)
        early = slice_axis(found, along, 0, length - reach)
        late = slice_axis(found, along, reach, length)
        found = p.concat(done, logaddexp(early, late), axis=along)
        reach *= 2
    return as_dtype(found, x.dtype)


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
