"""Into which simpler matrices does a matrix fall: triangular, orthogonal, diagonal?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.axes import matrix_transpose
from s2sad.ops.promotion import promote_floats, require_floats, type_of
from s2sad.ops.settings import flag
from s2sad.ops.solving import identity_like


def cholesky(input_x: Any, upper: bool = False) -> Any:
    """The triangular matrix that makes each matrix with its own transpose.

    Parameters
    ----------
    input_x : Tensor of floats, shape (..., n, n)
        Symmetric and positive definite; ``(x + x.mT) / 2`` is read.
    upper : bool
        Whether it is upper triangular, with ``input_x == out.mT @ out``, else lower, with
        ``out @ out.mT``.

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 when `upper` is no bool, E0304 for what is no Tensor, E0401
        for matrices that are not square; at run time E0704 for one that is not positive definite.

    Examples
    --------
    >>> import s2sad as ms
    >>> cholesky(ms.Tensor([[4.0, 2.0], [2.0, 2.0]])).asnumpy()
    array([[2., 0.],
           [1., 1.]], dtype=float32)
    """
    lower = p.cholesky(require_floats(input_x, "cholesky"))
    return matrix_transpose(lower) if flag("upper", upper) else lower


def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Any:
    """The x with ``a @ x == input``, `input2` being the factor that `cholesky` finds of ``a``.

    Parameters
    ----------
    input : Tensor of floats, shape (..., n, k)
    input2 : Tensor of floats, shape (..., n, n)
        Triangular.
    upper : bool
        Whether it is upper triangular.

    Raises
    ------
    S2sadError
        E0303 when `upper` is no bool, E0304 for what is no Tensor, E0401 where shapes do not fit;
        at run time E0704 for a factor with a 0 on its diagonal.

    Examples
    --------
    >>> import s2sad as ms
    >>> factor = cholesky(ms.Tensor([[4.0]]))
    >>> cholesky_solve(ms.Tensor([[2.0]]), factor).asnumpy()
    array([[0.5]], dtype=float32)
    """
    b, factor = promote_floats(input, input2)
    is_upper = flag("upper", upper)
    factor = p.triu(factor) if is_upper else p.tril(factor)
    between = p.solve(factor, b, transpose_a=is_upper)
    return p.solve(factor, between, transpose_a=not is_upper)


def cholesky_inverse(input_x: Any, upper: bool = False) -> Any:
    """The inverse of the matrix of which `input_x` is the factor; see `cholesky_solve`.

    Parameters
    ----------
    input_x : Tensor of floats, shape (..., n, n)
        Triangular.
    upper : bool
        Whether it is upper triangular.

    Raises
    ------
    S2sadError
        Those of `cholesky_solve`.

    Examples
    --------
    >>> import s2sad as ms
    >>> cholesky_inverse(ms.Tensor([[2.0]])).asnumpy()
    array([[0.25]], dtype=float32)
    """
    factor = require_floats(input_x, "cholesky_inverse")
    return cholesky_solve(identity_like(factor), factor, upper)


def qr(input: Any, mode: str = "reduced") -> tuple[Any, Any]:
    """Orthonormal columns, and the upper triangular matrix that makes `input` of them.

    Parameters
    ----------
    input : Tensor of floats, shape (..., m, n)
    mode : {"reduced", "complete"}
        Of a matrix with more rows than columns only "reduced" is supported; else both are the same.

    Returns
    -------
    tuple of two Tensors, shapes (..., m, k) and (..., k, n), k the smaller of m and n

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0304 for what is no Tensor, E0401 for vectors, E0404 for another
        mode; at run time E0704 of the gradient where columns depend on one another.

    Examples
    --------
    >>> import s2sad as ms
    >>> q, r = qr(ms.Tensor([[3.0], [4.0]]))
    >>> (q @ r).asnumpy().round(4)
    array([[3.],
           [4.]], dtype=float32)
    """
    x = require_floats(input, "qr")
    if x.ndim < 2:
        raise fail("E0401", f"a matrix has two axes, got {type_of(x)}")
    if mode not in ("reduced", "complete"):
        raise fail("E0404", f"the mode of qr is 'reduced' or 'complete', got {mode!r}")
    rows, columns = x.shape[-2:]
    is_wide = dims.less_equal(rows, columns) is True
    if mode == "complete" and not is_wide:
        raise fail(
            "E0404", f"qr of {type_of(x)} is not completed: what it would add has no gradient",
            help="take mode='reduced'",
        )  # fmt: skip
    if not is_wide or dims.same(rows, columns) is True:
        return p.qr(x)
    first, rest = p.split(x, sizes=(rows, columns - rows), axis=-1)
    q, r = p.qr(first)
    return q, p.concat(r, p.matmul(q, rest, transpose_a=True), axis=-1)


def svd(input: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Singular values, the largest first, with the directions that are stretched.

    Parameters
    ----------
    input : Tensor of floats, shape (..., m, n)
    full_matrices : bool
        Whether directions that are not stretched are given too, which is supported for square
        matrices only, that have none.
    compute_uv : bool
        Whether the directions are given.

    Returns
    -------
    Tensor or tuple of three Tensors
        The singular values, shape (..., k), k the smaller of m and n; with `compute_uv` also u,
        shape (..., m, k), and v, shape (..., n, k): ``input == (u * s) @ v.mT`` row by row.

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 for a setting that is no bool, E0304 for what is no Tensor,
        E0401 for vectors, E0404 for `full_matrices` of what is not square; at run time E0704 for
        NaN.

    Notes
    -----
    u and v have a gradient where the singular values differ and none is 0; what others would
    contribute is left out. The sign of each pair of directions is arbitrary.

    Examples
    --------
    >>> import s2sad as ms
    >>> svd(ms.Tensor([[0.0, 2.0], [1.0, 0.0]]), compute_uv=False).asnumpy()
    array([2., 1.], dtype=float32)
    """
    x = require_floats(input, "svd")
    if flag("full_matrices", full_matrices) and flag("compute_uv", compute_uv):
        if x.ndim < 2 or dims.same(*x.shape[-2:]) is not True:
            raise fail(
                "E0404", f"svd of {type_of(x)} is not completed: what it would add has no gradient",
                help="take full_matrices=False",
            )  # fmt: skip
    u, s, vh = p.svd(x)
    return (s, u, matrix_transpose(vh)) if flag("compute_uv", compute_uv) else s
