"""How is a tensor laid out anew: repeated, as a grid, by its triangle or its diagonal?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.creation import on_diagonal
from s2sad.ops.promotion import constant, dtype_of, is_tensor, require_tensor
from s2sad.ops.settings import integer
from s2sad.ops.shapes import as_shape, broadcast_to, ravel, reshape
from s2sad.ops.varying import known_now
from s2sad.prims.rules import axis_of
from s2sad.prims.shape import shape_of

# Repeated


def tile(input: Any, dims: Any) -> Any:
    """`input` laid out again and again, ``dims[i]`` times along axis i.

    Parameters
    ----------
    input : Tensor
    dims : tuple or list of int, or int
        With fewer entries than axes the foremost axes are not repeated; with more, `input` gets
        new axes in front.

    Raises
    ------
    S2sadError
        E0303 for what is no int, E0404 for a negative one.

    Examples
    --------
    >>> import s2sad as ms
    >>> tile(ms.Tensor([1, 2]), (2, 2)).asnumpy()
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    x = require_tensor(input, "tile")
    counts = as_shape(dims, "number of repeats")
    new = len(counts) - x.ndim
    x = reshape(x, (*(1,) * new, *x.shape))
    return p.tile(x, repeats=(*(1,) * -new, *counts))


def repeat_elements(x: Any, rep: int, axis: int = 0) -> Any:
    """`x` with each element repeated `rep` times along `axis`.

    Parameters
    ----------
    x : Tensor
    rep : int
    axis : int

    Raises
    ------
    S2sadError
        E0303 when `rep` is no int, E0304 for what is no Tensor, E0403 for an axis that does not
        exist, E0404 for a negative `rep`.

    Examples
    --------
    >>> import s2sad as ms
    >>> repeat_elements(ms.Tensor([1, 2]), 2).asnumpy()
    array([1, 1, 2, 2])
    """
    return p.repeat(require_tensor(x, "repeat_elements"), repeats=rep, axis=axis)


def repeat_interleave(input: Any, repeats: Any, axis: int | None = None) -> Any:
    """`input` with each element repeated along `axis`; of the flat tensor when None.

    Parameters
    ----------
    input : Tensor
    repeats : int, or tuple or list of int, or Tensor of integers
        How often, each element or one after the other. A Tensor must be known: compiled code
        takes none.
    axis : int, optional

    Raises
    ------
    S2sadError
        E0303 for what is no int, E0305 for a Tensor in compiled code, E0401 for another number of
        repeats than of elements, E0403 for an axis that does not exist, E0404 for a negative
        number.

    Examples
    --------
    >>> import s2sad as ms
    >>> repeat_interleave(ms.Tensor([1, 2]), 2).asnumpy()
    array([1, 1, 2, 2])
    >>> repeat_interleave(ms.Tensor([1, 2]), (2, 1)).asnumpy()
    array([1, 1, 2])
    """
    x = require_tensor(input, "repeat_interleave")
    x, axis = (ravel(x), 0) if axis is None else (x, axis_of(axis, x.ndim))
    if is_tensor(repeats):
        repeats = known_now(repeats, "the repeats of repeat_interleave").tolist()
    if isinstance(repeats, (tuple, list)) and len(repeats) == 1:
        repeats = repeats[0]
    if not isinstance(repeats, (tuple, list)):
        return p.repeat(x, repeats=repeats, axis=axis)
    counts: Any = shape_of(tuple(repeats), "repeats")
    if len(counts) != x.shape[axis]:
        raise fail("E0401", f"{len(counts)} repeats for an axis of size {x.shape[axis]}")
    places = np.repeat(np.arange(len(counts)), counts)
    return p.gather(x, constant(places, dtypes.int64), axis=axis)


def meshgrid(*inputs: Any, indexing: str = "xy") -> tuple[Any, ...]:
    """Grids in which each of `inputs` runs along an axis of its own.

    Parameters
    ----------
    *inputs : Tensors with one axis; one tuple or list of them
    indexing : {"xy", "ij"}
        "xy" exchanges the first two axes of the grids, as of a picture.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for one of several axes, E0404 for another `indexing`,
        or no inputs.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, y = meshgrid(ms.Tensor([1, 2, 3]), ms.Tensor([4, 5]))
    >>> x.tolist(), y.tolist()
    ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])
    """
    if indexing not in ("xy", "ij"):
        raise fail("E0404", f"indexing is 'xy' or 'ij', got {indexing!r}")
    given = inputs[0] if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)) else inputs
    if not given:
        raise fail("E0404", "meshgrid needs one Tensor at least")
    lines = [_line(x) for x in given]
    place = list(range(len(lines)))
    if indexing == "xy":
        place[:2] = reversed(place[:2])
    sizes = [lines[i].shape[0] for i in place]
    shapes = [[n if place[k] == i else 1 for k, n in enumerate(sizes)] for i in range(len(lines))]
    return tuple(
        broadcast_to(reshape(x, shape), sizes) for x, shape in zip(lines, shapes, strict=True)
    )


