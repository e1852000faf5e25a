"""Which objects sort, and search what is sorted?"""

from __future__ import annotations

from typing import Any

from s2sad.core import dtypes
from s2sad.ops import sorting
from s2sad.ops.primitives.base import primitive
from s2sad.ops.primitives.checks import of_integers
from s2sad.ops.settings import flag, integer
from s2sad.ops.shapes import cast


@primitive(sorted=flag)
def TopK(input_x: Any, k: int, *, sorted: bool = True) -> tuple[Any, Any]:
    """The `k` largest elements along the last axis, and where they are: `ops.top_k`.

    Examples
    --------
    >>> import s2sad as ms
    >>> [found.tolist() for found in TopK()(ms.Tensor([1.0, 3.0, 2.0]), 2)]
    [[3.0, 2.0], [1, 2]]
    """
    return sorting.top_k(input_x, k, sorted)


@primitive(axis=integer, descending=flag)
def Sort(x: Any, *, axis: int = -1, descending: bool = False) -> tuple[Any, Any]:
    """The elements along `axis` in order, and where they were: `ops.sort`.

    Examples
    --------
    >>> import s2sad as ms
    >>> [found.tolist() for found in Sort(descending=True)(ms.Tensor([1.0, 3.0, 2.0]))]
    [[3.0, 2.0, 1.0], [1, 2, 0]]
    """
    return sorting.sort(x, axis, descending)


@primitive(dtype=of_integers, right=flag)
def SearchSorted(
    sorted_sequence: Any, values: Any, sorter: Any = None, *, dtype: Any = dtypes.int64,
    right: bool = False,
) -> Any:  # fmt: skip
    """Where each value belongs among ordered elements, in the dtype `dtype`: `ops.searchsorted`.

    Examples
    --------
    >>> import s2sad as ms
    >>> SearchSorted()(ms.Tensor([1.0, 3.0, 5.0]), ms.Tensor([3.0, 9.0])).tolist()
    [1, 3]
    """
    found = sorting.searchsorted(sorted_sequence, values, right=right, sorter=sorter)
    return cast(found, dtype)
