"""Operators that move elements, or make them from sizes."""

from __future__ import annotations

import numpy as np

from s2sad.backends.ascend.device.meanings.base import Arrays, dynamic, ints, means, only, option
from s2sad.backends.ascend.graph import Node

Several = tuple[np.ndarray, ...]


@means("Reshape")
def _reshape(node: Node, given: Arrays) -> np.ndarray:
    """0 keeps a size, one -1 takes what is left."""
    only(node, axis=0, num_axes=-1)
    x = given["x"]
    shape = ints(given["shape"])
    kept = [x.shape[i] if n == 0 and x.size else n for i, n in enumerate(shape)]
    return x.reshape(kept)


@means("Transpose")
def _transpose(node: Node, given: Arrays) -> np.ndarray:
    return np.transpose(given["x"], ints(given["perm"]))


@means("BroadcastTo")
def _broadcast(node: Node, given: Arrays) -> np.ndarray:
    return np.broadcast_to(given["x"], ints(given["shape"]))


@means("ConcatV2")
def _concat(node: Node, given: Arrays) -> np.ndarray:
    return np.concatenate(dynamic(given, "x"), ints(given["concat_dim"])[0])


@means("Pack")
def _pack(node: Node, given: Arrays) -> np.ndarray:
    return np.stack(dynamic(given, "x"), option(node, "axis"))


@means("Split")
def _parts(node: Node, given: Arrays) -> Several:
    axis = ints(given["split_dim"])[0]
    return tuple(np.split(given["x"], option(node, "num_split"), axis))


@means("Unpack")
def _unpack(node: Node, given: Arrays) -> Several:
    return tuple(np.moveaxis(given["x"], option(node, "axis"), 0))


@means("SplitV")
def _split(node: Node, given: Arrays) -> Several:
    ends = np.cumsum(ints(given["size_splits"]))[:-1]
    return tuple(np.split(given["x"], ends, ints(given["split_dim"])[0]))


@means("StridedSlice")
def _strided(node: Node, given: Arrays) -> np.ndarray:
    """An axis whose bit is set in a mask begins, or ends, where the axis does."""
    only(node, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
    rows = zip(*(ints(given[port]) for port in ("begin", "end", "strides")), strict=True)
    begins, ends = option(node, "begin_mask"), option(node, "end_mask")
    parts = [
        slice(None if begins >> i & 1 else begin, None if ends >> i & 1 else end, step)
        for i, (begin, end, step) in enumerate(rows)
    ]
    return given["x"][tuple(parts)]


@means("Slice")
def _slice(node: Node, given: Arrays) -> np.ndarray:
    """A size of -1 is all that is left."""
    pairs = zip(ints(given["offsets"]), ints(given["size"]), strict=True)
    return given["x"][tuple(slice(n, None if m == -1 else n + m) for n, m in pairs)]


@means("PadV3")
def _pad(node: Node, given: Arrays) -> np.ndarray:
    """The amounts before and after each axis; negative ones take away."""
    only(node, mode="constant", paddings_contiguous=True)
    x, value = given["x"], given.get("constant_values", 0)
    amounts = np.reshape(given["paddings"], (-1, 2))
    kept = tuple(
        slice(max(-low, 0), max(n - max(-high, 0), 0))
        for n, (low, high) in zip(x.shape, amounts, strict=True)
    )
    return np.pad(x[kept], np.maximum(amounts, 0), constant_values=value)


@means("ReverseV2")
def _reverse(node: Node, given: Arrays) -> np.ndarray:
    return np.flip(given["x"], ints(given["axis"]))


@means("Tile")
def _tile(node: Node, given: Arrays) -> np.ndarray:
    return np.tile(given["x"], ints(given["multiples"]))


@means("Fill")
def _fill(node: Node, given: Arrays) -> np.ndarray:
    value = np.asarray(given["value"])
    return np.full(ints(given["dims"]), value.reshape(()), value.dtype)


@means("Range")
def _range(node: Node, given: Arrays) -> np.ndarray:
    start, limit, delta = (np.asarray(given[name]).item() for name in ("start", "limit", "delta"))
    return np.arange(start, limit, delta, dtype=given["start"].dtype)


# One rank has what a group of one exchanges


@means("HcomAllReduce", "HcomAllToAll")
def _exchanged(node: Node, given: Arrays) -> np.ndarray:
    return given["x"]


@means("HcomAllGather", "HcomReduceScatter")
def _gather(node: Node, given: Arrays) -> np.ndarray:
    only(node, rank_size=1)
    return given["x"]


@means("HcomBroadcast")
def _broadcast_ranks(node: Node, given: Arrays) -> Several:
    only(node, root_rank=0)
    return tuple(dynamic(given, "x"))
