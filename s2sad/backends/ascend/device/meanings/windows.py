"""Where do the windows of a convolution or a pooling lie in an image, of two axes or of three?

A window is taken apart into its taps: for each, what the image has there for all windows at once.
Images are brought into the order NCHW first, volumes into NCDHW.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from s2sad.backends.ascend.device.meanings.base import option
from s2sad.backends.ascend.graph import Node
from s2sad.core.diagnostics import fail

#: The order in which meanings see axes, by how many there are.
ORDERS = {4: "NCHW", 5: "NCDHW"}


def order_of(layout: str) -> str:
    """The order that the axes of `layout` are brought into.

    Examples
    --------
    >>> order_of("NDHWC")
    'NCDHW'
    """
    return ORDERS[len(layout)]


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
    layout = option(node, "data_format")
    for desc in (*node.input_descs, *node.output_descs):
        if desc.name == port and sorted(desc.layout) == sorted(layout):
            return desc.layout
    return layout


def sizes(node: Node, name: str) -> tuple[int, ...]:
    """The numbers for H and W, or D, H and W, of an attribute.

    It has one for each axis of the data, or of the image only.
    """
    numbers, layout = option(node, name), option(node, "data_format")
    spatial = order_of(layout)[2:]
    if len(numbers) == len(spatial):
        return tuple(numbers)
    if len(numbers) != len(layout):
        raise fail("E0712", f"{name} of {node.type} with {len(numbers)} numbers is not simulated")
    return tuple(numbers[layout.index(axis)] for axis in spatial)


class Windows(NamedTuple):
    """Windows over the axes of an image.

    Attributes
    ----------
    kernel, stride, dilation : tuple of int
    pads : tuple of (int, int)
        Before and behind each axis.
    image : tuple of int
        Without the padding.
    """

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    image: tuple[int, ...]

    @property
    def count(self) -> tuple[int, ...]:
        """How many windows there are."""
        axes = zip(self.image, self.kernel, self.stride, self.dilation, self.pads, strict=True)
        return tuple((n + low + high - d * (k - 1) - 1) // s + 1
                     for n, k, s, d, (low, high) in axes)  # fmt: skip

    def padded(self, x: np.ndarray, value: float) -> np.ndarray:
        """The image `x` (N, C, ...) with its padding."""
        return np.pad(x, np.array([(0, 0), (0, 0), *self.pads]), constant_values=value)

    def cut(self, x: np.ndarray) -> np.ndarray:
        """The image in the padded `x`."""
        axes = zip(self.pads, self.image, strict=True)
        return x[(..., *(slice(low, low + n) for (low, _), n in axes))]

    def taps(self) -> Iterator[tuple[tuple[int, ...], tuple]]:
        """Each tap's place in the window, and what all windows have there of a padded image."""
        for place in np.ndindex(*self.kernel):
            axes = zip(place, self.dilation, self.count, self.stride, strict=True)
            parts = (slice(at * d, at * d + (n - 1) * s + 1, s) for at, d, n, s in axes)
            yield place, (..., *parts)


def pairs(numbers: list[int]) -> tuple[tuple[int, int], ...]:
    """Numbers before and behind each axis, two by two.

    Examples
    --------
    >>> pairs([1, 2, 0, 3])
    ((1, 2), (0, 3))
    """
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def conv_windows(node: Node, image: tuple[int, ...], kernel: tuple[int, ...]) -> Windows:
    """The windows of a convolution over an image (N, C, ...) with filters (O, I, ...)."""
    return Windows(
        kernel[2:], sizes(node, "strides"), sizes(node, "dilations"),
        pairs(option(node, "pads")), image[2:],
    )  # fmt: skip
