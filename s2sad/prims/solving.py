"""Which vector does a matrix take to a given one, and how much does it stretch space?

Matrices are the last two axes. Floats only; narrow ones are computed in float32 and rounded. A
matrix that has no inverse is an error when the program runs (E0704).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type
from s2sad.prims.arrange import expand_dims, tril, triu
from s2sad.prims.define import primitive
from s2sad.prims.linalg import matmul
from s2sad.prims.reduce import reduce_sum
from s2sad.prims.rules import is_float, one_dtype, require_kind
from s2sad.prims.shape import ones_like


def matrices(x: Type) -> TensorType:
    """`x`, which must have floats (E0301) and two axes at least (E0401)."""
    found = require_kind(x, is_float, "floats")
    if found.ndim < 2:
        raise fail("E0401", f"a matrix has two axes, got {found}")
    return found


def square(x: Type) -> TensorType:
    """`x`, whose matrices must be square (E0401)."""
    found = matrices(x)
    dims.require_same(found.shape[-2], found.shape[-1], f"the sides of a square matrix, {found},")
    return found


def computed(run: Callable[..., Any], *arrays: np.ndarray) -> Any:
    """What `run` gives; E0704 where there is nothing to be given."""
    try:
        return run(*arrays)
    except np.linalg.LinAlgError as error:
        raise fail(
            "E0704", f"a matrix of shape {arrays[0].shape[-2:]} cannot be computed with: {error}"
        ) from None  # fmt: skip


def _solve_type(a: Type, b: Type, *, transpose_a: bool) -> TensorType:
    left, right = square(a), matrices(b)
    dtype = one_dtype(left, right)
    what = f"the sizes of a system, {left}, and of what it equals, {right},"
    size = dims.require_same(left.shape[-1], right.shape[-2], what)
    batch = dims.broadcast(left.shape[:-2], right.shape[:-2], operands=(left, right), behind=2)
    return TensorType(dtype, (*batch, size, right.shape[-1]))


@primitive(type=_solve_type, linear=(1,), traits={Trait.FALLIBLE})
def solve(a, b, *, transpose_a=False):
    """The matrices x with ``a @ x == b``, by elimination with row exchanges.

    Parameters
    ----------
    a : Tensor of floats, shape (..., n, n)
    b : Tensor of the same dtype, shape (..., n, k)
        The axes before the last two broadcast.
    transpose_a : bool
        Whether the last two axes of `a` are exchanged first.

    Raises
    ------
    S2sadError
        E0301 if the dtypes differ or are no floats, E0401 if the shapes do not fit; at run time
        E0704 where `a` has no inverse.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([[2.0], [2.0]]))
    array([[1. ],
           [0.5]])
    """
    if transpose_a:
        a = np.swapaxes(a, -1, -2)
    b = b.reshape((1,) * (a.ndim - b.ndim) + b.shape)  # else NumPy 1 takes rows for vectors
    return computed(np.linalg.solve, a, b)


@solve.adjoint
def solve_adjoint(a, b, out, dout, *, transpose_a):
    db = solve(a, dout, transpose_a=not transpose_a)
    if transpose_a:
        da = -matmul(out, db, transpose_b=True)
    else:
        da = -matmul(db, out, transpose_b=True)
    return da, db


@solve.tangent
def solve_tangent(a, b, out, tangents, *, transpose_a):
    moved, dot = tangents
    if moved is not None:
        by_matrix = -matmul(moved, out, transpose_a=transpose_a)
        dot = by_matrix if dot is None else dot + by_matrix
    return solve(a, dot, transpose_a=transpose_a)


def _det_type(x: Type) -> TensorType:
    found = square(x)
    return TensorType(found.dtype, found.shape[:-2])


@primitive(type=_det_type)
def det(x):
    """The determinant of each matrix.

    Parameters
    ----------
    x : Tensor of floats, shape (..., n, n)

    Returns
    -------
    Tensor, shape (...)

    Raises
    ------
    S2sadError
        E0301 if `x` is not float, E0401 if its matrices are not square.

    Notes
    -----
    By elimination. The derivative is the matrix of cofactors, also where `x` has no inverse.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.det(np.array([[2.0, 0.0], [0.0, 4.0]]))
    array(8.)
    """
    return np.asarray(np.linalg.det(x))


@det.adjoint
def det_adjoint(x, out, dout):
    return (expand_dims(dout, axis=(-2, -1)) * cofactor(x),)


@det.tangent
def det_tangent(x, out, tangents):
    return reduce_sum(cofactor(x) * tangents[0], axis=(-2, -1))


@primitive(type=square)
def cofactor(x):
    """The matrix of cofactors: ``det(x)`` times the transposed inverse, where there is one.

    Parameters
    ----------
    x : Tensor of floats, shape (..., n, n)

    Raises
    ------
    S2sadError
        E0301 if `x` is not float, E0401 if its matrices are not square; at run time E0704 of its
        own derivative where `x` has no inverse.

    Notes
    -----
    From the singular value decomposition, ``det(u) det(v) u @ diag(products of others) @ vh``.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.cofactor(np.array([[2.0, 0.0], [0.0, 0.0]])) + 0.0
    array([[0., 0.],
           [0., 2.]])
    """
    is_known = np.isfinite(x).all((-2, -1), keepdims=True)
    u, s, vh = computed(np.linalg.svd, np.where(is_known, x, 0))
    sign = np.linalg.det(u) * np.linalg.det(vh)
    rest = np.stack([np.prod(np.delete(s, i, -1), -1) for i in range(s.shape[-1])], -1)
    found = (np.rint(sign)[..., None, None] * u * rest[..., None, :]) @ vh
    return np.where(is_known, found, np.asarray(np.nan, found.dtype))


@cofactor.adjoint
def cofactor_adjoint(x, out, dout):
    inverse = solve(x, tril(triu(ones_like(x))), transpose_a=True)
    along = reduce_sum(dout * inverse, axis=(-2, -1), keepdims=True) * inverse
    across = matmul(matmul(inverse, dout, transpose_b=True), inverse)
    return (expand_dims(det(x), axis=(-2, -1)) * (along - across),)


@cofactor.tangent
def cofactor_tangent(x, out, tangents):
    inverse = solve(x, tril(triu(ones_like(x))), transpose_a=True)
    along = reduce_sum(tangents[0] * inverse, axis=(-2, -1), keepdims=True) * inverse
    across = matmul(matmul(inverse, tangents[0], transpose_b=True), inverse)
    return expand_dims(det(x), axis=(-2, -1)) * (along - across)


def _slogdet_type(x: Type) -> tuple[TensorType, TensorType]:
    found = _det_type(x)
    return found, found


@primitive(type=_slogdet_type)
def slogdet(x):
    """Sign and logarithm of the size of each matrix's determinant: 0 and -inf where it is 0.

    Parameters
    ----------
    x : Tensor of floats, shape (..., n, n)

    Returns
    -------
    tuple of two Tensors, shape (...)

    Raises
    ------
    S2sadError
        E0301 if `x` is not float, E0401 if its matrices are not square; at run time E0704 of the
        derivative where `x` has no inverse.

    Notes
    -----
    The derivative of the logarithm is the transposed inverse; the sign has none.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.slogdet(np.array([[2.0, 0.0], [0.0, -0.5]]))
    (array(-1.), array(0.))
    """
    sign, size = np.linalg.slogdet(x)
    return np.asarray(sign), np.asarray(size)


@slogdet.adjoint
def slogdet_adjoint(x, out, dout):
    if dout[1] is None:
        dx = None
    else:
        weighted = expand_dims(dout[1], axis=(-2, -1)) * tril(triu(ones_like(x)))
        dx = solve(x, weighted, transpose_a=True)
    return (dx,)


@slogdet.tangent
def slogdet_tangent(x, out, tangents):
    inverse = solve(x, tril(triu(ones_like(x))), transpose_a=True)
    return None, reduce_sum(inverse * tangents[0], axis=(-2, -1))


def _pinv_type(x: Type, *, atol: float, rtol: float) -> TensorType:
    found = matrices(x)
    return TensorType(found.dtype, (*found.shape[:-2], found.shape[-1], found.shape[-2]))


@primitive(type=_pinv_type, traits={Trait.FALLIBLE})
def pinv(x, *, atol, rtol):
    """The pseudo-inverse of each matrix, with small singular values taken for 0.

    Parameters
    ----------
    x : Tensor of floats, shape (..., m, n)
    atol, rtol : float
        A singular value counts where it is above `atol`, and above `rtol` times the largest.

    Returns
    -------
    Tensor, shape (..., n, m)

    Raises
    ------
    S2sadError
        E0301 if `x` is not float, E0401 if it has no matrices; at run time E0704 where the
        decomposition fails, as with NaN.

    Notes
    -----
    The derivative is that of Golub and Pereyra 1973, which holds where the rank stays.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.pinv(np.array([[2.0, 0.0], [0.0, 0.0]]), atol=0.0, rtol=1e-12)
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    u, sizes, vh = computed(lambda a: np.linalg.svd(a, full_matrices=False), x)
    largest = sizes.max(-1, keepdims=True, initial=0.0)
    counts = (sizes > atol) & (sizes > rtol * largest)
    inverse = np.where(counts, 1 / np.where(counts, sizes, 1), 0)
    return np.swapaxes(vh, -1, -2) @ (inverse[..., None] * np.swapaxes(u, -1, -2))


@pinv.adjoint
def pinv_adjoint(x, out, dout, *, atol, rtol):
    inside = matmul(matmul(out, dout, transpose_a=True), out, transpose_b=True)
    rows = matmul(matmul(dout, out, transpose_a=True), out, transpose_b=True)
    columns = matmul(matmul(out, out, transpose_a=True), dout, transpose_b=True)
    rows = rows - matmul(x, matmul(out, rows))
    columns = columns - matmul(matmul(columns, out), x)
    return (rows + columns - inside,)


@pinv.tangent
def pinv_tangent(x, out, tangents, *, atol, rtol):
    inside = matmul(matmul(out, tangents[0]), out)
    rows = matmul(matmul(out, out, transpose_b=True), tangents[0], transpose_b=True)
    columns = matmul(tangents[0], matmul(out, out, transpose_a=True), transpose_a=True)
    rows = rows - matmul(matmul(rows, x), out)
    columns = columns - matmul(out, matmul(x, columns))
    return rows + columns - inside
