"""Which tensors are made of numbers alone: filled, with ones on a diagonal or at indices?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.device import require_cpu
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.tensor import Tensor
from s2sad.ir import builder
from s2sad.ir.graph import Value
from s2sad.ir.types import TensorType
from s2sad.ops.comparison import where
from s2sad.ops.promotion import (
    as_dtype,
    as_operand,
    constant,
    default_dtype,
    dtype_of,
    holds,
    is_tensor,
    require_tensor,
)
from s2sad.ops.shapes import as_shape
from s2sad.prims.cast import cast as to_dtype
from s2sad.prims.shape import filled, shape_of

# Filled


def tensor(
    input_data: Any = None,
    dtype: Any = None,
    shape: Any = None,
    init: Any = None,
    const_arg: bool = False,
    device: str | None = None,
) -> Any:
    """A Tensor, made as `s2sad.Tensor` makes it; of a Tensor, a copy in the dtype `dtype`.

    Parameters and errors are those of `s2sad.Tensor`.

    Examples
    --------
    >>> tensor([1, 2], dtypes.float32).asnumpy()
    array([1., 2.], dtype=float32)
    """
    if isinstance(input_data, Value):
        return to_dtype(input_data, dtype=input_data.dtype if dtype is None else dtype_of(dtype))
    made = Tensor(input_data, dtype, shape, init, const_arg, device)
    return builder.current().value(made.array) if builder.is_building(()) else made


def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    """A Tensor of the shape `size`, `fill_value` everywhere.

    Parameters
    ----------
    size : tuple or list of int, or int
    fill_value : number, or Tensor with no axes
    dtype : DType, optional
        By default that of the number: int64, float32 or bool.

    Raises
    ------
    S2sadError
        E0303 for a size that is no int, E0404 for a negative one, or a number that `dtype` cannot
        hold.

    Examples
    --------
    >>> full((2,), 3).asnumpy()
    array([3, 3])
    >>> full(2, 3, dtype="float16").asnumpy()
    array([3., 3.], dtype=float16)
    """
    shape = shape_of(as_shape(size))
    value = as_operand(fill_value)
    if is_tensor(value):
        wanted = value.dtype if dtype is None else dtype_of(dtype)
        return p.broadcast_to(as_dtype(value, wanted), shape=shape)
    found = default_dtype(value) if dtype is None else dtype_of(dtype)
    return _as_tensor(filled(_number(value, found), TensorType(found, shape)))


def _as_tensor(made: Any) -> Any:
    """What a primitive without operands has made: an array, unless a program is being built."""
    return Tensor.wrap(made) if isinstance(made, np.ndarray) else made


def _number(value: Any, dtype: DType) -> Any:
    """`value` as a cast would make it `dtype` (E0404 where it cannot)."""
    if dtype is dtypes.bool_:
        return bool(value)
    if dtype.is_float:
        return value
    if not math.isfinite(value) or not holds(dtypes.int64, int(value)):
        raise fail("E0404", f"{value} is no {dtype.name}")
    return int(value)


def fill(type: Any, shape: Any, value: Any) -> Any:  # noqa: A002
    """A Tensor of dtype `type` and of `shape`, `value` everywhere: `full`.

    Arguments and errors are those of `full`.

    Examples
    --------
    >>> import s2sad as ms
    >>> fill(ms.int32, (2,), 7).asnumpy()
    array([7, 7], dtype=int32)
    """
    return full(shape, value, dtype=type)


def zeros(size: Any, dtype: Any = None) -> Any:
    """Zeros of the shape `size`.

    Parameters
    ----------
    size : tuple or list of int, or int
    dtype : DType, optional
        float32 by default.

    Raises
    ------
    S2sadError
        E0303 for a size that is no int, or another `dtype`; E0404 for a negative size.

    Examples
    --------
    >>> zeros((1, 2)).asnumpy()
    array([[0., 0.]], dtype=float32)
    """
    return full(size, 0, dtype=dtypes.float32 if dtype is None else dtype)


def ones(shape: Any, dtype: Any = None) -> Any:
    """Ones of `shape`.

    Parameters
    ----------
    shape : tuple or list of int, or int
    dtype : DType, optional
        float32 by default.

    Raises
    ------
    S2sadError
        E0303 for a size that is no int, or another `dtype`; E0404 for a negative size.

    Examples
    --------
    >>> import s2sad as ms
    >>> ones(2, ms.int32).asnumpy()
    array([1, 1], dtype=int32)
    """
    return full(shape, 1, dtype=dtypes.float32 if dtype is None else dtype)


def empty(*size: Any, dtype: Any = None, device: str | None = None) -> Any:
    """A Tensor of the shape `size` of which nobody reads an element before it is written: zeros.

    Parameters
    ----------
    *size : int, or one tuple of int
    dtype : DType, optional
        float32 by default.
    device : str, optional
        ``"CPU"`` if anything.

    Raises
    ------
    S2sadError
        Those of `zeros`; E0710 for another device.

    Examples
    --------
    >>> empty(2, 3).shape
    (2, 3)
    """
    require_cpu(device)
    is_whole = len(size) == 1 and isinstance(size[0], (tuple, list))
    return zeros(size[0] if is_whole else size, dtype)


def empty_like(input: Any, *, dtype: Any = None, device: str | None = None) -> Any:
    """A Tensor like `input` of which nobody reads an element before it is written: zeros.

    E0304 for what is no Tensor, E0303 for no dtype, E0710 for another device than the CPU.

    Examples
    --------
    >>> import s2sad as ms
    >>> empty_like(ms.Tensor([1, 2])).dtype
    s2sad.int64
    """
    require_cpu(device)
    return zeros_like(input, dtype=dtype)


def full_like(input: Any, fill_value: Any, *, dtype: Any = None) -> Any:
    """`fill_value` everywhere, in the shape of `input`, and in its dtype unless `dtype` is given.

    Parameters
    ----------
    input : Tensor
    fill_value : number, or Tensor with no axes
    dtype : DType, optional

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0404 for a number that the dtype cannot hold.

    Examples
    --------
    >>> import s2sad as ms
    >>> full_like(ms.Tensor([1, 2]), 7).asnumpy()
    array([7, 7])
    """
    x = require_tensor(input, "full_like")
    return full(tuple(x.shape), fill_value, dtype=x.dtype if dtype is None else dtype)


def zeros_like(input: Any, *, dtype: Any = None) -> Any:
    """Zeros of the shape and dtype of `input`, or of `dtype` where it is given.

    E0304 for what is no Tensor, E0303 for no dtype.

    Examples
    --------
    >>> import s2sad as ms
    >>> zeros_like(ms.Tensor([1, 2])).asnumpy()
    array([0, 0])
    """
    return full_like(input, 0, dtype=dtype)


def ones_like(input: Any, *, dtype: Any = None) -> Any:
    """Ones of the shape and dtype of `input`, or of `dtype` where it is given.

    E0304 for what is no Tensor, E0303 for no dtype.

    Examples
    --------
    >>> import s2sad as ms
    >>> ones_like(ms.Tensor([3, 4])).asnumpy()
    array([1, 1])
    """
    return full_like(input, 1, dtype=dtype)


def scalar_to_tensor(input_x: Any, dtype: Any = dtypes.float32) -> Any:
    """A Tensor without axes of the number `input_x`.

    Parameters
    ----------
    input_x : bool or number
    dtype : DType

    Raises
    ------
    S2sadError
        E0303 for no dtype, E0304 for what is no number, E0404 for one that `dtype` cannot hold.

    Examples
    --------
    >>> scalar_to_tensor(2).asnumpy()
    array(2., dtype=float32)
    """
    return full((), input_x, dtype=dtype)


def tuple_to_array(input_x: Any) -> Any:
    """A Tensor with one axis, of a tuple of numbers: float32 where there is a float, else int64.

    Raises
    ------
    S2sadError
        E0304 for what is no tuple or list of numbers.

    Examples
    --------
    >>> tuple_to_array((1, 2.5)).asnumpy()
    array([1. , 2.5], dtype=float32)
    """
    if not isinstance(input_x, (tuple, list)) or any(
        not isinstance(x, (bool, int, float)) for x in input_x
    ):
        raise fail("E0304", f"expected a tuple of numbers, got {input_x!r}")
    return constant(np.array(input_x), default_dtype(*input_x))


def eye(n: int, m: int | None = None, dtype: Any = None) -> Any:
    """Ones on the diagonal of a matrix of `n` rows and `m` columns, zeros elsewhere.

    Parameters
    ----------
    n : int
    m : int, optional
        `n` by default.
    dtype : DType, optional
        float32 by default.

    Raises
    ------
    S2sadError
        E0303 for a size that is no int, E0404 for a negative one.

    Examples
    --------
    >>> eye(2).asnumpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    shape = shape_of((n, n if m is None else m), "matrix")
    return as_dtype(on_diagonal(*shape), dtypes.float32 if dtype is None else dtype_of(dtype))


