"""How does a Cell hold a table of vectors?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.nn.initializer import initializer
from s2sad.ops.settings import flag, integer


class Embedding(Cell):
    """A vector for each index: the row of a table that is learned.

    Parameters
    ----------
    vocab_size, embedding_size : int
        How many rows, of how many elements.
    use_one_hot : bool
        Whether to multiply one-hot rows with the table instead of looking up. An index out of range
        then gives zeros.
    embedding_table : initializer
    dtype : DType
        Of the table.
    padding_idx : int, optional
        A row that is zero at first.

    Attributes
    ----------
    embedding_table : Parameter, shape (vocab_size, embedding_size)

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, those of `initializer`; in a call
        E0301 for indices that are no integers, at run time E0501 for one out of range.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Embedding(4, 2, padding_idx=1)
    >>> net(ms.Tensor([[1, 1, 1]])).asnumpy()
    array([[[0., 0.],
            [0., 0.],
            [0., 0.]]], dtype=float32)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: DType = dtypes.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        self.vocab_size = integer("vocab_size", vocab_size, 1)
        self.embedding_size = integer("embedding_size", embedding_size, 1)
        self.use_one_hot = flag("use_one_hot", use_one_hot)
        self.dtype = dtype
        table = initializer(embedding_table, (vocab_size, embedding_size), dtype)
        self.padding_idx = padding_idx
        if padding_idx is not None:
            table = _without_row(table, integer("padding_idx", padding_idx, 0))
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, ids: Any) -> Any:
        if not self.use_one_hot:
            return ops.embedding(ids, self.embedding_table)
        table = self.embedding_table
        return ops.matmul(p.one_hot(ids, depth=self.vocab_size, dtype=table.dtype), table)

    def extend_repr(self) -> str:
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, "
            f"use_one_hot={self.use_one_hot}, embedding_table={self.embedding_table}, "
            f"dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


def _without_row(table: Tensor, row: int) -> Tensor:
    """A copy of `table` whose `row` (E0404 where there is none) is zero."""
    if row >= table.shape[0]:
        raise fail("E0404", f"padding_idx {row} is no row of a table of {table.shape[0]}")
    array = table.array.copy()
    array[row] = 0
    return Tensor.wrap(array)
