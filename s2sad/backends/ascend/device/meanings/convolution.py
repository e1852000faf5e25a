"""Convolutions and their gradients, tap by tap, sums in float32."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from s2sad.backends.ascend.device.meanings.base import Arrays, ints, means, option
from s2sad.backends.ascend.device.meanings.windows import (
    ORDER,
    conv_windows,
    layout_of,
    reordered,
)
from s2sad.backends.ascend.graph import Node
from s2sad.core.diagnostics import fail


def _image(node: Node, given: Arrays, port: str) -> np.ndarray:
    return reordered(given[port], layout_of(node, port), ORDER)


def _shape(node: Node, sizes: np.ndarray, port: str) -> tuple[int, ...]:
    """A shape that an input says in the layout of `port`, as NCHW."""
    layout, numbers = layout_of(node, port), ints(sizes)
    return tuple(numbers[layout.index(axis)] for axis in ORDER)


def _result(node: Node, y: np.ndarray) -> np.ndarray:
    return reordered(y, ORDER, layout_of(node, "y"))


def _groups(node: Node, *sides: tuple[np.ndarray, int]) -> Iterator[list[np.ndarray]]:
    """Views of each group: of every array, its part along the axis that is given with it."""
    count = option(node, "groups")
    for array, axis in sides:
        if array.shape[axis] % count:
            raise fail("E0401", f"{array.shape[axis]} channels do not make {count} groups")
    parts = [np.split(array, count, axis) for array, axis in sides]
    return (list(each) for each in zip(*parts, strict=True))


@means("Conv2D")
def _conv(node: Node, given: Arrays) -> np.ndarray:
    x, filters = _image(node, given, "x"), _image(node, given, "filter")
    windows = conv_windows(node, x.shape, filters.shape)
    y = np.zeros((len(x), len(filters), *windows.count), x.dtype)
    groups = _groups(node, (windows.padded(x, 0), 1), (filters, 0), (y, 1))
    for image, kernel, made in groups:
        for row, column, part in windows.taps():
            made += np.einsum("nihw,oi->nohw", image[part], kernel[..., row, column], optimize=True)
    if "bias" in given:
        y += given["bias"].reshape(1, -1, 1, 1)
    return _result(node, y)


@means("Conv2DBackpropInput")
def _input_grad(node: Node, given: Arrays) -> np.ndarray:
    filters, dy = _image(node, given, "filter"), _image(node, given, "out_backprop")
    shape = _shape(node, given["input_size"], "y")
    windows = conv_windows(node, shape, filters.shape)
    wide = windows.padded(np.zeros(shape, dy.dtype), 0)
    for kernel, cotangent, made in _groups(node, (filters, 0), (dy, 1), (wide, 1)):
        for row, column, part in windows.taps():
            made[part] += np.einsum(
                "nohw,oi->nihw", cotangent, kernel[..., row, column], optimize=True
            )
    return _result(node, windows.cut(wide))


@means("Conv2DBackpropFilter")
def _filter_grad(node: Node, given: Arrays) -> np.ndarray:
    x, dy = _image(node, given, "x"), _image(node, given, "out_backprop")
    shape = _shape(node, given["filter_size"], "y")
    windows = conv_windows(node, x.shape, shape)
    filters = np.zeros(shape, dy.dtype)
    groups = _groups(node, (windows.padded(x, 0), 1), (dy, 1), (filters, 0))
    for image, cotangent, made in groups:
        for row, column, part in windows.taps():
            made[..., row, column] = np.tensordot(cotangent, image[part], ((0, 2, 3), (0, 2, 3)))
    return _result(node, filters)
