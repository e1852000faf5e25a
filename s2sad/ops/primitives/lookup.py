"""Which objects look up rows of a table?"""

from __future__ import annotations

from typing import Any

from s2sad.ops.arithmetic import sub
from s2sad.ops.comparison import greater_equal, less, where
from s2sad.ops.index import gather
from s2sad.ops.logic import logical_and
from s2sad.ops.primitives.base import primitive
from s2sad.ops.promotion import require_integers, require_tensor
from s2sad.ops.shapes import reshape


@primitive()
def EmbeddingLookup(input_params: Any, input_indices: Any, offset: int) -> Any:
    """The rows of a table at ``input_indices - offset``; zeros where there is no such row.

    Raises
    ------
    S2sadError
        E0301 for indices that are no integers, E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> table = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> EmbeddingLookup()(table, ms.Tensor([5, 4, 9]), 4).tolist()
    [[3.0, 4.0], [1.0, 2.0], [0.0, 0.0]]
    """
    table = require_tensor(input_params, "EmbeddingLookup")
    indices = require_tensor(input_indices, "EmbeddingLookup")
    require_integers(indices, "EmbeddingLookup")
    places = sub(indices, offset)
    is_there = logical_and(greater_equal(places, 0), less(places, table.shape[0]))
    rows = gather(table, where(is_there, places, 0), 0)
    kept = reshape(is_there, (*indices.shape, *(1,) * (table.ndim - 1)))
    return where(kept, rows, 0)
