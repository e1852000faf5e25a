"""Pooling and its gradients, tap by tap."""

from __future__ import annotations

import numpy as np

from s2sad.backends.ascend.device.meanings.base import Arrays, ints, means, option
from s2sad.backends.ascend.device.meanings.windows import (
    ORDER,
    Windows,
    pool_windows,
    reordered,
)
from s2sad.backends.ascend.graph import Node


def _image(node: Node, x: np.ndarray) -> np.ndarray:
    return reordered(x, option(node, "data_format"), ORDER)


def _result(node: Node, y: np.ndarray) -> np.ndarray:
    return reordered(y, ORDER, option(node, "data_format"))


@means("MaxPoolV3")
def _max_pool(node: Node, given: Arrays) -> np.ndarray:
    x = _image(node, given["x"])
    windows = pool_windows(node, x.shape)
    wide = windows.padded(x, -np.inf)
    y = np.full((*x.shape[:2], *windows.count), -np.inf, x.dtype)
    for _, _, part in windows.taps():
        y = np.maximum(y, wide[part])
    return _result(node, y)


@means("MaxPoolV3Grad")
def _max_pool_grad(node: Node, given: Arrays) -> np.ndarray:
    """The first of the largest elements of a window gets its cotangent."""
    x, y, dy = (_image(node, given[port]) for port in ("orig_input", "orig_output", "grad"))
    windows = pool_windows(node, x.shape)
    wide, made = windows.padded(x, -np.inf), windows.padded(np.zeros_like(x), 0)
    is_left = np.ones(y.shape, bool)
    for _, _, part in windows.taps():
        is_it = is_left & ((wide[part] == y) | (np.isnan(wide[part]) & np.isnan(y)))
        made[part] += np.where(is_it, dy, 0)
        is_left &= ~is_it
    return _result(node, windows.cut(made))


def _divisors(node: Node, windows: Windows) -> np.ndarray | int:
    """What the sum of each window is divided by."""
    if node.type == "AvgPoolV2" and option(node, "divisor_override"):
        return option(node, "divisor_override")
    if not option(node, "exclusive"):
        return windows.kernel[0] * windows.kernel[1]
    inside = windows.padded(np.ones((1, 1, *windows.image), np.float32), 0)
    return sum(inside[part] for _, _, part in windows.taps())


@means("AvgPoolV2")
def _avg_pool(node: Node, given: Arrays) -> np.ndarray:
    x = _image(node, given["x"])
    windows = pool_windows(node, x.shape)
    wide = windows.padded(x, 0)
    total = np.zeros((*x.shape[:2], *windows.count), x.dtype)
    for _, _, part in windows.taps():
        total += wide[part]
    return _result(node, total / _divisors(node, windows))


@means("AvgPoolV2Grad")
def _avg_pool_grad(node: Node, given: Arrays) -> np.ndarray:
    dy = _image(node, given["input_grad"])
    layout, numbers = option(node, "data_format"), ints(given["orig_input_shape"])
    shape = tuple(numbers[layout.index(axis)] for axis in ORDER)
    windows = pool_windows(node, shape)
    share = dy / _divisors(node, windows)
    made = windows.padded(np.zeros(shape, dy.dtype), 0)
    for _, _, part in windows.taps():
        made[part] += share
    return _result(node, windows.cut(made))
