"""Which objects multiply matrices and vectors?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops import linalg
from s2sad.ops.axes import swapaxes
from s2sad.ops.primitives.base import like, primitive
from s2sad.ops.primitives.checks import text
from s2sad.ops.promotion import require_tensor
from s2sad.ops.settings import flag, integer

#: The axis of `Cross` that stands for the first of size 3.
ANY_AXIS = -65530

Ger = like(
    linalg.outer, "Ger", "ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])", "[[3.0, 4.0], [6.0, 8.0]]"
)
Trace = like(linalg.trace, "Trace", "ms.Tensor([[1.0, 2.0], [3.0, 4.0]])", "5.0")


def _turned(x: Any, is_turned: bool, what: str) -> Any:
    """`x`, its last two axes exchanged where that is asked for."""
    if require_tensor(x, what).ndim < 2:
        raise fail("E0401", f"{what} multiplies matrices, got the shape {tuple(x.shape)}")
    return swapaxes(x, -1, -2) if is_turned else x


@primitive(transpose_a=flag, transpose_b=flag)
def MatMul(input: Any, mat2: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """Product of two matrices, `ops.mm`, each of them transposed first where that is asked for.

    Raises
    ------
    S2sadError
        E0401 for what is no matrix, or sizes that do not fit; those of `ops.mm`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1.0, 2.0]])
    >>> MatMul(transpose_b=True)(x, x).tolist(), MatMul(transpose_a=True)(x, x).tolist()
    ([[5.0]], [[1.0, 2.0], [2.0, 4.0]])
    """
    x, y = _turned(input, transpose_a, "MatMul"), _turned(mat2, transpose_b, "MatMul")
    return linalg.mm(x, y)


@primitive(transpose_a=flag, transpose_b=flag)
def BatchMatMul(x: Any, y: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """Products of matrices along the last two axes, `ops.matmul`, transposed first where asked for.

    Operands have the shapes (..., m, k) and (..., k, n); the axes before the last two broadcast.

    Raises
    ------
    S2sadError
        E0401 for fewer than two axes, or sizes that do not fit; those of `ops.matmul`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[[1.0, 2.0]]])
    >>> BatchMatMul(transpose_b=True)(x, x).tolist()
    [[[5.0]]]
    """
    x, y = _turned(x, transpose_a, "BatchMatMul"), _turned(y, transpose_b, "BatchMatMul")
    return linalg.matmul(x, y)


@primitive(equation=text)
def Einsum(inputs: Any, *, equation: str) -> Any:
    """Einstein's sum `equation` of the tuple of tensors `inputs`: `ops.einsum`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1.0, 2.0]])
    >>> Einsum("ij,kj->ik")((x, x)).tolist()
    [[5.0]]
    """
    if not isinstance(inputs, (tuple, list)):
        raise fail("E0304", f"Einsum takes a tuple of Tensors, got {inputs!r}")
    return linalg.einsum(equation, *inputs)


@primitive(dim=integer)
def Cross(input: Any, other: Any, *, dim: int = ANY_AXIS) -> Any:
    """Cross product along the axis `dim`, by default the first of size 3: `ops.cross`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Cross(dim=0)(ms.Tensor([1.0, 0.0, 0.0]), ms.Tensor([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    return linalg.cross(input, other, None if dim == ANY_AXIS else dim)
