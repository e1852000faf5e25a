"""Which objects write matrices as products?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import factoring
from s2sad.ops.primitives.base import primitive
from s2sad.ops.settings import flag


@primitive(upper=flag)
def Cholesky(input_x: Any, *, upper: bool = False) -> Any:
    """The triangular matrix that gives `input_x` with its transpose: `ops.cholesky`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Cholesky()(ms.Tensor([[4.0, 2.0], [2.0, 2.0]])).tolist()
    [[2.0, 0.0], [1.0, 1.0]]
    """
    return factoring.cholesky(input_x, upper)


@primitive(upper=flag)
def CholeskyInverse(x: Any, *, upper: bool = False) -> Any:
    """Inverse of the matrix whose Cholesky factor is `x`: `ops.cholesky_inverse`.

    Examples
    --------
    >>> import s2sad as ms
    >>> CholeskyInverse()(ms.Tensor([[2.0, 0.0], [0.0, 1.0]])).tolist()
    [[0.25, 0.0], [0.0, 1.0]]
    """
    return factoring.cholesky_inverse(x, upper)


@primitive(full_matrices=flag)
def Qr(x: Any, *, full_matrices: bool = False) -> tuple[Any, Any]:
    """Orthonormal columns, and the triangular matrix that makes `x` of them: `ops.qr`.

    Examples
    --------
    >>> import s2sad as ms
    >>> q, r = Qr()(ms.Tensor([[3.0], [4.0]]))
    >>> (q @ r).asnumpy().round(4).tolist()
    [[3.0], [4.0]]
    """
    return factoring.qr(x, "complete" if full_matrices else "reduced")


@primitive(full_matrices=flag, compute_uv=flag)
def Svd(input: Any, *, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Singular values, with the directions that are stretched: `ops.svd`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Svd(compute_uv=False)(ms.Tensor([[3.0, 0.0], [0.0, 2.0]])).tolist()
    [3.0, 2.0]
    """
    return factoring.svd(input, full_matrices, compute_uv)
