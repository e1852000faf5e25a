"""What solves a system of equations, and what undoes a matrix?

Matrices are the last two axes. One that has no inverse is an error when the program runs (E0704).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.axes import matrix_transpose
from s2sad.ops.creation import eye
from s2sad.ops.promotion import promote_floats, require_floats, type_of
from s2sad.ops.settings import flag, integer, not_negative
from s2sad.prims.arrange import static_size


def inverse(input: Any) -> Any:
    """The matrix that undoes each matrix of `input`.

    Parameters
    ----------
    input : Tensor of floats, shape (..., n, n)

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0304 for what is no Tensor, E0401 for matrices that are not square;
        at run time E0704 for one that has no inverse.

    Examples
    --------
    >>> import s2sad as ms
    >>> inverse(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])).asnumpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    x = require_floats(input, "inverse")
    return p.solve(x, identity_like(x))


def identity_like(x: Any) -> Any:
    """The identity of the size of the matrices of `x`, in its dtype (E0401 for a vector)."""
    if x.ndim < 2:
        raise fail("E0401", f"a matrix has two axes, got {type_of(x)}")
    return eye(x.shape[-1], dtype=x.dtype)


def det(input: Any) -> Any:
    """The determinant of each matrix.

    Parameters
    ----------
    input : Tensor of floats, shape (..., n, n)

    Returns
    -------
    Tensor, shape (...)

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0304 for what is no Tensor, E0401 for matrices that are not square.

    Notes
    -----
    Its gradient, the cofactors, is right for matrices without inverse too.

    Examples
    --------
    >>> import s2sad as ms
    >>> det(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])).asnumpy()
    array(8., dtype=float32)
    """
    return p.det(require_floats(input, "det"))


def slogdet(input: Any) -> tuple[Any, Any]:
    """Sign of the determinant of each matrix, and the logarithm of its size.

    Parameters
    ----------
    input : Tensor of floats, shape (..., n, n)

    Returns
    -------
    tuple of two Tensors, shape (...)
        0 and -inf where the determinant is 0.

    Raises
    ------
    S2sadError
        Those of `det`; at run time E0704 of the gradient where it is 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> [x.item() for x in slogdet(ms.Tensor([[0.0, 1.0], [1.0, 0.0]]))]
    [-1.0, 0.0]
    """
    return p.slogdet(require_floats(input, "slogdet"))


def logdet(input: Any) -> Any:
    """The logarithm of the determinant of each matrix: NaN where that is negative.

    Arguments and errors are those of `slogdet`.

    Examples
    --------
    >>> import s2sad as ms
    >>> logdet(ms.Tensor([[1.0, 0.0], [0.0, 1.0]])).asnumpy()
    array(0., dtype=float32)
    """
    sign, size = slogdet(input)
    return p.where(p.less(sign, 0), float("nan"), size)


def matrix_power(input: Any, n: int) -> Any:
    """Each matrix times itself, `n` times; the identity for 0, powers of the inverse below.

    Parameters
    ----------
    input : Tensor of floats, shape (..., n, n)
    n : int

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 for no int, E0304 for what is no Tensor, E0401 for matrices
        that are not square; at run time E0704 for a negative power of one that has no inverse.

    Examples
    --------
    >>> import s2sad as ms
    >>> matrix_power(ms.Tensor([[1.0, 1.0], [0.0, 1.0]]), 5).asnumpy()
    array([[1., 5.],
           [0., 1.]], dtype=float32)
    """
    x, count = require_floats(input, "matrix_power"), integer("n", n)
    unit = p.broadcast_to(identity_like(x), shape=tuple(x.shape))
    if count < 0:
        x, count = inverse(x), -count
    power, square = None, x
    while count:
        if count & 1:
            power = square if power is None else p.matmul(power, square)
        count >>= 1
        square = p.matmul(square, square) if count else square
    return unit if power is None else power


def pinv(x: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The pseudo-inverse of each matrix (Moore and Penrose).

    Parameters
    ----------
    x : Tensor of floats, shape (..., m, n)
    atol, rtol : float, optional
        Singular values count where they are above `atol`, 0 by default, and above `rtol` times the
        largest: by default the larger of m and n times the distance of the next number after 1, or
        0 where `atol` is given.
    hermitian : bool
        Whether `x` is symmetric: ``(x + x.mT) / 2`` is taken then.

    Returns
    -------
    Tensor, shape (..., n, m)

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 and E0404 for other arguments, E0304 for what is no Tensor,
        E0401 for vectors; at run time E0704 for NaN.

    Notes
    -----
    The gradient is that at constant rank, from Golub and Pereyra 1973.

    Examples
    --------
    >>> import s2sad as ms
    >>> pinv(ms.Tensor([[2.0, 0.0], [0.0, 0.0]])).asnumpy()
    array([[0.5, 0. ],
           [0. , 0. ]], dtype=float32)
    """
    matrix = require_floats(x, "pinv")
    if matrix.ndim < 2:
        raise fail("E0401", f"a matrix has two axes, got {type_of(matrix)}")
    if flag("hermitian", hermitian):
        matrix = p.div(p.add(matrix, matrix_transpose(matrix)), 2)
    return p.pinv(matrix, **_tolerances(matrix, atol, rtol))


def _tolerances(x: Any, atol: Any, rtol: Any) -> dict[str, float]:
    if rtol is not None:
        relative = not_negative("rtol", rtol)
    elif atol is not None:
        relative = 0.0
    else:
        step = float(np.finfo(x.dtype.compute.storage).eps)
        relative = max(static_size(size, "the size of a matrix") for size in x.shape[-2:]) * step
    return {"atol": 0.0 if atol is None else not_negative("atol", atol), "rtol": relative}


def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """The matrices x with ``matrix @ x == rhs``.

    Parameters
    ----------
    matrix : Tensor of floats, shape (..., n, n)
    rhs : Tensor of floats, shape (..., n, k)
    adjoint : bool
        Whether `matrix` is transposed first.

    Raises
    ------
    S2sadError
        E0303 when `adjoint` is no bool, E0304 for what is no Tensor, E0401 where shapes do not fit;
        at run time E0704 where `matrix` has no inverse.

    Examples
    --------
    >>> import s2sad as ms
    >>> matrix_solve(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]), ms.Tensor([[2.0], [2.0]])).asnumpy()
    array([[1. ],
           [0.5]], dtype=float32)
    """
    a, b = promote_floats(matrix, rhs)
    return p.solve(a, b, transpose_a=flag("adjoint", adjoint))


def lstsq(input: Any, A: Any) -> Any:  # noqa: N803
    """The x for which ``input @ x`` comes nearest to `A`; of several the shortest.

    Parameters
    ----------
    input : Tensor of floats, shape (m, n)
    A : Tensor of floats, shape (m,) or (m, k)

    Returns
    -------
    Tensor, shape (n, 1) or (n, k)

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0401 where shapes do not fit; at run time E0704 for NaN.

    Examples
    --------
    >>> import s2sad as ms
    >>> lstsq(ms.Tensor([[1.0], [1.0]]), ms.Tensor([1.0, 3.0])).asnumpy().round(4)
    array([[2.]], dtype=float32)
    """
    matrix, wanted = promote_floats(input, A)
    if matrix.ndim != 2 or wanted.ndim not in (1, 2):
        raise fail("E0401", f"lstsq takes a matrix and a vector, or two matrices, got "
                   f"{type_of(matrix)} and {type_of(wanted)}")  # fmt: skip
    wanted = p.expand_dims(wanted, axis=1) if wanted.ndim == 1 else wanted
    return p.matmul(pinv(matrix), wanted)
