"""How does pooling give as many windows as wanted? They are laid out to cover the input.

Window i of m over n elements is from ``floor(i * n / m)`` to ``ceil((i + 1) * n / m)``. The axes
are pooled one after the other, since mean and maximum of a box are those of its rows'.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.dims import Dim
from s2sad.ops.pool import batched
from s2sad.ops.promotion import as_dtype, require_floats
from s2sad.ops.settings import flag, integer
from s2sad.prims.arrange import slice_axis

# Means


def adaptive_avg_pool1d(input: Any, output_size: int) -> Any:
    """Mean of each of `output_size` windows of one axis; see `adaptive_avg_pool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> adaptive_avg_pool1d(ms.Tensor([[[1.0, 2.0, 3.0]]]), 2).asnumpy()
    array([[[1.5, 2.5]]], dtype=float32)
    """
    return _mean("adaptive_avg_pool1d", 1, input, output_size)


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Mean of each window, of which `output_size` lie along each axis.

    Parameters
    ----------
    input : Tensor of floats, shape (N, C, H, W) or (C, H, W)
    output_size : int, or tuple of two int or None
        None keeps the size of the axis.

    Returns
    -------
    Tensor, shape (N, C, output_size...)

    Raises
    ------
    S2sadError
        E0301 unless `input` is of floats, E0303 or E0404 for sizes of another form or value, E0401
        for another number of axes or an empty one.

    Examples
    --------
    >>> import s2sad as ms
    >>> adaptive_avg_pool2d(ms.Tensor([[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]), (1, 2)).asnumpy()
    array([[[3., 4.]]], dtype=float32)
    """
    return _mean("adaptive_avg_pool2d", 2, input, output_size)


def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """Mean of each window of three axes; see `adaptive_avg_pool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> adaptive_avg_pool3d(ms.ops.ones((1, 2, 4, 4)), (1, 1, 2)).asnumpy()
    array([[[[1., 1.]]]], dtype=float32)
    """
    return _mean("adaptive_avg_pool3d", 3, input, output_size)


def _mean(name: str, rank: int, x: Any, output_size: Any) -> Any:
    def pool(batch: Any) -> Any:
        wide = as_dtype(require_floats(batch, name), batch.dtype.compute)
        for axis, count in _wanted(name, output_size, batch):
            wide = _means(wide, axis, count)
        return as_dtype(wide, batch.dtype)

    return batched(name, rank, x, pool)


def _means(x: Any, axis: int, count: Dim) -> Any:
    size = x.shape[axis]
    if isinstance(size, int) and isinstance(count, int) and size % count == 0:
        split = p.reshape(x, shape=(*x.shape[:axis], count, size // count, *x.shape[axis + 1 :]))
        return p.mean(split, axis=axis + 1)
    return _joined(
        [p.mean(part, axis=axis, keepdims=True) for part, _ in _parts(x, axis, count)], axis
    )


# Largest elements


def adaptive_max_pool1d(input: Any, output_size: int) -> Any:
    """Largest element of each of `output_size` windows; see `adaptive_max_pool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> adaptive_max_pool1d(ms.Tensor([[[1.0, 3.0, 2.0]]]), 2).asnumpy()
    array([[[3., 3.]]], dtype=float32)
    """
    return _max("adaptive_max_pool1d", 1, input, output_size, False)


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Largest element of each window, of which `output_size` lie along each axis.

    Parameters
    ----------
    input : Tensor of numbers, shape (N, C, H, W) or (C, H, W)
    output_size : int, or tuple of two int or None
        None keeps the size of the axis.
    return_indices : bool
        Whether to give the places of the maxima as well.

    Returns
    -------
    Tensor, shape (N, C, output_size...)
        With `return_indices` also a Tensor of int64: places in the spatial axes laid in a row. The
        first of equal elements is the largest; it gets the gradient.

    Raises
    ------
    S2sadError
        E0301 for bools, E0303 or E0404 for sizes of another form or value, E0401 for another number
        of axes or an empty one.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[[1.0, 3.0, 2.0], [4.0, 0.0, 3.0]]])
    >>> adaptive_max_pool2d(x, (1, 2), True)[1].asnumpy()
    array([[[3, 1]]])
    """
    return _max("adaptive_max_pool2d", 2, input, output_size, return_indices)


def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """`adaptive_max_pool2d` for an `input` of shape (N, C, D, H, W) or (C, D, H, W).

    Examples
    --------
    >>> import numpy as np
    >>> import s2sad as ms
    >>> adaptive_max_pool3d(ms.Tensor(np.arange(8.0).reshape(1, 2, 2, 2)), (1, 2, 1)).asnumpy()
    array([[[[5.],
             [7.]]]])
    """
    return _max("adaptive_max_pool3d", 3, input, output_size, return_indices)


def _max(name: str, rank: int, x: Any, output_size: Any, return_indices: bool) -> Any:
    flag("return_indices", return_indices)

    def pool(batch: Any) -> Any:
        values, places, stride = batch, None, 1
        # From the last axis to the first, so that of equal elements the first in a row wins.
        for axis, count in reversed(_wanted(name, output_size, batch)):
            values, places = _largest(values, places, axis, count, stride)
            stride = stride * batch.shape[axis]
        return (values, places) if return_indices else values

    return batched(name, rank, x, pool)


def _largest(x: Any, places: Any, axis: int, count: Dim, stride: Dim) -> tuple[Any, Any]:
    """The largest element of each window along `axis`, and its place in the axes so far."""
    values, found = [], []
    for part, start in _parts(x, axis, count):
        here = p.argmax(part, axis=axis, keepdims=True)
        values.append(p.gather_elements(part, here, axis=axis))
        place = p.mul(p.add(here, start), stride)
        if places is not None:
            place = p.add(place, p.gather_elements(places, p.add(here, start), axis=axis))
        found.append(place)
    return _joined(values, axis), _joined(found, axis)


# Windows


def _wanted(name: str, output_size: Any, x: Any) -> list[tuple[int, Dim]]:
    """Each spatial axis and how many windows it gets."""
    spatial = x.shape[2:]
    sizes = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * len(spatial)
    if len(sizes) != len(spatial):
        raise fail("E0303", f"output_size has {len(spatial)} entries, got {output_size!r}")
    if any(dims.same(size, 0) for size in spatial):
        raise fail("E0401", f"{name} of an empty axis, of the shape {x.shape}")
    counts = [
        size if count is None else integer("output_size", count, 1)
        for count, size in zip(sizes, spatial, strict=True)
    ]
    return list(enumerate(counts, 2))


def _parts(x: Any, axis: int, count: Dim) -> list[tuple[Any, int]]:
    """Each window of `x` along `axis`, and where it begins."""
    size = x.shape[axis]
    if count == 1:
        return [(x, 0)]
    if not isinstance(size, int) or not isinstance(count, int):
        raise fail("E0402", f"{count} windows over {size} elements: the size must be known")
    ends = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
    return [(slice_axis(x, axis, start, stop), start) for start, stop in ends]


def _joined(parts: list[Any], axis: int) -> Any:
    return parts[0] if len(parts) == 1 else p.concat(*parts, axis=axis)