def on_diagonal(rows: Any, columns: Any) -> Any:
    """Whether an element of a matrix lies on its diagonal."""
    return p.equal(counted((rows, 1)), counted((columns,)))


def counted(shape: tuple[Any, ...], dtype: DType = dtypes.int64) -> Any:
    """A Tensor of `shape` that holds the index of each element along the first axis."""
    return _as_tensor(p.iota(dtype=dtype, shape=shape))


def one_hot(indices: Any, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1) -> Any:
    """`on_value` at each index along a new axis of size `depth`, `off_value` elsewhere.

    An index out of range, a negative one for instance, has `off_value` everywhere.

    Parameters
    ----------
    indices : Tensor of integers
    depth : int
    on_value, off_value : number, or Tensor with no axes
        The dtype is theirs: int64 by default.
    axis : int
        Place of the new axis in the result.

    Raises
    ------
    S2sadError
        E0301 when `indices` are no integers, E0303 when `depth` is no int, E0403 for a place that
        the result does not have, E0404 for a negative `depth`.

    Examples
    --------
    >>> import s2sad as ms
    >>> one_hot(ms.Tensor([1, 0]), 2, ms.Tensor(1.0), ms.Tensor(0.0)).asnumpy()
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    found = p.one_hot(
        require_tensor(indices, "one_hot"), depth=depth, dtype=dtypes.bool_, axis=axis
    )
    return where(found, on_value, off_value)
