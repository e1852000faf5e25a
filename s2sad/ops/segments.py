"""What is the extreme, or the product, of the slices that have one number?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ops.comparison import largest_of
from s2sad.ops.creation import full
from s2sad.ops.promotion import as_dtype, require_integers, require_tensors
from s2sad.ops.scattering import tensor_scatter_max, tensor_scatter_min, tensor_scatter_mul
from s2sad.ops.settings import integer
from s2sad.prims.arrange import slice_axis
from s2sad.prims.shape import require_shape


def unsorted_segment_max(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """The greatest of the slices of `x` that have the same number in `segment_ids`.

    Parameters
    ----------
    x : Tensor of numbers
    segment_ids : Tensor of integers
        Its shape is that of the first axes of `x`; negative numbers count for nothing.
    num_segments : int

    Returns
    -------
    Tensor, shape ``(num_segments,) + x.shape[segment_ids.ndim:]``
        The least number of the dtype where there is no slice.

    Raises
    ------
    S2sadError
        E0301 when a dtype does not fit, E0303 when `num_segments` is no int, E0401 when a shape
        does not fit; at run time E0501 for a number that is too large.

    Examples
    --------
    >>> import s2sad as ms
    >>> unsorted_segment_max(ms.Tensor([1.0, 2.0, 4.0]), ms.Tensor([0, 1, 0]), 2).asnumpy()
    array([4., 2.], dtype=float32)
    """
    return _gathered("unsorted_segment_max", x, segment_ids, num_segments, tensor_scatter_max, _low)


def unsorted_segment_min(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """The least of the slices of `x` that have the same number in `segment_ids`.

    The greatest number of the dtype where there is no slice. Arguments and errors are those of
    `unsorted_segment_max`.

    Examples
    --------
    >>> import s2sad as ms
    >>> unsorted_segment_min(ms.Tensor([1.0, 2.0, 4.0]), ms.Tensor([0, 1, 0]), 2).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return _gathered(
        "unsorted_segment_min", x, segment_ids, num_segments, tensor_scatter_min, _high
    )


def unsorted_segment_prod(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """The product of the slices of `x` that have the same number in `segment_ids`.

    1 where there is no slice. Arguments and errors are those of `unsorted_segment_max`.

    Examples
    --------
    >>> import s2sad as ms
    >>> unsorted_segment_prod(ms.Tensor([3.0, 2.0, 4.0]), ms.Tensor([0, 1, 0]), 2).asnumpy()
    array([12.,  2.], dtype=float32)
    """
    return _gathered(
        "unsorted_segment_prod", x, segment_ids, num_segments, tensor_scatter_mul, lambda _: 1
    )


def _low(dtype: DType) -> Any:
    return -largest_of(dtype) if dtype.is_float else int(np.iinfo(dtype.storage).min)


def _high(dtype: DType) -> Any:
    return largest_of(dtype) if dtype.is_float else int(np.iinfo(dtype.storage).max)


def _gathered(
    name: str, x: Any, ids: Any, count: int, write: Callable[..., Any], start: Callable[..., Any]
) -> Any:
    x, ids = require_tensors(name, x, ids)
    ids = as_dtype(require_integers(ids, "segment_ids"), dtypes.int64)
    part = tuple(x.shape[ids.ndim :])
    require_shape(tuple(x.shape), (*ids.shape, *part), f"the first axes for {name}")
    held = full((integer("num_segments", count, 0) + 1, *part), start(x.dtype), dtype=x.dtype)
    beyond = p.where(p.greater_equal(ids, count), p.add(ids, 1), ids)  # the last row counts not
    places = p.expand_dims(p.where(p.less(ids, 0), count, beyond), axis=ids.ndim)
    return slice_axis(write(held, places, x), 0, 0, count)
