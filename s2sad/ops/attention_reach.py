"""Which keys may each query of attention read?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.creation import counted
from s2sad.ops.promotion import as_dtype, is_tensor, require_integers, type_of
from s2sad.ops.settings import integer
from s2sad.prims.shape import shape_of


def causal_mask(queries: int, keys: int | None = None, offset: Any = 0) -> Any:
    """Which keys each query may read: those at its own place and before.

    Parameters
    ----------
    queries, keys : int
        How many; as many keys as queries by default.
    offset : int, or Tensor of one integer
        The place of the first query among the keys: in a decoding step, the length so far.

    Returns
    -------
    Tensor of bool, shape (queries, keys)
        True where a query may read.

    Raises
    ------
    S2sadError
        E0301 for an offset that is no integer, E0303 for a number that is no int, E0404 for a
        negative one, E0401 for an `offset` of several elements.

    Examples
    --------
    >>> causal_mask(2, 3).asnumpy()
    array([[ True, False, False],
           [ True,  True, False]])
    """
    return p.less_equal(*_places(queries, queries if keys is None else keys, offset))


def sliding_window_mask(
    queries: int, keys: int | None = None, window: int = 1, offset: Any = 0
) -> Any:
    """Which keys each query may read: the last `window` of those that `causal_mask` has.

    Parameters
    ----------
    queries, keys : int
        How many; as many keys as queries by default.
    window : int
        At least 1, which is the key at the query's own place.
    offset : int, or Tensor of one integer
        The place of the first query among the keys.

    Returns
    -------
    Tensor of bool, shape (queries, keys)

    Raises
    ------
    S2sadError
        Those of `causal_mask`; E0303 and E0404 for a `window` that cannot be.

    Examples
    --------
    >>> sliding_window_mask(3, window=2).asnumpy()
    array([[ True, False, False],
           [ True,  True, False],
           [False,  True,  True]])
    """
    before = integer("window", window, 1) - 1
    return band_mask(queries, queries if keys is None else keys, before, 0, offset)


def band_mask(queries: Any, keys: Any, before: int, behind: int, offset: Any) -> Any:
    """Where a key is at most `before` before and `behind` behind a query's place."""
    key, query = _places(queries, keys, offset)
    is_late = p.greater_equal(key, p.sub(query, before))
    return p.logical_and(is_late, p.less_equal(key, p.add(query, behind)))


def _places(queries: int, keys: int, offset: Any) -> tuple[Any, Any]:
    """The place of each key, and of each query among them, as tensors that broadcast."""
    rows, columns = shape_of((queries, keys), "a number of queries or keys")
    if is_tensor(offset):
        offset = as_dtype(require_integers(offset, "offsets"), dtypes.int64)
        if dims.same(dims.size(offset.shape), 1) is not True:
            raise fail("E0401", f"an offset is one integer, got {type_of(offset)}")
        offset = p.reshape(offset, shape=())
    else:
        integer("offset", offset)
    query = p.add(counted((rows,)), offset)
    return counted((columns,)), p.expand_dims(query, axis=1)
