"""Convolutions of two axes and three and their gradients, tap by tap, sums in float32."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from s2sad.backends.ascend.device.meanings.base import Arrays, ints, means, option
from s2sad.backends.ascend.device.meanings.windows import (
    conv_windows,
    layout_of,
    order_of,
    reordered,
)
from s2sad.backends.ascend.graph import Node
from s2sad.core.diagnostics import fail


def _image(node: Node, given: Arrays, port: str) -> np.ndarray:
    layout = layout_of(node, port)
    return reordered(given[port], layout, order_of(layout))


def _shape(node: Node, sizes: np.ndarray, port: str) -> tuple[int, ...]:
    """A shape that an input says in the layout of `port`, in the order of meanings."""
    layout, numbers = layout_of(node, port), ints(sizes)
    return tuple(numbers[layout.index(axis)] for axis in order_of(layout))


def _result(node: Node, y: np.ndarray) -> np.ndarray:
    layout = layout_of(node, "y")
    return reordered(y, order_of(layout), layout)


def _groups(node: Node, *sides: tuple[np.ndarray, int]) -> Iterator[list[np.ndarray]]:
    """Views of each group: of every array, its part along the axis that is given with it."""
    count = option(node, "groups")
    for array, axis in sides:
        if array.shape[axis] % count:
            raise fail("E0401", f"{array.shape[axis]} channels do not make {count} groups")
    parts = [np.split(array, count, axis) for array, axis in sides]
    return (list(each) for each in zip(*parts, strict=True))


@means("Conv2D", "Conv3D")
def _conv(node: Node, given: Arrays) -> np.ndarray:
    x, filters = _image(node, given, "x"), _image(node, given, "filter")
    windows = conv_windows(node, x.shape, filters.shape)
    y = np.zeros((len(x), len(filters), *windows.count), x.dtype)
    groups = _groups(node, (windows.padded(x, 0), 1), (filters, 0), (y, 1))
    for image, kernel, made in groups:
        for place, part in windows.taps():
            filter = kernel[(..., *place)]
            made += np.einsum("ni...,oi->no...", image[part], filter, optimize=True)
    if "bias" in given:
        y += given["bias"].reshape(-1, *[1] * len(windows.image))
    return _result(node, y)


@means("Conv2DBackpropInput", "Conv3DBackpropInput")
def _input_grad(node: Node, given: Arrays) -> np.ndarray:
    filters, dy = _image(node, given, "filter"), _image(node, given, "out_backprop")
    shape = _shape(node, given["input_size"], "y")
    windows = conv_windows(node, shape, filters.shape)
    wide = windows.padded(np.zeros(shape, dy.dtype), 0)
    for kernel, cotangent, made in _groups(node, (filters, 0), (dy, 1), (wide, 1)):
        for place, part in windows.taps():
            filter = kernel[(..., *place)]
            made[part] += np.einsum("no...,oi->ni...", cotangent, filter, optimize=True)
    return _result(node, windows.cut(wide))


@means("Conv2DBackpropFilter", "Conv3DBackpropFilter")
def _filter_grad(node: Node, given: Arrays) -> np.ndarray:
    x, dy = _image(node, given, "x"), _image(node, given, "out_backprop")
    shape = _shape(node, given["filter_size"], "y")
    windows = conv_windows(node, x.shape, shape)
    filters, axes = np.zeros(shape, dy.dtype), (0, *range(2, len(shape)))
    groups = _groups(node, (windows.padded(x, 0), 1), (dy, 1), (filters, 0))
    for image, cotangent, made in groups:
        for place, part in windows.taps():
            made[(..., *place)] = np.tensordot(cotangent, image[part], (axes, axes))
    return _result(node, filters)
