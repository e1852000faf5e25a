"""Which objects compute determinants and inverses of matrices?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import solving
from s2sad.ops.axes import swapaxes
from s2sad.ops.primitives.base import like, primitive
from s2sad.ops.settings import flag

MATRIX = "ms.Tensor([[2.0, 0.0], [0.0, 4.0]])"

LogMatrixDeterminant = like(
    solving.slogdet, "LogMatrixDeterminant", "ms.Tensor([[0.0, 1.0], [1.0, 0.0]])", "[-1.0, 0.0]",
    shown="[x.item() for x in {}]",
)  # fmt: skip
MatrixDeterminant = like(solving.det, "MatrixDeterminant", MATRIX, "8.0")


@primitive(adjoint=flag)
def MatrixInverse(x: Any, *, adjoint: bool = False) -> Any:
    """Inverse of each matrix, `ops.inverse`; with `adjoint` of its transpose.

    Examples
    --------
    >>> import s2sad as ms
    >>> MatrixInverse()(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    found = solving.inverse(x)
    return swapaxes(found, -1, -2) if adjoint else found


@primitive(adjoint=flag)
def MatrixSolve(matrix: Any, rhs: Any, *, adjoint: bool = False) -> Any:
    """What `matrix` makes `rhs` of, `ops.matrix_solve`; with `adjoint` its transpose.

    Examples
    --------
    >>> import s2sad as ms
    >>> MatrixSolve()(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]), ms.Tensor([[2.0], [2.0]])).tolist()
    [[1.0], [0.5]]
    """
    return solving.matrix_solve(matrix, rhs, adjoint)
