"""Reading and writing at places that are data; a place that is not there is an error."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.backends.ascend.device.meanings.base import Arrays, ints, means, only, option
from s2sad.backends.ascend.graph import Node
from s2sad.core.diagnostics import fail


def in_range(places: np.ndarray, size: int, is_from_end: bool) -> np.ndarray:
    """`places` into an axis of `size`; E0501 for one that is not there.

    Parameters
    ----------
    is_from_end : bool
        Whether a negative one counts from the end.

    Examples
    --------
    >>> in_range(np.array([0, -1]), 3, True)
    array([0, 2])
    """
    low = -size if is_from_end else 0
    wrong = (places < low) | (places >= size)
    if np.any(wrong):
        found = int(places[wrong][0]) if np.ndim(places) else int(places)
        raise fail("E0501", f"there is no place {found} in an axis of {size}")
    return np.where(places < 0, places + size, places)


def _points(node: Node, shape: tuple[int, ...], indices: np.ndarray, from_end: bool) -> tuple:
    """What to index an array of `shape` with, for rows of places in its first axes."""
    count = indices.shape[-1]
    return tuple(in_range(indices[..., i], shape[i], from_end) for i in range(count))


@means("GatherV2")
def _gather(node: Node, given: Arrays) -> np.ndarray:
    only(node, batch_dims=0)
    x = given["x"]
    (axis,) = ints(given["axis"])
    from_end = option(node, "negative_index_support")
    return np.take(x, in_range(given["indices"], x.shape[axis], from_end), axis)


@means("GatherNd")
def _gather_nd(node: Node, given: Arrays) -> np.ndarray:
    x = given["x"]
    return x[_points(node, x.shape, given["indices"], option(node, "negative_index_support"))]


@means("GatherElements")
def _gather_elements(node: Node, given: Arrays) -> np.ndarray:
    x, axis = given["x"], option(node, "dim")
    return x[_grid(given["index"], x.shape, axis)]


def _grid(places: np.ndarray, shape: tuple[int, ...], axis: int) -> tuple[Any, ...]:
    """What to index with for an element at each of `places` along `axis`."""
    along = in_range(places, shape[axis], False)
    return tuple(along if i == axis else grid for i, grid in enumerate(np.indices(places.shape)))


@means("TensorScatterUpdate", "TensorScatterAdd")
def _scatter(node: Node, given: Arrays) -> np.ndarray:
    """In order: of several updates to one place the last stays, or all are added."""
    y = np.array(given["x"])
    points = _points(node, y.shape, given["indices"], False)
    if node.type == "TensorScatterUpdate":
        y[points] = given["updates"]
    else:
        np.add.at(y, points, given["updates"])
    return y


@means("ScatterNd")
def _scatter_new(node: Node, given: Arrays) -> np.ndarray:
    """Into zeros; several updates to one place are added."""
    updates = given["x"]
    y = np.zeros(ints(given["shape"]), updates.dtype)
    np.add.at(y, _points(node, y.shape, given["indices"], False), updates)
    return y


@means("SearchSorted")
def _search(node: Node, given: Arrays) -> np.ndarray:
    """Row by row of the leading axes, or all in one line."""
    line, values = given["sorted_sequence"], given["values"]
    side = "right" if option(node, "right") else "left"
    if line.ndim == 1:
        return np.searchsorted(line, values, side)
    rows = zip(line.reshape(-1, line.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
    return np.stack([np.searchsorted(a, v, side) for a, v in rows]).reshape(values.shape)


@means("ScatterElements")
def _scatter_elements(node: Node, given: Arrays) -> np.ndarray:
    y, axis = np.array(given["data"]), option(node, "axis")
    points, reduction = _grid(given["indices"], y.shape, axis), option(node, "reduction")
    if reduction == "none":
        y[points] = given["updates"]
    elif reduction == "add":
        np.add.at(y, points, given["updates"])
    else:
        raise fail("E0712", f"the reduction {reduction!r} of {node.type} is not simulated")
    return y


@means("ScatterNdUpdate")
def _scatter_in_place(node: Node, given: Arrays) -> dict[str, np.ndarray]:
    """In order: of several updates to one place the last stays."""
    var = np.array(given["var"])
    var[_points(node, var.shape, given["indices"], False)] = given["updates"]
    return {"var": var}


@means("OneHot")
def _one_hot(node: Node, given: Arrays) -> np.ndarray:
    """A place that is not there makes no element hot; -1 puts the classes last."""
    x, axis = given["x"], option(node, "axis")
    (depth,) = ints(given["depth"])
    axis = x.ndim if axis == -1 else axis
    shape = [depth if i == axis else 1 for i in range(x.ndim + 1)]
    is_on = np.expand_dims(x, axis) == np.arange(depth).reshape(shape)
    return np.where(is_on, given["on_value"], given["off_value"])
