"""Into which simpler matrices does a matrix fall: triangular, orthogonal, diagonal?

Matrices are the last two axes. Floats only; narrow ones are computed in float32 and rounded.
"""

from __future__ import annotations

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type
from s2sad.prims.arrange import expand_dims, tril, triu
from s2sad.prims.comparison import equal
from s2sad.prims.define import primitive
from s2sad.prims.linalg import matmul
from s2sad.prims.reduce import reduce_sum
from s2sad.prims.select import where
from s2sad.prims.shape import ones_like, transpose
from s2sad.prims.solving import computed, matrices, solve, square


@primitive(type=square, traits={Trait.FALLIBLE})
def cholesky(x):
    """The lower triangular matrix with a positive diagonal whose product with its transpose is `x`.

    Parameters
    ----------
    x : Tensor of floats, shape (..., n, n)
        Symmetric and positive definite; ``(x + x.T) / 2`` is read.

    Raises
    ------
    S2sadError
        E0301 if `x` is not float, E0401 if its matrices are not square; at run time E0704 where
        one is not positive definite.

    Notes
    -----
    With the half P of ``out.T @ dout`` (its lower triangle, the diagonal halved), the cotangent is
    the symmetric part of ``inverse(out).T @ P @ inverse(out)``; from Murray 2016.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.cholesky(np.array([[4.0, 2.0], [2.0, 2.0]]))
    array([[2., 0.],
           [1., 1.]])
    """
    return computed(np.linalg.cholesky, (x + np.swapaxes(x, -1, -2)) / 2)


@cholesky.adjoint
def cholesky_adjoint(x, out, dout):
    swap = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
    both = matmul(out, dout, transpose_a=True)
    half = (tril(both) + tril(both, diagonal=-1)) * 0.5
    left = transpose(solve(out, half, transpose_a=True), perm=swap)
    dx = solve(out, left, transpose_a=True)
    return ((dx + transpose(dx, perm=swap)) * 0.5,)


@cholesky.tangent
def cholesky_tangent(x, out, tangents):
    swap = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
    moved = (tangents[0] + transpose(tangents[0], perm=swap)) * 0.5
    both = solve(out, transpose(solve(out, moved), perm=swap))
    return matmul(out, (tril(both) + tril(both, diagonal=-1)) * 0.5)


def _qr_type(x: Type) -> tuple[TensorType, TensorType]:
    found = matrices(x)
    rows, columns = found.shape[-2:]
    if dims.less_equal(columns, rows) is not True:
        raise fail(
            "E0401", f"qr takes no more columns than rows, got {found}",
            help="split off the first columns: the triangle is theirs, and of the others a product",
        )  # fmt: skip
    return found, TensorType(found.dtype, (*found.shape[:-2], columns, columns))


@primitive(type=_qr_type)
def qr(x):
    """Orthonormal columns, and the upper triangular matrix that makes `x` of them.

    Parameters
    ----------
    x : Tensor of floats, shape (..., m, n)
        No more columns than rows.

    Returns
    -------
    tuple of two Tensors, shapes (..., m, n) and (..., n, n)

    Raises
    ------
    S2sadError
        E0301 if `x` is not float, E0401 if it has more columns than rows; at run time E0704 of the
        derivative where columns depend on one another.

    Notes
    -----
    By Householder's reflections. With ``M = r @ dr.T - dq.T @ q``, whose lower triangle mirrored is
    C, the cotangent is ``(dq + q @ C) @ inverse(r).T``; from Walter and Lehmann 2018.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> q, r = p.qr(np.array([[3.0], [4.0]]))
    >>> q @ r
    array([[3.],
           [4.]])
    """
    q, r = np.linalg.qr(x)
    return q, r


@qr.adjoint
def qr_adjoint(x, out, dout):
    q, r = out
    dq, dr = dout
    swap = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
    if dq is None:
        both = matmul(r, dr, transpose_b=True)
    elif dr is None:
        both = -matmul(dq, q, transpose_a=True)
    else:
        both = matmul(r, dr, transpose_b=True) - matmul(dq, q, transpose_a=True)
    mirrored = tril(both) + transpose(tril(both, diagonal=-1), perm=swap)
    right = matmul(q, mirrored)
    if dq is not None:
        right = dq + right
    return (transpose(solve(r, transpose(right, perm=swap)), perm=swap),)


