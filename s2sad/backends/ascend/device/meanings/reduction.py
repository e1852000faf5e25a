"""Reductions, scans and orders along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.backends.ascend.device.meanings.base import Arrays, ints, means, option
from s2sad.backends.ascend.graph import Node

REDUCTIONS: dict[str, Callable[..., Any]] = {
    "ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMin": np.min, "ReduceProd": np.prod,
    "ReduceMean": np.mean, "ReduceAll": np.all, "ReduceAny": np.any,
}  # fmt: skip


@means(*REDUCTIONS)
def _reduce(node: Node, given: Arrays) -> np.ndarray:
    """Without axes nothing is reduced."""
    x = given["x"]
    return REDUCTIONS[node.type](x, ints(given["axes"]), keepdims=option(node, "keep_dims"))


@means("ArgMaxV2", "ArgMin")
def _place(node: Node, given: Arrays) -> np.ndarray:
    """The first of them."""
    (axis,) = ints(given["dimension"])
    return (np.argmax if node.type == "ArgMaxV2" else np.argmin)(given["x"], axis)


@means("Cumsum", "Cumprod")
def _scan(node: Node, given: Arrays) -> np.ndarray:
    """Exclusive: of the elements before each, with 0 or 1 for none."""
    x = given["x"]
    (axis,) = ints(given["axis"])
    x = np.flip(x, axis) if option(node, "reverse") else x
    first, scan = (0, np.cumsum) if node.type == "Cumsum" else (1, np.cumprod)
    if option(node, "exclusive"):
        head = np.full_like(np.take(x, [0], axis), first) if x.shape[axis] else x
        x = np.concatenate([head, np.delete(x, -1, axis)], axis) if x.shape[axis] else x
    y = scan(x, axis)
    return np.flip(y, axis) if option(node, "reverse") else y


@means("Cummax", "Cummin")
def _extreme(node: Node, given: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """The extreme so far, and the last place where it stood."""
    x = given["x"]
    axis = option(node, "dim" if node.type == "Cummax" else "axis") % x.ndim
    function = np.maximum if node.type == "Cummax" else np.minimum
    values = function.accumulate(x, axis)
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    here = np.arange(x.shape[axis]).reshape(shape)
    is_new = (x == values) | (np.isnan(x) if x.dtype.kind == "f" else False)
    return values, np.maximum.accumulate(np.where(is_new, here, 0), axis)


def ordered(x: np.ndarray, axis: int, is_descending: bool) -> np.ndarray:
    """Places of the elements in order; equal ones stay as they are, NaN counts as the largest.

    Examples
    --------
    >>> ordered(np.array([1.0, np.nan, 2.0, 1.0]), 0, True)
    array([1, 2, 0, 3])
    """
    if not is_descending:
        return np.argsort(x, axis, kind="stable")
    last = x.shape[axis] - 1
    return last - np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)


@means("Sort")
def _sort(node: Node, given: Arrays) -> tuple[np.ndarray, np.ndarray]:
    x, axis = given["x"], option(node, "axis")
    places = ordered(x, axis, option(node, "descending"))
    return np.take_along_axis(x, places, axis), places


@means("TopKV2")
def _top_k(node: Node, given: Arrays) -> tuple[np.ndarray, np.ndarray]:
    x, axis = given["x"], option(node, "dim")
    (k,) = ints(given["k"])
    places = np.take(ordered(x, axis, option(node, "largest")), range(k), axis)
    return np.take_along_axis(x, places, axis), places
