"""Reading and writing at indices that are data; a negative index counts from the end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from s2sad.backends.ascend.datatypes import dtype_of
from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import lowers
from s2sad.backends.ascend.lowering.shape import moved, transposed
from s2sad.backends.ascend.prototypes import prototype
from s2sad.core import dtypes
from s2sad.ir.graph import Operation

FROM_END = {"negative_index_support": True}


def _indices(lowering: Lowering, operation: Operation, edge: Edge) -> Edge:
    """Indices in a type that GE's operators take."""
    is_index = lowering.desc(edge).type in ("DT_INT32", "DT_INT64")
    return edge if is_index else lowering.cast(operation, edge, dtypes.int64)


def _from_front(lowering: Lowering, operation: Operation, edge: Edge, size: int) -> Edge:
    """Indices into an axis of `size`, none of them negative."""
    desc = lowering.desc(edge)
    number = lowering.constant(size, dtype_of(desc.type))
    given = {"x1": edge, "x2": number}
    return lowering.node(operation, "FloorMod", given, outputs=[desc])


@lowers("gather", "embedding")
def _gather(lowering: Lowering, operation: Operation) -> Edge:
    x, indices = map(lowering.edge, operation.operands)
    axis = lowering.constant(operation.attrs.get("axis", 0))
    given = {"x": x, "indices": _indices(lowering, operation, indices), "axis": axis}
    return lowering.node(operation, "GatherV2", given, FROM_END)


@lowers("gather_nd")
def _gather_nd(lowering: Lowering, operation: Operation) -> Edge:
    x, indices = map(lowering.edge, operation.operands)
    given = {"x": x, "indices": _indices(lowering, operation, indices)}
    return lowering.node(operation, "GatherNd", given, FROM_END)


@lowers("gather_elements")
def _gather_elements(lowering: Lowering, operation: Operation) -> Edge:
    x, indices = map(lowering.edge, operation.operands)
    axis = operation.attrs["axis"]
    places = _indices(lowering, operation, indices)
    places = _from_front(lowering, operation, places, lowering.desc(x).shape[axis])
    return lowering.node(operation, "GatherElements", {"x": x, "index": places}, {"dim": axis})


@lowers("index_add", "index_update")
def _rows(lowering: Lowering, operation: Operation) -> Edge:
    """Rows of the first axis; another one is brought there and back."""
    x, indices, updates = map(lowering.edge, operation.operands)
    axis = operation.attrs["axis"]
    shape, count = lowering.desc(x).shape, len(lowering.desc(indices).shape)
    order = [axis, *(i for i in range(len(shape)) if i != axis)]
    x = transposed(lowering, operation, x, order)
    block = list(range(axis, axis + count))
    others = [i for i in range(len(lowering.desc(updates).shape)) if i not in block]
    updates = transposed(lowering, operation, updates, block + others)
    places = _indices(lowering, operation, indices)
    places = _from_front(lowering, operation, places, shape[axis])
    places = lowering.reshape(operation, places, (*lowering.desc(places).shape, 1))
    found = _scattered(
        lowering, operation, (x, places, updates), operation.prim.name == "index_add"
    )
    return transposed(lowering, operation, found, list(np.argsort(order)))


def _scattered(
    lowering: Lowering, operation: Operation, given: Sequence[Edge], is_added: bool
) -> Edge:
    x, indices, updates = given
    desc = lowering.desc(x)
    (port, *_) = prototype("TensorScatterAdd").inputs
    if is_added and not port.takes(desc.type):
        return _summed(lowering, operation, given)
    type = "TensorScatterAdd" if is_added else "TensorScatterUpdate"
    ports = {"x": x, "indices": indices, "updates": updates}
    return lowering.node(operation, type, ports, outputs=[desc])


def _summed(lowering: Lowering, operation: Operation, given: Sequence[Edge]) -> Edge:
    """The sum with a tensor of zeros that was added to, which takes more dtypes."""
    x, indices, updates = given
    desc = lowering.desc(x)
    ports = {"indices": indices, "x": updates, "shape": lowering.constant(list(desc.shape))}
    added = lowering.node(operation, "ScatterNd", ports, outputs=[desc])
    return lowering.node(operation, "Add", {"x1": x, "x2": added}, outputs=[desc])


SCATTERS = {"none": "TensorScatterUpdate", "add": "TensorScatterAdd"}


@lowers("scatter_nd", where=lambda operation: operation.attrs["reduce"] in SCATTERS)
def _scatter_nd(lowering: Lowering, operation: Operation) -> Edge:
    x, indices, updates = map(lowering.edge, operation.operands)
    shape = lowering.desc(x).shape
    places = _indices(lowering, operation, indices)
    sizes = lowering.constant(
        list(shape[: lowering.desc(places).shape[-1]]), dtype_of(lowering.desc(places).type)
    )
    places = lowering.node(
        operation, "FloorMod", {"x1": places, "x2": sizes}, outputs=[lowering.desc(places)]
    )
    is_added = operation.attrs["reduce"] == "add"
    return _scattered(lowering, operation, (x, places, updates), is_added)


