"""Which rows of a table do indices look up, and where does the gradient of those go?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type, i64
from s2sad.prims.constant import const
from s2sad.prims.define import composite
from s2sad.prims.index import gather, index_add, index_update
from s2sad.prims.rules import is_float, require_kind
from s2sad.prims.shape import filled, shape_of


def _canonical(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    return {"padding_index": _padding(attrs["padding_index"], _rows(types[0]))}


def _canonical_grad(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    (size,) = shape_of((attrs["size"],), "number of rows")
    return {"size": size, "padding_index": _padding(attrs["padding_index"], size)}


def _rows(table: Type) -> dims.Dim:
    found = require_kind(table, is_float, "a table of floats")
    if not found.shape:
        raise fail("E0401", f"a table has rows, got {found}")
    return found.shape[0]


def _padding(index: Any, rows: dims.Dim) -> int | None:
    """`index` from the front, which must be a row (E0303, E0404)."""
    if index is None:
        return None
    if isinstance(index, bool) or not isinstance(index, int):
        raise fail("E0303", f"padding_index is an int, got {index!r}")
    if isinstance(rows, int):
        if not -rows <= index < rows:
            raise fail("E0404", f"padding_index {index} is out of range for {rows} rows")
        return index % rows
    if index < 0:
        raise fail("E0402", f"padding_index {index} counts from the end of {rows} rows")
    return index


@composite(canonical=_canonical, same=(), traits={Trait.FALLIBLE})
def embedding(table, indices, *, padding_index=None):
    """The rows of `table` at `indices`.

    Parameters
    ----------
    table : Tensor of floats, shape (n, row...)
    indices : Tensor of integers, any shape
        A negative index counts from the end.
    padding_index : int, optional
        A row that gets no gradient.

    Returns
    -------
    Tensor, shape ``indices.shape + table.shape[1:]``

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 or E0404 if `padding_index` is no row, E0401 if `table` has no
        rows; at run time E0501 if an index is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.embedding(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 1]))
    array([[3., 4.],
           [3., 4.]])
    """
    return gather(table, indices, axis=0)


@embedding.adjoint
def embedding_adjoint(table, indices, out, dout, *, padding_index):
    dtable = embedding_grad(dout, indices, size=table.shape[0], padding_index=padding_index)
    return dtable, None


@composite(canonical=_canonical_grad, same=(), traits={Trait.FALLIBLE})
def embedding_grad(dy, indices, *, size, padding_index=None):
    """Cotangent of the table of `embedding`: what comes back to a row adds up there.

    Parameters
    ----------
    dy : Tensor of floats, shape ``indices.shape + row``
        Narrow floats are added up in float32.
    indices : Tensor of integers
    size : int
        Number of rows.
    padding_index : int, optional
        A row that gets nothing.

    Returns
    -------
    Tensor, shape ``(size,) + row``

    Raises
    ------
    S2sadError
        As `embedding`; E0401 also if `dy` does not go with `indices`.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.embedding_grad(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2]), size=3)
    array([1., 0., 6.])
    """
    rows = require_kind(dy.type, is_float, "floats").shape[indices.ndim :]
    table = TensorType(dy.dtype, (size, *rows))
    found = index_add(filled(0, table), indices, dy, axis=0)
    if padding_index is None:
        return found
    # One row is written again: cheaper than to look through all indices, however they name it.
    nothing = filled(0, TensorType(dy.dtype, rows))
    return index_update(found, const(padding_index, i64), nothing, axis=0)
