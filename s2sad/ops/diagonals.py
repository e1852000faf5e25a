"""What do tensors hold on their diagonals?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import constant, require_tensor, require_tensors, type_of
from s2sad.ops.selection import filling
from s2sad.ops.settings import flag, integer
from s2sad.ops.shapes import ravel
from s2sad.prims.arrange import static_size
from s2sad.prims.rules import axis_of


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with the rows of `input` on a diagonal, and zeros elsewhere.

    Parameters
    ----------
    input : Tensor, shape (..., n)
    offset : int
        Which diagonal: 0 is the main one, a positive number lies above it.
    dim1, dim2 : int
        Axes of the result that the matrices lie in.

    Returns
    -------
    Tensor, with one axis more; both axes of the size ``n + abs(offset)``

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 for one without axes, E0303 when `offset` is no int,
        E0403 for axes that do not exist, or twice the same.

    Examples
    --------
    >>> import s2sad as ms
    >>> diag_embed(ms.Tensor([1, 2]), offset=1).asnumpy()
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]])
    """
    x = require_tensor(input, "diag_embed")
    if not x.ndim:
        raise fail("E0401", "diag_embed needs an axis at least, got a 0-d Tensor")
    first, second = axis_of(dim1, x.ndim + 1), axis_of(dim2, x.ndim + 1)
    if first == second:
        raise fail("E0403", f"dim1 and dim2 are two axes, got {dim1} and {dim2}")
    before = max(integer("offset", offset), 0)
    batch = (0,) * (x.ndim - 1)
    columns = p.pad(x, 0, low=(*batch, before), high=(*batch, max(-offset, 0)))
    size = static_size(columns.shape[-1], "the diagonal of a matrix")
    place = np.arange(size)
    mask = constant(place[None, :] - place[:, None] == offset, dtypes.bool_)
    matrix = p.where(mask, p.expand_dims(columns, axis=-2), 0)
    return _moved(matrix, first, second)


def _moved(matrix: Any, first: int, second: int) -> Any:
    """`matrix` with its last two axes at `first` and `second`."""
    order = list(range(matrix.ndim - 2))
    for place, axis in sorted(((first, matrix.ndim - 2), (second, matrix.ndim - 1))):
        order.insert(place, axis)
    return p.transpose(matrix, perm=tuple(order))


def diagflat(input: Any, offset: int = 0) -> Any:
    """The matrix with all elements of `input` on a diagonal, and zeros elsewhere.

    Parameters
    ----------
    input : Tensor
    offset : int
        As of `diag_embed`.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0303 when `offset` is no int.

    Examples
    --------
    >>> import s2sad as ms
    >>> diagflat(ms.Tensor([[1], [2]])).asnumpy()
    array([[1, 0],
           [0, 2]])
    """
    return diag_embed(ravel(require_tensor(input, "diagflat")), offset)


def fill_diagonal(input: Any, fill_value: float, wrap: bool = False) -> Any:
    """`input` with `fill_value` where all indices are equal.

    Parameters
    ----------
    input : Tensor with two axes, or more of one size
    fill_value : number
        Cast to the dtype of `input`.
    wrap : bool
        Whether a matrix with more rows than columns has the diagonal again below its square, one
        row left out.

    Raises
    ------
    S2sadError
        E0301 for a float into integers, E0303 when `wrap` is no bool, E0304 for what is no Tensor,
        E0401 for other shapes.

    Examples
    --------
    >>> import s2sad as ms
    >>> fill_diagonal(ms.ops.zeros((2, 3)), 5.0).asnumpy()
    array([[5., 0., 0.],
           [0., 5., 0.]], dtype=float32)
    """
    x = require_tensor(input, "fill_diagonal")
    if x.ndim < 2 or (x.ndim > 2 and len(set(x.shape)) > 1):
        raise fail(
            "E0401", f"fill_diagonal takes two axes, or more of one size, got {type_of(x)}"
        )  # fmt: skip
    mask = np.zeros([static_size(size, "an axis with a diagonal") for size in x.shape], np.bool_)
    is_again = flag("wrap", wrap)
    if mask.size:
        np.fill_diagonal(mask, True, wrap=is_again)
    return p.where(constant(mask, dtypes.bool_), filling(fill_value, x, "fill_diagonal"), x)


def block_diag(*inputs: Any) -> Any:
    """The matrix with `inputs` one behind the other along its diagonal, and zeros elsewhere.

    Parameters
    ----------
    *inputs : Tensor of one dtype, of two axes at most
        A vector counts as a row.

    Raises
    ------
    S2sadError
        E0301 where dtypes differ, E0304 for what is no Tensor, E0401 for more than two axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> block_diag(ms.Tensor([[1, 2]]), ms.Tensor([[3], [4]])).asnumpy()
    array([[1, 2, 0],
           [0, 0, 3],
           [0, 0, 4]])
    """
    if not inputs:
        raise fail("E0302", "block_diag takes one Tensor at least, got none")
    blocks = [_as_matrix(x) for x in require_tensors("block_diag", *inputs)]
    width = sum(block.shape[1] for block in blocks)
    rows, before = [], 0
    for block in blocks:
        behind = width - before - block.shape[1]
        rows.append(p.pad(block, 0, low=(0, before), high=(0, behind)))
        before += block.shape[1]
    return p.concat(*rows, axis=0)


def _as_matrix(x: Any) -> Any:
    if x.ndim > 2:
        raise fail("E0401", f"block_diag takes two axes at most, got {type_of(x)}")
    return p.reshape(x, shape=(*(1,) * (2 - x.ndim), *x.shape))
