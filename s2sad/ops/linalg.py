"""Products of matrices."""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import promote, require_tensor


def matmul(input: Any, other: Any) -> Any:
    """Matrix product over the last two axes; a 1-d operand is a row or a column.

    Parameters
    ----------
    input : Tensor, shape (..., m, k) or (k,)
    other : Tensor, shape (..., k, n) or (k,)

    Raises
    ------
    S2sadError
        E0304 for a number, E0401 when the inner sizes differ or an operand is 0-d.

    Examples
    --------
    >>> import s2sad as ms
    >>> matmul(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])).asnumpy()
    array([[11.]], dtype=float32)
    """
    x, y = promote(require_tensor(input, "matmul"), require_tensor(other, "matmul"))
    if not x.ndim or not y.ndim:
        raise fail("E0401", "matmul needs operands with at least one axis")
    rows, columns = x.ndim == 1, y.ndim == 1
    x = p.expand_dims(x, axis=0) if rows else x
    y = p.expand_dims(y, axis=1) if columns else y
    out = p.matmul(x, y)
    out = p.squeeze(out, axis=out.ndim - 1) if columns else out
    return p.squeeze(out, axis=out.ndim - (1 if columns else 2)) if rows else out
