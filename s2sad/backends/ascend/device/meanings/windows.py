"""Where do the windows of a convolution or a pooling lie in an image?

A window is taken apart into its taps: for each, what the image has there for all windows at once.
Images are brought into the order NCHW first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from s2sad.backends.ascend.device.meanings.base import only, option
from s2sad.backends.ascend.graph import Node
from s2sad.core.diagnostics import fail

ORDER = "NCHW"


def reordered(array: np.ndarray, source: str, target: str) -> np.ndarray:
    """An array whose axes are `source`, with those of `target`.

    Examples
    --------
    >>> reordered(np.zeros((2, 5, 6, 3)), "NHWC", "NCHW").shape
    (2, 3, 5, 6)
    """
    return np.transpose(array, [source.index(axis) for axis in target])


def layout_of(node: Node, port: str) -> str:
    """What the axes of an input or output mean; ND means what ``data_format`` says."""
    for desc in (*node.input_descs, *node.output_descs):
        if desc.name == port and sorted(desc.layout) == sorted(ORDER):
            return desc.layout
    return option(node, "data_format")


def sizes(node: Node, name: str) -> tuple[int, int]:
    """The numbers for H and W of an attribute with one number for each axis of the data."""
    numbers, layout = option(node, name), option(node, "data_format")
    return numbers[layout.index("H")], numbers[layout.index("W")]


class Windows(NamedTuple):
    """Windows over H and W.

    Attributes
    ----------
    kernel, stride, dilation : (int, int)
    pads : (int, int, int, int)
        Above, below, left and right.
    image : (int, int)
        Without the padding.
    """

    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    pads: tuple[int, int, int, int]
    image: tuple[int, int]

    @property
    def count(self) -> tuple[int, int]:
        """How many windows there are."""
        h, w = (
            (n + low + high - d * (k - 1) - 1) // s + 1
            for n, k, s, d, (low, high) in zip(
                self.image, self.kernel, self.stride, self.dilation, self._pairs(), strict=True
            )
        )
        return h, w

    def _pairs(self) -> tuple[tuple[int, int], tuple[int, int]]:
        return self.pads[:2], self.pads[2:]

    def padded(self, x: np.ndarray, value: float) -> np.ndarray:
        """The image `x` (N, C, H, W) with its padding."""
        amounts = np.array([(0, 0), (0, 0), *self._pairs()])
        return np.pad(x, amounts, constant_values=value)

    def cut(self, x: np.ndarray) -> np.ndarray:
        """The image in the padded `x`."""
        (top, _), (left, _) = self._pairs()
        return x[..., top : top + self.image[0], left : left + self.image[1]]

    def taps(self) -> Iterator[tuple[int, int, tuple]]:
        """Row and column of each tap, and what all windows have there of a padded image."""
        ends = self.count
        for row in range(self.kernel[0]):
            for column in range(self.kernel[1]):
                parts = (
                    slice(place * d, place * d + (n - 1) * s + 1, s)
                    for place, d, n, s in zip(
                        (row, column), self.dilation, ends, self.stride, strict=True
                    )
                )
                yield row, column, (..., *parts)


def conv_windows(node: Node, image: tuple[int, ...], kernel: tuple[int, ...]) -> Windows:
    """The windows of a convolution over an image (N, C, H, W) with filters (O, I, H, W)."""
    return Windows(
        (kernel[2], kernel[3]), sizes(node, "strides"), sizes(node, "dilations"),
        tuple(option(node, "pads")), (image[2], image[3]),
    )  # fmt: skip


def pool_windows(node: Node, image: tuple[int, ...]) -> Windows:
    """The windows of a pooling over an image (N, C, H, W)."""
    only(node, ceil_mode=False)
    size = (image[2], image[3])
    if option(node, "global_pooling"):
        return Windows(size, size, (1, 1), (0, 0, 0, 0), size)
    kernel, stride = sizes(node, "ksize"), sizes(node, "strides")
    return Windows(kernel, stride, (1, 1), _pool_pads(node, size, kernel, stride), size)


def _pool_pads(
    node: Node, image: tuple[int, int], kernel: tuple[int, int], stride: tuple[int, int]
) -> tuple[int, int, int, int]:
    mode = option(node, "padding_mode")
    if mode == "CALCULATED":
        return tuple(option(node, "pads"))
    if mode == "VALID":
        return (0, 0, 0, 0)
    if mode != "SAME":
        raise fail("E0712", f"{node.type} has no padding_mode {mode!r}")
    pads: list[int] = []
    for n, k, s in zip(image, kernel, stride, strict=True):
        total = max((-(-n // s) - 1) * s + k - n, 0)
        pads += [total // 2, total - total // 2]
    return (pads[0], pads[1], pads[2], pads[3])