@qr.tangent
def qr_tangent(x, out, tangents):
    q, r = out
    swap = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
    turned = solve(r, transpose(tangents[0], perm=swap), transpose_a=True)
    moved = transpose(turned, perm=swap)
    along = matmul(q, moved, transpose_a=True)
    below = tril(along, diagonal=-1)
    turn = below - transpose(below, perm=swap)
    dq = matmul(q, turn) + moved - matmul(q, along)
    return dq, matmul(along - turn, r)


def _svd_type(x: Type) -> tuple[TensorType, TensorType, TensorType]:
    found = matrices(x)
    *batch, rows, columns = found.shape
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise fail("E0402", f"svd needs to know the sizes of a matrix, got {found}")
    count = min(rows, columns)
    shapes = (*batch, rows, count), (*batch, count), (*batch, count, columns)
    u, s, vh = (TensorType(found.dtype, shape) for shape in shapes)
    return u, s, vh


@primitive(type=_svd_type, traits={Trait.FALLIBLE})
def svd(x):
    """Singular values, the largest first, with the directions that they stretch.

    Parameters
    ----------
    x : Tensor of floats, shape (..., m, n)

    Returns
    -------
    tuple of three Tensors, shapes (..., m, k), (..., k) and (..., k, n), k the smaller of m and n
        `u`, `s`, `vh` with ``x == u * s @ vh``.

    Raises
    ------
    S2sadError
        E0301 if `x` is not float, E0401 if it has no matrices, E0402 if their sizes are not known;
        at run time E0704 where the decomposition fails, as with NaN.

    Notes
    -----
    The derivatives of `u` and `vh` are those for singular values that differ and are no zero: what
    equal ones or zeros would contribute is left out. That of `s` holds wherever it exists. From
    Townsend 2016.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.svd(np.array([[0.0, 2.0], [1.0, 0.0]]))[1]
    array([2., 1.])
    """
    u, s, vh = computed(lambda a: np.linalg.svd(a, full_matrices=False), x)
    return u, s, vh


@svd.adjoint
def svd_adjoint(x, out, dout):
    u, s, vh = out
    du, ds, dvh = dout
    swap = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
    row, column = expand_dims(s, axis=-2), expand_dims(s, axis=-1)
    unit = tril(triu(ones_like(row * column)))
    gaps = (row - column) * (row + column)
    same, none = equal(gaps, 0), equal(row, 0)
    apart = where(same, 0, 1 / where(same, 1, gaps))
    upside = where(none, 0, 1 / where(none, 1, row))
    middle, outer = None, None
    if ds is not None:
        middle = expand_dims(ds, axis=-2) * unit
    if du is not None:
        both = matmul(u, du, transpose_a=True)
        inner = apart * (both - transpose(both, perm=swap)) * row
        middle = inner if middle is None else middle + inner
        outside = matmul((du - matmul(u, both)) * upside, vh)
        outer = outside
    if dvh is not None:
        both = matmul(vh, dvh, transpose_b=True)
        inner = column * apart * (both - transpose(both, perm=swap))
        middle = inner if middle is None else middle + inner
        left = dvh - matmul(both, vh, transpose_a=True)
        outside = matmul(u * upside, left)
        outer = outside if outer is None else outer + outside
    dx = matmul(matmul(u, middle), vh)
    if outer is not None:
        dx = dx + outer
    return (dx,)


@svd.tangent
def svd_tangent(x, out, tangents):
    u, s, vh = out
    swap = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
    row, column = expand_dims(s, axis=-2), expand_dims(s, axis=-1)
    unit = tril(triu(ones_like(row * column)))
    gaps = (row - column) * (row + column)
    same, none = equal(gaps, 0), equal(row, 0)
    apart = where(same, 0, 1 / where(same, 1, gaps))
    upside = where(none, 0, 1 / where(none, 1, row))
    right = matmul(tangents[0], vh, transpose_b=True)
    inside = matmul(u, right, transpose_a=True)
    across = transpose(inside, perm=swap)
    left = matmul(u, tangents[0], transpose_a=True)
    du = matmul(u, apart * (inside * row + column * across)) + (right - matmul(u, inside)) * upside
    turn = apart * (column * inside + across * row)
    rest = (left - matmul(inside, vh)) * transpose(upside, perm=swap)
    dvh = rest - matmul(turn, vh)
    return du, reduce_sum(inside * unit, axis=-1), dvh
