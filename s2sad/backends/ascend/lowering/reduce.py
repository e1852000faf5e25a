"""Reductions, scans and orders along axes."""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.ascend.datatypes import data_type_of
from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import lowers, wider
from s2sad.core import dtypes
from s2sad.ir.graph import Operation

REDUCTIONS = {
    "reduce_sum": "ReduceSum", "reduce_max": "ReduceMax", "reduce_min": "ReduceMin",
    "reduce_prod": "ReduceProd", "reduce_all": "ReduceAll", "reduce_any": "ReduceAny",
    "mean": "ReduceMean",
}  # fmt: skip


def axes_of(operation: Operation) -> list[int]:
    """The axes that an operation goes over, all of them where it names none."""
    axis = operation.attrs["axis"]
    if axis is None:
        return list(range(operation.operands[0].ndim))
    return [axis] if isinstance(axis, int) else list(axis)


@lowers(*REDUCTIONS)
def _reduce(lowering: Lowering, operation: Operation) -> Edge:
    x, axes = lowering.edge(operation.operands[0]), axes_of(operation)
    if not axes:
        return x
    return lowering.node(
        operation, REDUCTIONS[operation.prim.name], {"x": x, "axes": lowering.constant(axes)},
        {"keep_dims": operation.attrs["keepdims"]},
    )  # fmt: skip


@lowers("argmax", "argmin")
def _place(lowering: Lowering, operation: Operation) -> Edge:
    x, axis = lowering.edge(operation.operands[0]), operation.attrs["axis"]
    type = "ArgMaxV2" if operation.prim.name == "argmax" else "ArgMin"
    shape = tuple(n for i, n in enumerate(lowering.desc(x).shape) if i != axis)
    given = {"x": x, "dimension": lowering.constant(axis)}
    found = lowering.node(
        operation, type, given, {"dtype": "DT_INT64"}, outputs=[Desc("DT_INT64", shape)]
    )
    return lowering.reshape(operation, found, desc_of(operation.results[0].type).shape)


@lowers("cumsum", "cumprod")
def _scan(lowering: Lowering, operation: Operation) -> Edge:
    attrs = operation.attrs
    given = {"x": lowering.edge(operation.operands[0]), "axis": lowering.constant(attrs["axis"])}
    options = {name: attrs[name] for name in ("exclusive", "reverse")}
    return lowering.node(operation, operation.prim.name.capitalize(), given, options)


@lowers("cummax", "cummin")
def _extreme_so_far(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """From the last element on, the tensor is turned round, and places count from its end."""
    name, is_turned = operation.prim.name, operation.attrs["reverse"]
    x, axis = lowering.edge(operation.operands[0]), operation.attrs["axis"]
    x = _turned(lowering, operation, x, axis) if is_turned else x
    options = {"dim" if name == "cummax" else "axis": axis}
    outputs = [desc_of(value.type) for value in operation.results]
    first = lowering.node(operation, name.capitalize(), {"x": x}, options, outputs=outputs)
    values, places = lowering.builder.outputs(first)
    if not is_turned:
        return values, places
    values, places = (_turned(lowering, operation, edge, axis) for edge in (values, places))
    last = lowering.constant(outputs[0].shape[axis] - 1, operation.results[1].dtype)
    given = {"x1": last, "x2": places}
    return values, lowering.node(operation, "Sub", given, outputs=outputs[1:])


def _turned(lowering: Lowering, operation: Operation, x: Edge, axis: int) -> Edge:
    desc = lowering.desc(x)
    given = {"x": x, "axis": lowering.constant([axis])}
    return lowering.node(operation, "ReverseV2", given, outputs=[desc])


@lowers("sort")
def _sort(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """Places come as int32."""
    given = {"x": lowering.edge(operation.operands[0])}
    options = {"axis": operation.attrs["axis"], "descending": operation.attrs["descending"],
               "stable": True}  # fmt: skip
    return _with_places(lowering, operation, "Sort", given, options)


@lowers("top_k")
def _top_k(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    attrs = operation.attrs
    given = {"x": lowering.edge(operation.operands[0]),
             "k": lowering.constant(attrs["k"], dtypes.int32)}  # fmt: skip
    options = {"sorted": True, "dim": attrs["axis"], "largest": attrs["largest"]}
    return _with_places(lowering, operation, "TopKV2", given, options)


def _with_places(
    lowering: Lowering, operation: Operation, type: str, given: dict, options: dict
) -> Sequence[Edge]:
    values = desc_of(operation.results[0].type)
    places = Desc(data_type_of(dtypes.int32).name, values.shape)
    first = lowering.node(operation, type, given, options, outputs=[values, places])
    _, found = lowering.builder.outputs(first)
    return first, lowering.cast(operation, found, dtypes.int64)


@lowers("searchsorted")
def _search(lowering: Lowering, operation: Operation) -> Edge:
    ordered, values = operation.operands
    dtype = wider("SearchSorted", ordered.dtype)
    given = {
        port: lowering.cast(operation, lowering.edge(value), dtype)
        for port, value in (("sorted_sequence", ordered), ("values", values))
    }
    options = {"dtype": dtypes.int64, "right": operation.attrs["right"]}
    return lowering.node(operation, "SearchSorted", given, options)
