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
from s2sad.ops.settings import flag, integer, positive


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
        A row that is zero at first. It is trained as the others are: MindSpore's does the same.

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


class EmbeddingLookup(Cell):
    """A vector for each index, as `Embedding`; where it is kept is of no account here.

    Parameters
    ----------
    vocab_size, embedding_size : int
        How many rows, of how many elements.
    param_init : initializer
    target : {"CPU", "DEVICE"}
    slice_mode, manual_shapes, sparse
        Taken for compatibility: the table is in one place, and its gradient is dense.
    max_norm : float, optional
        Longer rows are shortened to this length when they are looked up.
    dtype : DType
        Of the table.

    Attributes
    ----------
    embedding_table : Parameter, shape (vocab_size, embedding_size)

    Raises
    ------
    S2sadError
        Those of `Embedding`, E0404 for another target or a `max_norm` that is not positive.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.EmbeddingLookup(4, 2, param_init="ones", max_norm=0.5)
    >>> net(ms.Tensor([1])).asnumpy().round(4)
    array([[0.3536, 0.3536]], dtype=float32)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: Any = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: Any = None,
        max_norm: float | None = None,
        sparse: bool = True,
        dtype: DType = dtypes.float32,
    ) -> None:
        super().__init__()
        self.vocab_size = integer("vocab_size", vocab_size, 1)
        self.embedding_size = integer("embedding_size", embedding_size, 1)
        if target not in ("CPU", "DEVICE"):
            raise fail("E0404", f"target is 'CPU' or 'DEVICE', got {target!r}")
        flag("sparse", sparse)
        self.max_norm = None if max_norm is None else positive("max_norm", max_norm)
        table = initializer(param_init, (vocab_size, embedding_size), dtype)
        self.embedding_table = Parameter(table, name="embedding_table")

    def construct(self, indices: Any) -> Any:
        rows = ops.embedding(indices, self.embedding_table)
        if self.max_norm is None:
            return rows
        length = ops.norm(rows, dim=-1, keepdim=True)
        # Where a row is short enough nothing is divided, so that 0 has a gradient.
        is_long = length > self.max_norm
        return ops.where(is_long, rows * (self.max_norm / ops.where(is_long, length, 1.0)), rows)
