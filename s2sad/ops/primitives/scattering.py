"""Which objects write elements at their indices?

The names that begin with Tensor give another tensor; `ScatterAdd` and its kind write a Parameter.
"""

from __future__ import annotations

from typing import Any

from s2sad.ops import scattering
from s2sad.ops.primitives.base import like, primitive
from s2sad.ops.settings import flag, integer

VECTOR = "ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([[1]]), ms.Tensor([4.0])"

IndexFill = like(
    scattering.index_fill, "IndexFill", "ms.Tensor([1.0, 2.0]), 0, ms.Tensor([1], ms.int32), 9.0",
    "[1.0, 9.0]",
)  # fmt: skip
ScatterNd = like(
    scattering.scatter_nd, "ScatterNd", "ms.Tensor([[1]]), ms.Tensor([5.0]), (3,)",
    "[0.0, 5.0, 0.0]",
)  # fmt: skip
TensorScatterAdd = like(
    scattering.tensor_scatter_add, "TensorScatterAdd", VECTOR, "[1.0, 6.0, 3.0]"
)
TensorScatterDiv = like(
    scattering.tensor_scatter_div, "TensorScatterDiv", VECTOR, "[1.0, 0.5, 3.0]"
)
TensorScatterMax = like(
    scattering.tensor_scatter_max, "TensorScatterMax", VECTOR, "[1.0, 4.0, 3.0]"
)
TensorScatterMin = like(
    scattering.tensor_scatter_min, "TensorScatterMin", VECTOR, "[1.0, 2.0, 3.0]"
)
TensorScatterMul = like(
    scattering.tensor_scatter_mul, "TensorScatterMul", VECTOR, "[1.0, 8.0, 3.0]"
)
TensorScatterSub = like(
    scattering.tensor_scatter_sub, "TensorScatterSub", VECTOR, "[1.0, -2.0, 3.0]"
)
TensorScatterUpdate = like(
    scattering.tensor_scatter_update, "TensorScatterUpdate", VECTOR, "[1.0, 4.0, 3.0]"
)
UnsortedSegmentSum = like(
    scattering.unsorted_segment_sum, "UnsortedSegmentSum",
    "ms.Tensor([1.0, 2.0, 4.0]), ms.Tensor([0, 1, 0]), 2", "[5.0, 2.0]",
)  # fmt: skip


@primitive(axis=integer)
def TensorScatterElements(
    data: Any, indices: Any, updates: Any, *, axis: int = 0, reduction: str = "none"
) -> Any:
    """`data` with elements written, or added, along `axis`: `ops.tensor_scatter_elements`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, places = ms.Tensor([1.0, 2.0]), ms.Tensor([1], ms.int32)
    >>> TensorScatterElements(reduction="add")(x, places, ms.Tensor([4.0])).tolist()
    [1.0, 6.0]
    """
    return scattering.tensor_scatter_elements(data, indices, updates, axis, reduction)


@primitive(axis=integer, use_lock=flag, check_index_bound=flag)
def IndexAdd(
    x: Any, indices: Any, y: Any, *, axis: int, use_lock: bool = True,
    check_index_bound: bool = True,
) -> Any:  # fmt: skip
    """The slices of `y` added at indices along `axis`: `ops.index_add`.

    Examples
    --------
    >>> import s2sad as ms
    >>> places = ms.Tensor([1], ms.int32)
    >>> IndexAdd(axis=0)(ms.Tensor([1.0, 2.0]), places, ms.Tensor([4.0])).tolist()
    [1.0, 6.0]
    """
    return scattering.index_add(x, indices, y, axis, use_lock, check_index_bound)


@primitive(use_locking=flag)
def ScatterUpdate(input_x: Any, indices: Any, updates: Any, *, use_locking: bool = True) -> Any:
    """`ops.scatter_update`: slices of a Parameter replaced.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> ScatterUpdate()(w, ms.Tensor([1], ms.int32), ms.Tensor([4.0])).tolist()
    [1.0, 4.0]
    """
    return scattering.scatter_update(input_x, indices, updates)


@primitive(use_locking=flag)
def ScatterAdd(input_x: Any, indices: Any, updates: Any, *, use_locking: bool = False) -> Any:
    """`ops.scatter_add`: added to slices of a Parameter.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    >>> ScatterAdd()(w, ms.Tensor([1], ms.int32), ms.Tensor([4.0])).tolist()
    [1.0, 6.0]
    """
    return scattering.scatter_add(input_x, indices, updates)
