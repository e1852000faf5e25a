"""What is left of an axis: its sum, product, extremes and their places, truth?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import as_dtype, dtype_of, promote, require_tensor
from s2sad.ops.shapes import ravel


def given_axes(axes: Any) -> Any:
    """`axes` as primitives take them: MindSpore's ``()`` means all, like None."""
    if axes is None or axes in ((), []):
        return None
    return tuple(axes) if isinstance(axes, (tuple, list)) else axes


# Sums and products


def sum(
    input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:  # fmt: skip
    """Sum over the axes `dim` (all when None), of elements cast to `dtype`.

    Parameters
    ----------
    input : Tensor
    dim : int, or tuple or list of int, optional
    keepdim : bool
        Whether the axes stay, with size 1.
    dtype : DType, optional
        That of the result; int64 for integers and bools by default.

    Raises
    ------
    S2sadError
        E0403 for an axis that does not exist, or is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
    array([3., 7.], dtype=float32)
    """
    x = _summable(input, "sum", dtype)
    return p.reduce_sum(x, axis=given_axes(dim), keepdims=keepdim)


def nansum(input: Any, axis: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Any:
    """`sum` of the elements that are not NaN; the others have the gradient 0.

    Arguments and errors are those of `sum`.

    Examples
    --------
    >>> import s2sad as ms
    >>> nansum(ms.Tensor([1.0, float("nan"), 2.0])).asnumpy()
    array(3., dtype=float32)
    """
    x = _summable(input, "nansum", dtype)
    x = p.where(p.is_nan(x), 0, x) if x.dtype.is_float else x
    return p.reduce_sum(x, axis=given_axes(axis), keepdims=keepdims)


def prod(input: Any, axis: Any = None, keep_dims: bool = False, dtype: Any = None) -> Any:
    """Product over the axes `axis` (all when None), of elements cast to `dtype`.

    The gradient is right where elements are zero: it never divides. Parameters and errors are
    those of `sum`.

    Examples
    --------
    >>> import s2sad as ms
    >>> prod(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
    array([ 2., 12.], dtype=float32)
    """
    x = _summable(input, "prod", dtype)
    return p.reduce_prod(x, axis=given_axes(axis), keepdims=keep_dims)


def _summable(operand: Any, what: str, dtype: Any) -> Any:
    x = require_tensor(operand, what)
    default = x.dtype if x.dtype.is_float else dtypes.int64
    return as_dtype(x, default if dtype is None else dtype_of(dtype))


def count_nonzero(
    x: Any, axis: Any = (), keep_dims: bool = False, dtype: Any = dtypes.int32
) -> Any:
    """Number of elements over the axes `axis` (all when empty) that are not 0; NaN is not.

    `dtype` is that of the result. Other arguments and errors are those of `all`.

    Examples
    --------
    >>> import s2sad as ms
    >>> count_nonzero(ms.Tensor([[0.0, 1.0], [2.0, 3.0]]), 1).asnumpy()
    array([1, 2], dtype=int32)
    """
    is_counted = as_dtype(require_tensor(x, "count_nonzero"), dtypes.bool_)
    return sum(is_counted, axis, keep_dims, dtype=dtype)


# Truth


def all(input: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Whether all elements over the axes `axis` hold; numbers do where they are not 0.

    Parameters
    ----------
    input : Tensor
    axis : int, or tuple or list of int, optional
        All of them by default.
    keep_dims : bool
        Whether reduced axes stay, with size 1.

    Returns
    -------
    Tensor of bools

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0403 for an axis that does not exist, or is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> all(ms.Tensor([[True, False], [True, True]]), 1).asnumpy()
    array([False,  True])
    """
    x = as_dtype(require_tensor(input, "all"), dtypes.bool_)
    return p.reduce_all(x, axis=given_axes(axis), keepdims=keep_dims)


def any(input: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """Whether one element over the axes `axis` holds; numbers do where they are not 0.

    Arguments and errors are those of `all`.

    Examples
    --------
    >>> import s2sad as ms
    >>> any(ms.Tensor([[True, False], [False, False]]), 1).asnumpy()
    array([ True, False])
    """
    x = as_dtype(require_tensor(input, "any"), dtypes.bool_)
    return p.reduce_any(x, axis=given_axes(axis), keepdims=keep_dims)


# Extremes


def amax(
    input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None
) -> Any:
    """Largest element over the axes `axis` (all when None); NaN where one is NaN.

    Equal largest elements share the gradient.

    Parameters
    ----------
    input : Tensor
    axis : int, or tuple or list of int, optional
    keepdims : bool
        Whether the axes stay, with size 1.
    initial : number, optional
        What stands in for elements that are smaller.
    where : Tensor of bool, optional
        Which elements count; `initial` stands in for the others.

    Raises
    ------
    S2sadError
        E0302 for `where` without `initial`, E0401 over an empty axis, E0403 for an axis that does
        not exist, or is named twice.

    Examples
    --------
    >>> import s2sad as ms
    >>> amax(ms.Tensor([[1.0, 2.0], [4.0, 3.0]]), 1).asnumpy()
    array([2., 4.], dtype=float32)
    """
    x = _counted(require_tensor(input, "amax"), p.less, initial, where)
    return _extreme(p.reduce_max, x, axis, keepdims)


def amin(
    input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None
) -> Any:
    """Smallest element over the axes `axis` (all when None); NaN where one is NaN.

    Equal smallest elements share the gradient. Parameters and errors are those of `amax`.

    Examples
    --------
    >>> import s2sad as ms
    >>> amin(ms.Tensor([[1.0, 2.0], [4.0, 3.0]]), 1).asnumpy()
    array([1., 3.], dtype=float32)
    """
    x = _counted(require_tensor(input, "amin"), p.greater, initial, where)
    return _extreme(p.reduce_min, x, axis, keepdims)


def max(
    input: Any,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> tuple[Any, Any]:
    """Largest element along `axis`, and the index (int64) of the first such one.

    Without `axis` the largest of all, and its index in the flat tensor; `keepdims` has no meaning
    then. Parameters and errors are those of `amax`, but that `axis` is one.

    Examples
    --------
    >>> import s2sad as ms
    >>> values, indices = max(ms.Tensor([[1.0, 2.0], [4.0, 3.0]]), 1)
    >>> values.asnumpy(), indices.asnumpy()
    (array([2., 4.], dtype=float32), array([1, 0]))
    """
    x = _counted(require_tensor(input, "max"), p.less, initial, where)
    keepdims = keepdims and axis is not None
    index = _place(p.argmax, _ordered(x), axis, keepdims)
    return _extreme(p.reduce_max, x, axis, keepdims), index


def min(
    input: Any,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: Any = None,
    where: Any = None,
) -> tuple[Any, Any]:
    """Smallest element along `axis`, and the index (int64) of the first such one.

    Without `axis` the smallest of all, and its index in the flat tensor; `keepdims` has no
    meaning then. Parameters and errors are those of `amax`, but that `axis` is one.

    Examples
    --------
    >>> import s2sad as ms
    >>> values, indices = min(ms.Tensor([[1.0, 2.0], [4.0, 3.0]]), 1)
    >>> values.asnumpy(), indices.asnumpy()
    (array([1., 3.], dtype=float32), array([0, 1]))
    """
    x = _counted(require_tensor(input, "min"), p.greater, initial, where)
    keepdims = keepdims and axis is not None
    index = _place(p.argmin, _ordered(x), axis, keepdims)
    return _extreme(p.reduce_min, x, axis, keepdims), index


def _counted(x: Any, is_worse: Callable[..., Any], initial: Any, where: Any) -> Any:
    """`x` with `initial` where that is better, or `where` does not hold."""
    if initial is None:
        if where is None or where is True:
            return x
        raise fail("E0302", "where needs initial, which stands in for what does not count")
    x, initial = promote(x, initial)
    better = p.where(is_worse(_ordered(x), initial), initial, x)
    return better if where is None or where is True else p.where(where, better, initial)


def _extreme(reduce: Callable[..., Any], x: Any, axis: Any, keepdims: bool) -> Any:
    return as_dtype(reduce(_ordered(x), axis=given_axes(axis), keepdims=keepdims), x.dtype)


def _ordered(x: Any) -> Any:
    """`x` in a dtype that has an order: False comes before True."""
    return as_dtype(x, dtypes.uint8) if x.dtype is dtypes.bool_ else x


# Places


def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Index (int64) of the first largest element along `dim`; of the flat tensor when None.

    Parameters
    ----------
    input : Tensor of numbers
    dim : int, optional
    keepdim : bool
        Whether `dim` stays, with size 1; without `dim` it has no meaning.

    Raises
    ------
    S2sadError
        E0301 for bools, E0401 along an empty axis, E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> argmax(ms.Tensor([[1.0, 2.0], [4.0, 3.0]]), 1).asnumpy()
    array([1, 0])
    """
    return _place(p.argmax, require_tensor(input, "argmax"), dim, keepdim)


def argmin(input: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Index (int32) of the first smallest element along `axis`; of the flat tensor when None.

    Parameters and errors are those of `argmax`.

    Examples
    --------
    >>> import s2sad as ms
    >>> argmin(ms.Tensor([[1.0, 2.0], [4.0, 3.0]]), 1).asnumpy()
    array([0, 1], dtype=int32)
    """
    index = _place(p.argmin, require_tensor(input, "argmin"), axis, keepdims)
    return as_dtype(index, dtypes.int32)


def _place(find: Callable[..., Any], x: Any, axis: int | None, keepdims: bool) -> Any:
    if axis is None:
        return find(ravel(x), axis=0, keepdims=False)
    return find(x, axis=axis, keepdims=keepdims)