def _line(x: Any) -> Any:
    if require_tensor(x, "meshgrid").ndim > 1:
        raise fail("E0401", f"meshgrid takes vectors, got the shape {tuple(x.shape)}")
    return ravel(x)


# Triangles and diagonals


def tril(input: Any, diagonal: int = 0) -> Any:
    """`input` with zeros above a diagonal of its last two axes.

    Parameters
    ----------
    input : Tensor, shape (..., n, m)
    diagonal : int
        The last one that is kept; 1 is the one above the main diagonal.

    Raises
    ------
    S2sadError
        E0303 when `diagonal` is no int, E0401 for fewer than two axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> tril(ms.Tensor([[1, 2], [3, 4]])).asnumpy()
    array([[1, 0],
           [3, 4]])
    """
    return p.tril(require_tensor(input, "tril"), diagonal=integer("diagonal", diagonal))


def triu(input: Any, diagonal: int = 0) -> Any:
    """`input` with zeros below a diagonal of its last two axes.

    Parameters
    ----------
    input : Tensor, shape (..., n, m)
    diagonal : int
        The first one that is kept; 1 is the one above the main diagonal.

    Raises
    ------
    S2sadError
        E0303 when `diagonal` is no int, E0401 for fewer than two axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> triu(ms.Tensor([[1, 2], [3, 4]])).asnumpy()
    array([[1, 2],
           [0, 4]])
    """
    return p.triu(require_tensor(input, "triu"), diagonal=integer("diagonal", diagonal))


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Any = dtypes.int64) -> Any:
    """Rows and columns of the lower triangle of a matrix, shape (2, n), row by row.

    Parameters
    ----------
    row, col : int
        Size of the matrix.
    offset : int
        The last diagonal that counts; 1 is the one above the main diagonal.
    dtype : DType

    Raises
    ------
    S2sadError
        E0303 for what is no int, E0404 for a negative size.

    Examples
    --------
    >>> tril_indices(2, 2).asnumpy()
    array([[0, 1, 1],
           [0, 0, 1]])
    """
    return _indices(np.tril, row, col, offset, dtype)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Any = dtypes.int64) -> Any:
    """Rows and columns of the upper triangle of a matrix, shape (2, n), row by row.

    Parameters
    ----------
    row, col : int
        Size of the matrix.
    offset : int
        The first diagonal that counts; 1 is the one above the main diagonal.
    dtype : DType

    Raises
    ------
    S2sadError
        E0303 for what is no int, E0404 for a negative size.

    Examples
    --------
    >>> triu_indices(2, 2).asnumpy()
    array([[0, 0, 1],
           [0, 1, 1]])
    """
    return _indices(np.triu, row, col, offset, dtype)


def _indices(triangle: Any, row: int, col: int, offset: int, dtype: Any) -> Any:
    shape: Any = shape_of((row, col), "matrix")
    places = np.nonzero(triangle(np.ones(shape, np.bool_), integer("offset", offset)))
    return constant(np.array(places), dtype_of(dtype))


def diag(input: Any) -> Any:
    """The matrix with `input` on its diagonal, zero elsewhere.

    Parameters
    ----------
    input : Tensor, shape (d_1, ..., d_k), with one axis at least

    Returns
    -------
    Tensor, shape (d_1, ..., d_k, d_1, ..., d_k)
        `input` where the first k indices are the last k. `diagonal` takes one out of a matrix.

    Raises
    ------
    S2sadError
        E0401 for one element without axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> diag(ms.Tensor([1, 2])).asnumpy()
    array([[1, 0],
           [0, 2]])
    >>> diag(ms.Tensor([[1, 2], [3, 4]])).shape
    (2, 2, 2, 2)
    """
    x = require_tensor(input, "diag")
    if x.ndim == 0:
        raise fail("E0401", "diag takes one axis or more, got one element without axes")
    size = math.prod(x.shape)
    matrix = p.where(on_diagonal(size, size), p.reshape(x, shape=(size,)), 0)
    return p.reshape(matrix, shape=(*x.shape, *x.shape))


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The elements whose indices along two axes differ by `offset`, as a last axis.

    Parameters
    ----------
    input : Tensor
    offset : int
        Index along `dim2` minus index along `dim1`.
    dim1, dim2 : int

    Raises
    ------
    S2sadError
        E0303 when `offset` is no int, E0403 for an axis that does not exist, or twice the same.

    Examples
    --------
    >>> import s2sad as ms
    >>> diagonal(ms.Tensor([[1, 2], [3, 4]]), 1).asnumpy()
    array([2])
    """
    x = require_tensor(input, "diagonal")
    return p.diagonal(x, offset=offset, axis1=dim1, axis2=dim2)
