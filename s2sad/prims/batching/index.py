"""How do reads and writes by index map?

Where every row has indices of its own, the number of the row becomes an index beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ir.dims import Dim
from s2sad.ir.graph import Value
from s2sad.ir.types import i64
from s2sad.prims.arrange import expand_dims
from s2sad.prims.batching.places import all_leading, leading, move_axis
from s2sad.prims.cast import cast
from s2sad.prims.constant import const
from s2sad.prims.dynamic import dynamic_slice, update, update_add
from s2sad.prims.index import gather, gather_nd, index_add, index_update, scatter_nd
from s2sad.prims.shape import broadcast_to, concat, iota, transpose
from s2sad.prims.sort import searchsorted


def _with_rows(indices: Value, size: Dim) -> Value:
    """Indices of shape (size, ..., k) with the number of the row before each k."""
    *shape, _ = indices.shape
    rows = iota(dtype=i64.dtype, shape=(size, *(1,) * len(shape)), axis=0)
    wide = broadcast_to(rows, shape=(*shape, 1))
    return concat(wide, cast(indices, dtype=i64.dtype), axis=len(shape))


def _together(x: Value, axis: int, count: int, target: int) -> Value:
    """`x` with `count` neighbouring axes, of which `axis` is the first, moved to `target`."""
    moved = list(range(axis, axis + count))
    others = [i for i in range(x.ndim) if i not in moved]
    perm = (*others[:target], *moved, *others[target:])
    return transpose(x, perm=perm) if perm != tuple(range(x.ndim)) else x


@gather.batch
def gather_batch(x, indices, *, mapped, size, axis):
    if not mapped[1]:
        return gather(x, indices, axis=axis + 1)
    if not mapped[0]:
        return move_axis(gather(x, indices, axis=axis), axis, 0)
    rows = move_axis(x, axis + 1, 1)
    found = gather_nd(rows, _with_rows(expand_dims(indices, axis=indices.ndim), size))
    return _together(found, 1, indices.ndim - 1, axis + 1)


@gather_nd.batch
def gather_nd_batch(x, indices, *, mapped, size):
    if not mapped[0]:
        return gather_nd(x, indices)
    return gather_nd(x, _with_rows(leading(indices, mapped[1], size), size))


@scatter_nd.batch
def scatter_nd_batch(x, indices, updates, *, mapped, size, reduce):
    x, indices, updates = all_leading([x, indices, updates], mapped, size)
    return scatter_nd(x, _with_rows(indices, size), updates, reduce=reduce)


def _write(prim: Any, reduce: str) -> Callable[..., Any]:
    def rule(x, indices, updates, *, mapped, size, axis):
        x, updates = leading(x, mapped[0], size), leading(updates, mapped[2], size)
        if not mapped[1]:
            return prim(x, indices, updates, axis=axis + 1)
        rows = move_axis(x, axis + 1, 1)
        places = _with_rows(expand_dims(indices, axis=indices.ndim), size)
        written = _together(updates, axis + 1, indices.ndim - 1, 1)
        return move_axis(scatter_nd(rows, places, written, reduce=reduce), 1, axis + 1)

    return rule


index_add.batch(_write(index_add, "add"))
index_update.batch(_write(index_update, "none"))


@searchsorted.batch
def searchsorted_batch(ordered, values, *, mapped, size, right):
    if not mapped[0] and ordered.ndim == 1:
        return searchsorted(ordered, values, right=right)
    if ordered.ndim - mapped[0] == 1 and values.ndim - mapped[1] != 1:
        return None
    ordered, values = all_leading([ordered, values], mapped, size)
    return searchsorted(ordered, values, right=right)


# Windows at a place that is known at run time


@dynamic_slice.batch
def dynamic_slice_batch(x, *starts, mapped, size, sizes):
    if any(mapped[1:]):
        return None
    return dynamic_slice(x, const(0, i64), *starts, sizes=(size, *sizes))


def _write_window(prim: Any) -> Callable[..., Any]:
    def rule(x, value, *starts, mapped, size):
        if any(mapped[2:]):
            return None
        x, value = all_leading([x, value], mapped[:2], size)
        return prim(x, value, const(0, i64), *starts)

    return rule


update.batch(_write_window(update))
update_add.batch(_write_window(update_add))
