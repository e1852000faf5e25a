"""How does a picture fall into patches, and what do patches add up to?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.ops.creation import zeros
from s2sad.ops.promotion import constant, require_tensor, type_of
from s2sad.ops.spatial import pairs_of, sizes_of
from s2sad.prims.arrange import static_size


def unfold(
    input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """The patches under a window that slides over pictures, as columns.

    Parameters
    ----------
    input : Tensor, shape (N, C, H, W)
    kernel_size, dilation, stride : int, or tuple of two ints
        Size of the window, distance of its elements, and how far it goes at a time.
    padding : int, or tuple of two or four ints
        Zeros around: of both axes, of each, or before and behind of each.

    Returns
    -------
    Tensor, shape (N, C * kernel height * kernel width, number of windows)
        Windows row by row.

    Raises
    ------
    S2sadError
        E0303 and E0404 for a setting that cannot be, E0304 for what is no Tensor, E0401 for other
        axes, or a window that does not fit, E0402 for axes of a size that is not known.

    Examples
    --------
    >>> import s2sad as ms
    >>> unfold(ms.Tensor([[[[1.0, 2.0, 3.0]]]]), (1, 2)).asnumpy()
    array([[[1., 2.],
            [2., 3.]]], dtype=float32)
    """
    x = require_tensor(input, "unfold")
    if x.ndim != 4:
        raise fail("E0401", f"unfold takes (N, C, H, W), got {type_of(x)}")
    size = tuple(static_size(axis, "the size of a picture") for axis in x.shape[2:])
    rows, columns = _places("unfold", size, kernel_size, dilation, padding, stride)
    (above, below), (left, right) = pairs_of(padding, 2)
    x = p.pad(x, 0, low=(0, 0, above, left), high=(0, 0, below, right))
    lines = p.gather(x, constant(rows, dtypes.int64), axis=2)
    patches = p.gather(lines, constant(columns, dtypes.int64), axis=4)
    ordered = p.transpose(patches, perm=(0, 1, 2, 4, 3, 5))
    shape = (x.shape[0], x.shape[1] * len(rows) * len(columns), rows[0].size * columns[0].size)
    return p.reshape(ordered, shape=shape)


def fold(
    input: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """Pictures in which patches lie where `unfold` takes them from; where they meet they add up.

    Parameters
    ----------
    input : Tensor of numbers, shape (N, C * kernel height * kernel width, number of windows)
    output_size : int, tuple of two ints, or Tensor of them
        Height and width of the pictures.
    kernel_size, dilation, padding, stride
        As of `unfold`.

    Returns
    -------
    Tensor, shape (N, C, height, width)

    Raises
    ------
    S2sadError
        Those of `unfold`; E0304 in compiled code for an `output_size` that is data.

    Examples
    --------
    >>> import s2sad as ms
    >>> fold(ms.ops.ones((1, 2, 2)), (1, 3), (1, 2)).asnumpy()
    array([[[[1., 2., 1.]]]], dtype=float32)
    """
    x = require_tensor(input, "fold")
    if isinstance(output_size, Tensor):
        output_size = tuple(output_size.asnumpy().tolist())
    size = sizes_of("output_size", output_size, 2)
    rows, columns = _places("fold", size, kernel_size, dilation, padding, stride)
    (above, below), (left, right) = pairs_of(padding, 2)
    height, width = size[0] + above + below, size[1] + left + right
    windows, elements = rows[0].size * columns[0].size, len(rows) * len(columns)
    if x.ndim != 3 or x.shape[2] != windows or x.shape[1] % elements:
        raise fail(
            "E0401", f"fold takes (N, C * {elements}, {windows}) for these windows, "
            f"got {type_of(x)}",
        )  # fmt: skip
    batch, channels = x.shape[0], x.shape[1] // elements
    places = rows[:, None, :, None] * width + columns[None, :, None, :]
    flat = p.reshape(x, shape=(batch, channels, elements * windows))
    whole = zeros((batch, channels, height * width), x.dtype)
    whole = p.index_add(whole, constant(places.reshape(-1), dtypes.int64), flat, axis=2)
    picture = p.reshape(whole, shape=(batch, channels, height, width))
    stop = (batch, channels, above + size[0], left + size[1])
    return p.slice(picture, start=(0, 0, above, left), stop=stop)


def _places(
    name: str, size: tuple[int, ...], kernel: Any, dilation: Any, padding: Any, stride: Any
) -> list[np.ndarray]:
    """For each axis, indices into it when padded: (elements of the window, windows)."""
    kernel, gap = sizes_of("kernel_size", kernel, 2), sizes_of("dilation", dilation, 2)
    step, found = sizes_of("stride", stride, 2), []
    for axis, pair in enumerate(pairs_of(padding, 2)):
        reach = gap[axis] * (kernel[axis] - 1) + 1
        room = size[axis] + sum(pair) - reach
        if room < 0:
            raise fail(
                "E0401", f"a window of {name} that reaches over {reach} elements does not fit into "
                f"{size[axis]}, padded by {pair}",
            )  # fmt: skip
        within = np.arange(kernel[axis]) * gap[axis]
        found.append(within[:, None] + np.arange(room // step[axis] + 1) * step[axis])
    return found
