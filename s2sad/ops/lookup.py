"""Which rows of a table do indices name?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops.promotion import require_integers, require_tensors
from s2sad.ops.settings import flag, number
from s2sad.prims.embedding import embedding as rows_of


def embedding(
    input: Any,
    weight: Any,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
) -> Any:
    """The rows of the table `weight` at the indices `input`.

    Parameters
    ----------
    input : Tensor of integers, any shape
        A negative index counts from the end.
    weight : Tensor of floats, shape (rows, size)
    padding_idx : int, optional
        A row that gets no gradient.
    max_norm : float, optional
        Refused (E0310): it would rewrite rows of `weight`.
    norm_type : float
        Goes with `max_norm`.
    scale_grad_by_freq : bool
        True is refused (E0310).

    Returns
    -------
    Tensor, shape ``input.shape + (size,)``

    Raises
    ------
    S2sadError
        E0301 for indices that are no integers, E0303 or E0404 if `padding_idx` is no row, E0401 for
        a table of another number of axes; at run time E0501 for an index out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> table = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> embedding(ms.Tensor([1, 1, 0]), table).asnumpy()
    array([[3., 4.],
           [3., 4.],
           [1., 2.]], dtype=float32)
    """
    number("norm_type", norm_type)
    if max_norm is not None or flag("scale_grad_by_freq", scale_grad_by_freq):
        name = "scale_grad_by_freq=True" if max_norm is None else "max_norm"
        raise fail("E0310", f"{name} of embedding is not supported", help="leave it out")
    table, indices = require_tensors("embedding", weight, input)
    if table.ndim != 2:
        raise fail("E0401", f"a table has axes (rows, size), got the shape {table.shape}")
    require_integers(indices, "indices")
    return rows_of(table, indices, padding_index=padding_idx)
