"""Which shape and dtype has a tensor, and how do they change without moving an element?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.tensor import Tensor
from s2sad.ir import builder, dims
from s2sad.ops.promotion import as_dtype, constant, dtype_of, is_tensor, require_tensor
from s2sad.prims.cast import cast as to_dtype
from s2sad.prims.rules import axes_of, axis_of

# What is asked for


def shape(input_x: Any) -> tuple[Any, ...]:
    """The size of each axis, as a tuple.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> shape(ms.Tensor([[1, 2, 3]]))
    (1, 3)
    """
    return tuple(require_tensor(input_x, "shape").shape)


def dyn_shape(input_x: Any) -> Any:
    """The size of each axis, as a Tensor of int64.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> dyn_shape(ms.Tensor([[1, 2, 3]])).asnumpy()
    array([1, 3])
    """
    return constant(shape(input_x), dtypes.int64)


def rank(input_x: Any) -> int:
    """The number of axes.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> rank(ms.Tensor([[1, 2, 3]]))
    2
    """
    return require_tensor(input_x, "rank").ndim


def size(input_x: Any) -> Any:
    """The number of elements.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> size(ms.Tensor([[1, 2, 3]]))
    3
    """
    return dims.size(require_tensor(input_x, "size").shape)


def numel(input: Any) -> Any:
    """The number of elements: `size` under another name.

    Of any shape and dtype; E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> numel(ms.Tensor([[1, 2, 3]]))
    3
    """
    return size(input)


def dtype(x: Any) -> DType:
    """The dtype of the elements.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> dtype(ms.Tensor([1.5]))
    s2sad.float32
    """
    return require_tensor(x, "dtype").dtype


# Dtypes


def cast(input: Any, dtype: Any) -> Any:
    """`input` in another dtype; the gradient is cast back.

    Parameters
    ----------
    input : Tensor
    dtype : DType, its name, or a dtype of NumPy
        Floats become integers by truncation.

    Raises
    ------
    S2sadError
        E0303 for another `dtype`.

    Examples
    --------
    >>> import s2sad as ms
    >>> cast(ms.Tensor([1.7, -1.7]), ms.int32).asnumpy()
    array([ 1, -1], dtype=int32)
    """
    return as_dtype(require_tensor(input, "cast"), dtype_of(dtype))


def copied(tensor: Any) -> Any:
    """The same elements in a tensor of their own."""
    if builder.is_building((tensor,)):
        return to_dtype(tensor, dtype=tensor.dtype)  # another value, which a write tells apart
    return Tensor.wrap(tensor.array.copy())


# Shapes


def as_shape(sizes: Any, what: str = "shape") -> tuple[Any, ...]:
    """Sizes that come as a tuple, a list, or alone, as a tuple.

    Raises
    ------
    S2sadError
        E0303 for a Tensor among them: it would have to be known while compiling.
    """
    found = tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)
    if any(map(is_tensor, found)):
        if builder.is_building(found):
            raise fail(
                "E0303", f"a {what} must be known while compiling, and depends on tensor data",
                help="take it from x.shape, or give it as an int argument",
            )  # fmt: skip
        raise fail("E0303", f"a {what} is made of ints, not of Tensors", help="call int() first")
    return found


def reshape(input: Any, shape: Any) -> Any:
    """The elements of `input`, in order, in another shape; one size may be -1.

    Parameters
    ----------
    input : Tensor
    shape : tuple or list of int, or int

    Raises
    ------
    S2sadError
        E0303 for a size that is no int, E0401 when the number of elements differs, E0404 for a
        negative size, or a -1 that could be any size.

    Examples
    --------
    >>> import s2sad as ms
    >>> reshape(ms.Tensor([1, 2, 3, 4]), (2, -1)).asnumpy()
    array([[1, 2],
           [3, 4]])
    """
    return p.reshape(require_tensor(input, "reshape"), shape=as_shape(shape))


def view_as(input: Any, other: Any) -> Any:
    """The elements of `input`, in order, in the shape of `other`.

    Parameters
    ----------
    input, other : Tensor

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 when the number of elements differs.

    Examples
    --------
    >>> import s2sad as ms
    >>> view_as(ms.Tensor([1, 2]), ms.Tensor([[0.0], [0.0]])).shape
    (2, 1)
    """
    return reshape(input, shape(other))


def ravel(input: Any) -> Any:
    """The elements of `input`, in order, along one axis.

    Of any shape and dtype; E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> ravel(ms.Tensor([[1, 2], [3, 4]])).asnumpy()
    array([1, 2, 3, 4])
    """
    return reshape(input, (size(input),))


def flatten(input: Any, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Any:
    """`input` with the axes `start_dim` to `end_dim` made one; at least 1-d.

    Parameters
    ----------
    input : Tensor
    order : {"C", "F"}
        In which the elements are counted: "F" counts the first axis fastest.
    start_dim, end_dim : int

    Raises
    ------
    S2sadError
        E0403 for an axis that does not exist, E0404 for another order, and for a `start_dim` after
        `end_dim`.

    Examples
    --------
    >>> import s2sad as ms
    >>> flatten(ms.Tensor([[[1, 2], [3, 4]]])).asnumpy()
    array([[1, 2, 3, 4]])
    """
    x = require_tensor(input, "flatten")
    if order not in ("C", "F"):
        raise fail("E0404", f"the order of flatten is 'C' or 'F', got {order!r}")
    if order == "F":
        x = p.transpose(x, perm=None)
    shape, ndim = tuple(x.shape), x.ndim
    if ndim <= 1 and (start_dim, end_dim) == (1, -1):
        return p.reshape(x, shape=(-1,) if ndim == 0 else shape)
    first, last = axis_of(start_dim, max(ndim, 1)), axis_of(end_dim, max(ndim, 1))
    if first > last:
        raise fail("E0404", f"start_dim {start_dim} lies after end_dim {end_dim}")
    middle = math.prod(shape[first : last + 1])
    return p.reshape(x, shape=(*shape[:first], middle, *shape[last + 1 :]))


def squeeze(input: Any, axis: Any = None) -> Any:
    """`input` without axes of size 1.

    Parameters
    ----------
    input : Tensor
    axis : int, or tuple or list of int, optional
        Axes that are left out where their size is 1, and stay where it is another; all axes by
        default, and for an empty tuple.

    Raises
    ------
    S2sadError
        E0403 for an axis that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> squeeze(ms.Tensor([[[1], [2]]])).asnumpy()
    array([1, 2])
    """
    x = require_tensor(input, "squeeze")
    if axis is None or axis in ((), []):
        return p.squeeze(x, axis=None)
    given = tuple(axis) if isinstance(axis, list) else axis
    axes = axes_of(given, max(x.ndim, 1))  # of one element, 0 and -1 count as axes
    return p.squeeze(x, axis=tuple(i for i in axes if i < x.ndim and _may_be_one(x.shape[i])))


def _may_be_one(size: Any) -> bool:
    return dims.same(size, 1) is not False  # of a size that is open, the primitive decides


def expand_dims(input_x: Any, axis: Any) -> Any:
    """`input_x` with a new axis of size 1, at place `axis` of the result.

    Parameters
    ----------
    input_x : Tensor
    axis : int, or tuple or list of int

    Raises
    ------
    S2sadError
        E0403 for a place that the result does not have.

    Examples
    --------
    >>> import s2sad as ms
    >>> expand_dims(ms.Tensor([1, 2]), -1).shape
    (2, 1)
    """
    return p.expand_dims(require_tensor(input_x, "expand_dims"), axis=axis)


def unsqueeze(input: Any, dim: int) -> Any:
    """`input` with a new axis of size 1, at place `dim` of the result: `expand_dims`.

    Arguments and errors are those of `expand_dims`.

    Examples
    --------
    >>> import s2sad as ms
    >>> unsqueeze(ms.Tensor([1, 2]), 0).shape
    (1, 2)
    """
    return expand_dims(input, dim)


def broadcast_to(input: Any, shape: Any) -> Any:
    """`input` repeated to `shape`: axes are aligned at the right, size 1 stretches.

    The gradient is summed over what was repeated.

    Parameters
    ----------
    input : Tensor
    shape : tuple or list of int, or int
        A -1 keeps the size of the axis.

    Raises
    ------
    S2sadError
        E0401 when `input` does not broadcast to `shape`, E0404 for a -1 where `input` has no axis.

    Examples
    --------
    >>> import s2sad as ms
    >>> broadcast_to(ms.Tensor([[1], [2]]), (-1, 3)).asnumpy()
    array([[1, 1, 1],
           [2, 2, 2]])
    """
    x = require_tensor(input, "broadcast_to")
    sizes = as_shape(shape)
    new = len(sizes) - x.ndim
    if -1 in sizes[: max(new, 0)]:
        raise fail("E0404", f"the -1 of {sizes} keeps a size, and that axis is new")
    if new >= 0:
        sizes = tuple(x.shape[i - new] if n == -1 else n for i, n in enumerate(sizes))
    return p.broadcast_to(x, shape=sizes)


def expand(input_x: Any, size: Any) -> Any:
    """`input_x` repeated to the shape `size`: `broadcast_to`.

    Arguments and errors are those of `broadcast_to`.

    Examples
    --------
    >>> import s2sad as ms
    >>> expand(ms.Tensor([[1], [2]]), (2, 2)).asnumpy()
    array([[1, 1],
           [2, 2]])
    """
    return broadcast_to(input_x, size)


def expand_as(input: Any, other: Any) -> Any:
    """`input` repeated to the shape of `other`.

    Parameters
    ----------
    input, other : Tensor

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 when `input` does not broadcast to that shape.

    Examples
    --------
    >>> import s2sad as ms
    >>> expand_as(ms.Tensor([1, 2]), ms.Tensor([[0, 0], [0, 0]])).asnumpy()
    array([[1, 2],
           [1, 2]])
    """
    return broadcast_to(input, shape(other))
