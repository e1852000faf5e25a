"""Reductions, scans and orders along axes."""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.ascend.datatypes import data_type_of
from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import lowers
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


def _is_forward(operation: Operation) -> bool:
    return not operation.attrs["reverse"]


@lowers("cummax", "cummin", where=_is_forward)
def _extreme_so_far(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """GE gives places in int32 or int64."""
    name = operation.prim.name
    given = {"x": lowering.edge(operation.operands[0])}
    axis = {"dim" if name == "cummax" else "axis": operation.attrs["axis"]}
    first = lowering.node(operation, name.capitalize(), given, axis)
    return lowering.builder.outputs(first)


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
