"""Where do the greatest elements of windows come back to?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.creation import zeros
from s2sad.ops.promotion import require_integers, require_tensors, type_of
from s2sad.ops.spatial import Sizes, sizes_of
from s2sad.prims.arrange import static_size
from s2sad.prims.shape import require_shape


def max_unpool1d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """`x` at the places from which pooling took it, and zeros elsewhere; see `max_unpool2d`.

    `x` has the shape (N, C, L) or (C, L). Other arguments and errors are those of `max_unpool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> max_unpool1d(ms.Tensor([[2.0, 4.0]]), ms.Tensor([[1, 3]]), 2).asnumpy()
    array([[0., 2., 0., 4.]], dtype=float32)
    """
    return _unpooled("max_unpool1d", 1, x, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """`x` at the places from which pooling took it, and zeros elsewhere.

    Parameters
    ----------
    x : Tensor, shape (N, C, H, W) or (C, H, W)
    indices : Tensor of integers, shape of `x`
        Places in the flat order of the spatial axes of the result. Of several elements of one place
        the last one counts.
    kernel_size, stride, padding : int, or tuple of two ints
        Of the pooling; `stride` is `kernel_size` by default.
    output_size : tuple of int, optional
        The spatial sizes of the result, or its whole shape; by default the least that there can be:
        ``(size - 1) * stride - 2 * padding + kernel_size``. It is less than a stride away from it.

    Raises
    ------
    S2sadError
        E0301 for indices that are no integers, E0303 and E0404 for settings that cannot be, E0304
        for what is no Tensor, E0401 where shapes do not fit; at run time E0501 for an index out of
        range.

    Examples
    --------
    >>> import s2sad as ms
    >>> max_unpool2d(ms.Tensor([[[5.0]]]), ms.Tensor([[[2]]]), 2).asnumpy()
    array([[[0., 0.],
            [5., 0.]]], dtype=float32)
    """
    return _unpooled("max_unpool2d", 2, x, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
    output_size: Any = None,
) -> Any:  # fmt: skip
    """`x` at the places from which pooling took it, and zeros elsewhere; see `max_unpool2d`.

    `x` has the shape (N, C, D, H, W) or (C, D, H, W). Other arguments and errors are those of
    `max_unpool2d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, places = ms.ops.ones((1, 1, 1, 1)), ms.ops.zeros((1, 1, 1, 1), ms.int64)
    >>> max_unpool3d(x, places, 2).asnumpy().sum(axis=(0, 1, 2))
    array([1., 0.], dtype=float32)
    """
    return _unpooled("max_unpool3d", 3, x, indices, kernel_size, stride, padding, output_size)


def _unpooled(
    name: str, rank: int, x: Any, indices: Any, kernel_size: Any, stride: Any, padding: Any,
    output_size: Any,
) -> Any:  # fmt: skip
    kernel, ends = sizes_of("kernel_size", kernel_size, rank), sizes_of("padding", padding, rank, 0)
    step = kernel if stride is None else sizes_of("stride", stride, rank)
    return max_unpooled(name, rank, x, indices, kernel, step, ends, output_size)


def max_unpooled(
    what: str, rank: int, x: Any, indices: Any, kernel: Sizes, stride: Sizes, padding: Sizes,
    output_size: Any,
) -> Any:  # fmt: skip
    """Zeros, with the elements of `x` at the places `indices` in the order of the spatial axes."""
    x, places = require_tensors(what, x, indices)
    require_integers(places, f"the indices of {what}")
    if x.ndim not in (rank + 1, rank + 2):
        raise fail("E0401", f"{what} takes {rank + 1} or {rank + 2} axes, got {type_of(x)}")
    require_shape(tuple(places.shape), tuple(x.shape), f"the indices of {what}")
    front = tuple(x.shape[: x.ndim - rank])
    new = _sizes(what, tuple(x.shape[x.ndim - rank :]), kernel, stride, padding, output_size)
    line, flat = zeros((*front, math.prod(new)), x.dtype), (*front, -1)
    found = p.scatter_elements(
        line, p.reshape(places, shape=flat), p.reshape(x, shape=flat), axis=-1, reduce="none"
    )
    return p.reshape(found, shape=(*front, *new))


def _sizes(
    what: str, old: tuple[Any, ...], kernel: Sizes, stride: Sizes, padding: Sizes, output_size: Any
) -> Sizes:
    """The spatial sizes of the result: the least that the pool may have had, or `output_size`."""
    settings = zip(old, stride, padding, kernel, strict=True)
    least = tuple(
        (static_size(size, f"a size that {what} undoes") - 1) * step - 2 * ends + reach
        for size, step, ends, reach in settings
    )
    if output_size is None:
        return least
    given = output_size if isinstance(output_size, (tuple, list)) else (output_size,)
    wanted = sizes_of("output_size", tuple(given)[-len(old) :], len(old))
    for size, usual, step in zip(wanted, least, stride, strict=True):
        if abs(size - usual) >= step:
            raise fail("E0404", f"output_size of {what} is near {least}, got {output_size}")
    return wanted
