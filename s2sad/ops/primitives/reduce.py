"""Which objects reduce axes to one number, or to the place of one?

An axis that is not named in a call means all of them.
"""

from __future__ import annotations

from typing import Any

from s2sad.core import dtypes
from s2sad.ops import older, reduce
from s2sad.ops.primitives.base import primitive
from s2sad.ops.primitives.checks import of_integers
from s2sad.ops.settings import flag, integer
from s2sad.ops.shapes import cast


@primitive(keep_dims=flag, skip_mode=flag)
def ReduceSum(x: Any, axis: Any = (), *, keep_dims: bool = False, skip_mode: bool = False) -> Any:
    """Sum over the axes `axis`, in the dtype of `x`: `ops.reduce_sum`.

    Axes stay, with size 1, where `keep_dims` says so; with `skip_mode` no axes means none.

    Examples
    --------
    >>> import s2sad as ms
    >>> ReduceSum(keep_dims=True)(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).tolist()
    [[3.0], [7.0]]
    """
    return older.reduce_sum(x, axis, keep_dims, skip_mode)


@primitive(keep_dims=flag)
def ReduceProd(x: Any, axis: Any = (), *, keep_dims: bool = False) -> Any:
    """Product over the axes `axis`, in the dtype of `x`: `ops.reduce_prod`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ReduceProd()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1).tolist()
    [2.0, 12.0]
    """
    return older.reduce_prod(x, axis, keep_dims)


@primitive(keep_dims=flag)
def ReduceMean(x: Any, axis: Any = (), *, keep_dims: bool = False) -> Any:
    """Mean over the axes `axis`: `ops.reduce_mean`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ReduceMean()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), (0, 1)).item()
    2.5
    """
    return older.reduce_mean(x, axis, keep_dims)


@primitive(keep_dims=flag)
def ReduceMax(x: Any, axis: Any = (), *, keep_dims: bool = False) -> Any:
    """Largest element over the axes `axis`: `ops.reduce_max`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ReduceMax()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0).tolist()
    [3.0, 4.0]
    """
    return older.reduce_max(x, axis, keep_dims)


@primitive(keep_dims=flag)
def ReduceMin(x: Any, axis: Any = (), *, keep_dims: bool = False) -> Any:
    """Smallest element over the axes `axis`: `ops.reduce_min`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ReduceMin()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])).item()
    1.0
    """
    return older.reduce_min(x, axis, keep_dims)


@primitive(keep_dims=flag)
def ReduceAll(x: Any, axis: Any = (), *, keep_dims: bool = False) -> Any:
    """Whether all elements over the axes `axis` hold: `ops.reduce_all`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ReduceAll()(ms.Tensor([[True, False], [True, True]]), 1).tolist()
    [False, True]
    """
    return older.reduce_all(x, axis, keep_dims)


@primitive(keep_dims=flag)
def ReduceAny(x: Any, axis: Any = (), *, keep_dims: bool = False) -> Any:
    """Whether one element over the axes `axis` holds: `ops.reduce_any`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ReduceAny(keep_dims=True)(ms.Tensor([[True, False], [False, False]]), 1).tolist()
    [[True], [False]]
    """
    return older.reduce_any(x, axis, keep_dims)


@primitive(axis=integer, output_type=of_integers)
def Argmax(x: Any, *, axis: int = -1, output_type: Any = dtypes.int32) -> Any:
    """Where along `axis` the largest element is, in the dtype `output_type`: `ops.argmax`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Argmax()(ms.Tensor([[1.0, 2.0], [4.0, 3.0]]))
    Tensor(shape=[2], dtype=Int32, value= [1, 0])
    """
    return cast(reduce.argmax(x, axis), output_type)


@primitive(axis=integer, output_type=of_integers)
def Argmin(x: Any, *, axis: int = -1, output_type: Any = dtypes.int32) -> Any:
    """Where along `axis` the smallest element is, in the dtype `output_type`: `ops.argmin`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Argmin(output_type=ms.int64)(ms.Tensor([[1.0, 2.0], [4.0, 3.0]])).tolist()
    [0, 1]
    """
    return cast(reduce.argmin(x, axis), output_type)


@primitive(axis=integer, keep_dims=flag)
def ArgMaxWithValue(x: Any, *, axis: int = 0, keep_dims: bool = False) -> tuple[Any, Any]:
    """Where along `axis` the largest element is, and that element: `ops.max`, the other way round.

    Examples
    --------
    >>> import s2sad as ms
    >>> [found.tolist() for found in ArgMaxWithValue()(ms.Tensor([[1.0, 4.0], [3.0, 2.0]]))]
    [[1, 0], [3.0, 4.0]]
    """
    value, index = reduce.max(x, axis, keep_dims)
    return index, value


@primitive(axis=integer, keep_dims=flag)
def ArgMinWithValue(x: Any, *, axis: int = 0, keep_dims: bool = False) -> tuple[Any, Any]:
    """Where along `axis` the smallest element is, and that element: `ops.min`, the other way round.

    Examples
    --------
    >>> import s2sad as ms
    >>> [found.tolist() for found in ArgMinWithValue(axis=1)(ms.Tensor([[1.0, 4.0], [3.0, 2.0]]))]
    [[0, 1], [1.0, 2.0]]
    """
    value, index = reduce.min(x, axis, keep_dims)
    return index, value