@lowers("scatter_elements", where=lambda operation: operation.attrs["reduce"] in SCATTERS)
def _scatter_elements(lowering: Lowering, operation: Operation) -> Edge:
    x, indices, updates = map(lowering.edge, operation.operands)
    axis = operation.attrs["axis"]
    places = _indices(lowering, operation, indices)
    places = _from_front(lowering, operation, places, lowering.desc(x).shape[axis])
    (result,) = operation.results
    dtype = dtypes.uint8 if result.dtype is dtypes.bool_ else result.dtype
    x, updates = (lowering.cast(operation, edge, dtype) for edge in (x, updates))
    given = {"data": x, "indices": places, "updates": updates}
    options = {"axis": axis, "reduction": operation.attrs["reduce"]}
    found = lowering.node(
        operation, "ScatterElements", given, options, outputs=[lowering.made(result, dtype)]
    )
    return lowering.cast(operation, found, result.dtype)


# Windows


def _starts(lowering: Lowering, operation: Operation, skipped: int) -> Edge:
    """Where a window starts, one number an axis, from the front."""
    shape = operation.operands[0].shape
    starts = [
        lowering.cast(operation, lowering.edge(value), dtypes.int64)
        for value in operation.operands[skipped:]
    ]
    line = Desc("DT_INT64", (len(starts),))
    packed = lowering.node(
        operation, "Pack", {"x": starts}, {"axis": 0, "N": len(starts)}, outputs=[line]
    )
    sizes = lowering.constant([max(int(n), 1) for n in shape])
    return lowering.node(operation, "FloorMod", {"x1": packed, "x2": sizes}, outputs=[line])


@lowers("dynamic_slice")
def _dynamic_slice(lowering: Lowering, operation: Operation) -> Edge:
    x = lowering.edge(operation.operands[0])
    if not operation.operands[0].ndim:
        return x
    given = {"x": x, "offsets": _starts(lowering, operation, 1),
             "size": lowering.constant(list(operation.attrs["sizes"]))}  # fmt: skip
    return moved(lowering, operation, "Slice", given, desc_of(operation.results[0].type).shape)


@lowers("update", "update_add")
def _update(lowering: Lowering, operation: Operation) -> Edge:
    """The place of each element of the window, written or added to."""
    x, value = (lowering.edge(operand) for operand in operation.operands[:2])
    desc, window = lowering.desc(x), lowering.desc(value)
    rank = len(desc.shape)
    if not rank:
        is_written = operation.prim.name == "update"
        return value if is_written else _added(lowering, operation, x, value)
    within = np.stack(np.meshgrid(*map(np.arange, window.shape), indexing="ij"), axis=-1)
    starts = _starts(lowering, operation, 2)
    starts = lowering.reshape(operation, starts, (1,) * rank + (rank,))
    places = lowering.node(
        operation, "Add", {"x1": starts, "x2": lowering.constant(within)},
        outputs=[Desc("DT_INT64", (*window.shape, rank))],
    )  # fmt: skip
    is_added = operation.prim.name == "update_add"
    return _scattered(lowering, operation, (x, places, value), is_added)


def _added(lowering: Lowering, operation: Operation, x: Edge, y: Edge) -> Edge:
    return lowering.node(operation, "Add", {"x1": x, "x2": y})


@lowers("one_hot")
def _one_hot(lowering: Lowering, operation: Operation) -> Edge:
    dtype = operation.attrs["dtype"]
    dtype = dtypes.uint8 if dtype is dtypes.bool_ else dtype
    indices = _indices(lowering, operation, lowering.edge(operation.operands[0]))
    given = {
        "x": indices,
        "depth": lowering.constant(operation.attrs["depth"], dtypes.int32),
        "on_value": lowering.constant(1, dtype),
        "off_value": lowering.constant(0, dtype),
    }
    result = desc_of(operation.results[0].type)
    rank = len(result.shape)
    axis = operation.attrs["axis"] % rank
    found = lowering.node(
        operation, "OneHot", given, {"axis": -1 if axis == rank - 1 else axis},
        outputs=[lowering.made(operation.results[0], dtype)],
    )  # fmt: skip
    return lowering.cast(operation, found, operation.results[0].dtype)


@lowers("sum_to")
def _sum_to(lowering: Lowering, operation: Operation) -> Edge:
    """The sum over the axes along which a broadcast repeated."""
    x = lowering.edge(operation.operands[0])
    result = desc_of(operation.results[0].type)
    shape = lowering.desc(x).shape
    wanted = (1,) * (len(shape) - len(result.shape)) + result.shape
    axes = [i for i, (n, m) in enumerate(zip(shape, wanted, strict=True)) if n != m]
    if axes:
        kept = Desc(result.type, tuple(1 if i in axes else n for i, n in enumerate(shape)))
        given = {"x": x, "axes": lowering.constant(axes)}
        x = lowering.node(operation, "ReduceSum", given, {"keep_dims": True}, outputs=[kept])
    return lowering.reshape(operation, x, result.shape)
