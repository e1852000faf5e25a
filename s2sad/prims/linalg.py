"""What do sums over a shared axis of two tensors give?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type
from s2sad.prims.define import primitive
from s2sad.prims.rules import is_number, one_dtype, require_kind


def _matmul_type(x: Type, y: Type, *, transpose_a: bool, transpose_b: bool) -> TensorType:
    a, b = (require_kind(type, is_number, "numbers") for type in (x, y))
    dtype = one_dtype(a, b)
    if a.ndim < 2 or b.ndim < 2:
        raise fail("E0401", f"matmul needs two axes at least of each operand, got {a} and {b}")
    given = _swapped(a.shape, transpose_a), _swapped(b.shape, transpose_b)
    require_inner(a, b, *given)
    (*batch_a, rows, _), (*batch_b, _, columns) = given
    batch = dims.broadcast(tuple(batch_a), tuple(batch_b), operands=(a, b), behind=2)
    return TensorType(dtype, (*batch, rows, columns))


def require_inner(
    a: TensorType, b: TensorType, rows: Sequence[dims.Dim], columns: Sequence[dims.Dim]
) -> None:
    """E0401 unless the axes that a product of `a` and `b` sums over are of one size.

    `rows` and `columns` are their shapes, as they are multiplied.
    """
    inner = columns[-2] if len(columns) > 1 else columns[0]
    instead = "(..., n, k) times (..., k, m) gives (..., n, m)"
    if len(columns) > 1 and dims.same(rows[-1], columns[-1]):
        instead = "transpose the second: `.mT`"
    elif len(rows) > 1 and dims.same(rows[-2], inner):
        instead = "transpose the first: `.mT`"
    dims.require_same(rows[-1], inner, f"the inner sizes of matmul, of {a} and {b},", instead)


def _swapped(shape: tuple[dims.Dim, ...], swap: bool) -> tuple[dims.Dim, ...]:
    return (*shape[:-2], shape[-1], shape[-2]) if swap else shape


@primitive(type=_matmul_type, linear=(0, 1), traits={Trait.REASSOCIATES})
def matmul(x, y, *, transpose_a=False, transpose_b=False):
    """Product of matrices, for each place along the axes before the last two, which broadcast.

    Integers wrap. Narrow floats are multiplied and summed in float32 and rounded once. Over an
    inner axis of size 0 the sum is 0.

    Parameters
    ----------
    x : Tensor of numbers, shape (..., n, k); (..., k, n) with `transpose_a`
    y : Tensor of the same dtype, shape (..., k, m); (..., m, k) with `transpose_b`
    transpose_a, transpose_b : bool
        Whether the last two axes of `x`, of `y`, are exchanged first.

    Returns
    -------
    Tensor, shape (..., n, m)

    Raises
    ------
    S2sadError
        E0301 if the dtypes differ or are bool, E0401 if the inner sizes differ, the outer axes do
        not broadcast, or an operand has fewer than two axes.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.matmul(np.array([[1, 2]]), np.array([[3, 4]]), transpose_b=True)
    array([[11]])
    """
    if transpose_a:
        x = np.swapaxes(x, -1, -2)
    if transpose_b:
        y = np.swapaxes(y, -1, -2)
    return np.matmul(x, y)


@matmul.adjoint
def matmul_adjoint(x, y, out, dout, *, transpose_a, transpose_b):
    if transpose_a:
        dx = matmul(y, dout, transpose_a=transpose_b, transpose_b=True)
    else:
        dx = matmul(dout, y, transpose_b=not transpose_b)
    if transpose_b:
        dy = matmul(dout, x, transpose_a=True, transpose_b=transpose_a)
    else:
        dy = matmul(x, dout, transpose_a=not transpose_a)
    return dx, dy
