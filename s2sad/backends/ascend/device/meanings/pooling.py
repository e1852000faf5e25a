"""Pooling over two axes and three and its gradients, tap by tap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad.backends.ascend.device.meanings.base import Arrays, ints, means, only, option
from s2sad.backends.ascend.device.meanings.windows import (
    Windows,
    order_of,
    pairs,
    reordered,
    sizes,
)
from s2sad.backends.ascend.graph import Node
from s2sad.backends.ascend.prototypes import prototype
from s2sad.core.diagnostics import fail


def _option(node: Node, name: str, default: Any) -> Any:
    """The value of an attribute, which not every operator of pooling has."""
    return option(node, name) if name in prototype(node.type).attributes else default


def _windows(node: Node, image: tuple[int, ...]) -> Windows:
    """The windows over an image (N, C, ...)."""
    if _option(node, "ceil_mode", False):
        only(node, ceil_mode=False)
    image = image[2:]
    ones = (1,) * len(image)
    if _option(node, "global_pooling", False):
        return Windows(image, image, ones, ((0, 0),) * len(image), image)
    kernel, stride = sizes(node, "ksize"), sizes(node, "strides")
    dilation = sizes(node, "dilation") if _option(node, "dilation", None) else ones
    return Windows(kernel, stride, dilation, _pads(node, image, kernel, stride), image)


def _pads(
    node: Node, image: tuple[int, ...], kernel: tuple[int, ...], stride: tuple[int, ...]
) -> tuple[tuple[int, int], ...]:
    mode = _option(node, "padding_mode", _option(node, "padding", "CALCULATED"))
    if mode == "CALCULATED":
        numbers = list(option(node, "pads"))
        is_even = len(numbers) == len(image)  # one number for both sides
        return tuple((n, n) for n in numbers) if is_even else pairs(numbers)
    if mode == "VALID":
        return ((0, 0),) * len(image)
    if mode != "SAME":
        raise fail("E0712", f"{node.type} has no padding_mode {mode!r}")
    totals = [max((-(-n // s) - 1) * s + k - n, 0)
              for n, k, s in zip(image, kernel, stride, strict=True)]  # fmt: skip
    return tuple((total // 2, total - total // 2) for total in totals)


def _image(node: Node, x: np.ndarray) -> np.ndarray:
    layout = option(node, "data_format")
    return reordered(x, layout, order_of(layout))


def _result(node: Node, y: np.ndarray) -> np.ndarray:
    layout = option(node, "data_format")
    return reordered(y, order_of(layout), layout)


def _given(node: Node, given: Arrays) -> list[np.ndarray]:
    """The inputs in the order of the prototype: operators of two axes and three name them apart."""
    return [given[port.name] for port in prototype(node.type).inputs]


@means("MaxPoolV3", "MaxPool3D")
def _max_pool(node: Node, given: Arrays) -> np.ndarray:
    x = _image(node, given["x"])
    windows = _windows(node, x.shape)
    wide = windows.padded(x, -np.inf)
    y = np.full((*x.shape[:2], *windows.count), -np.inf, x.dtype)
    for _, part in windows.taps():
        y = np.maximum(y, wide[part])
    return _result(node, y)


@means("MaxPoolWithArgmaxV3", "MaxPool3DWithArgmaxV2")
def _max_pool_with_places(node: Node, given: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """The first of the largest elements of a window, or its first NaN, and its place in the image.

    Places count the elements without the padding, of which none is ever the largest.
    """
    x = _image(node, given["x"])
    windows = _windows(node, x.shape)
    numbers = np.arange(math.prod(windows.image)).reshape(1, 1, *windows.image)
    wide, where = windows.padded(x, -np.inf), windows.padded(numbers, -1)
    y = np.full((*x.shape[:2], *windows.count), -np.inf, x.dtype)
    places = np.full(y.shape, -1)
    for _, part in windows.taps():
        value, place = wide[part], where[part]
        is_more = (value > y) | (np.isnan(value) & ~np.isnan(y)) | (places < 0)
        is_it = is_more & (place >= 0)
        y, places = np.where(is_it, value, y), np.where(is_it, place, places)
    return _result(node, y), _result(node, places)


@means("MaxPoolV3Grad", "MaxPool3DGrad")
def _max_pool_grad(node: Node, given: Arrays) -> np.ndarray:
    """The first of the largest elements of a window gets its cotangent."""
    x, y, dy = (_image(node, array) for array in _given(node, given))
    windows = _windows(node, x.shape)
    wide, made = windows.padded(x, -np.inf), windows.padded(np.zeros_like(x), 0)
    is_left = np.ones(y.shape, bool)
    for _, part in windows.taps():
        is_it = is_left & ((wide[part] == y) | (np.isnan(wide[part]) & np.isnan(y)))
        made[part] += np.where(is_it, dy, 0)
        is_left &= ~is_it
    return _result(node, windows.cut(made))


def _divisors(node: Node, windows: Windows) -> np.ndarray | int:
    """What the sum of each window is divided by."""
    divisor = _option(node, "divisor_override", 0)
    if divisor:
        return divisor
    if not _option(node, "exclusive", not _option(node, "count_include_pad", True)):
        return math.prod(windows.kernel)
    inside = windows.padded(np.ones((1, 1, *windows.image), np.float32), 0)
    return sum(inside[part] for _, part in windows.taps())


@means("AvgPoolV2", "AvgPool3D")
def _avg_pool(node: Node, given: Arrays) -> np.ndarray:
    x = _image(node, given["x"])
    windows = _windows(node, x.shape)
    wide = windows.padded(x, 0)
    total = np.zeros((*x.shape[:2], *windows.count), x.dtype)
    for _, part in windows.taps():
        total += wide[part]
    return _result(node, total / _divisors(node, windows))


@means("AvgPoolV2Grad", "AvgPool3DGrad")
def _avg_pool_grad(node: Node, given: Arrays) -> np.ndarray:
    size, dy = _given(node, given)
    dy = _image(node, dy)
    layout, numbers = option(node, "data_format"), ints(size)
    shape = tuple(numbers[layout.index(axis)] for axis in order_of(layout))
    windows = _windows(node, shape)
    share = dy / _divisors(node, windows)
    made = windows.padded(np.zeros(shape, dy.dtype), 0)
    for _, part in windows.taps():
        made[part] += share
    return _result(node, windows.cut(made))
