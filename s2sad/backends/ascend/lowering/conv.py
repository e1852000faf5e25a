"""Convolutions and pooling, in the layouts NCHW and NCDHW; one spatial axis becomes two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad.backends.ascend.datatypes import data_type_of
from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import lowers, wider
from s2sad.backends.ascend.prototypes import prototype
from s2sad.core import dtypes
from s2sad.ir.graph import Operation, Value

#: What gradients of narrow filters are made in.
FLOAT = data_type_of(dtypes.float32).name
#: Layouts by the number of axes.
LAYOUTS = {4: "NCHW", 5: "NCDHW"}


def _is_spatial(operation: Operation) -> bool:
    """Whether it has one spatial axis to three, which is what the operators here take."""
    return operation.operands[0].ndim in (3, 4, 5)


def _is_deep(operation: Operation) -> bool:
    """Whether GE's operator has three spatial axes: for a gradient, only that takes a divisor."""
    has_divisor = operation.prim.name == "avg_pool_grad" and operation.attrs["divisor"] is not None
    return has_divisor or operation.operands[0].ndim == 5


def _count(operation: Operation) -> int:
    """Spatial axes of GE's operator."""
    return 3 if _is_deep(operation) else 2


def _image(lowering: Lowering, operation: Operation, value: Value) -> Edge:
    """The tensor with as many spatial axes as GE's operator has."""
    edge = lowering.edge(value)
    return lowering.reshape(operation, edge, _whole(operation, lowering.desc(edge).shape))


def _whole(operation: Operation, shape: Sequence[int]) -> tuple[int, ...]:
    """A shape (N, C, W), for an operator of two axes, as (N, C, 1, W)."""
    return (*shape[:2], *[1] * (2 + _count(operation) - len(shape)), *shape[2:])


def _each(operation: Operation, name: str) -> list[int]:
    """The numbers of an attribute, one a spatial axis of GE's operator."""
    numbers = operation.attrs[name]
    return [1] * (_count(operation) - len(numbers)) + [int(n) for n in numbers]


def _pads(operation: Operation) -> list[int]:
    """Before and after each spatial axis."""
    pads = operation.attrs["padding"]
    return [0, 0] * (_count(operation) - len(pads)) + [int(n) for pair in pads for n in pair]


def _layout(operation: Operation) -> str:
    return LAYOUTS[2 + _count(operation)]


def _conv_options(operation: Operation) -> dict[str, Any]:
    return {
        "strides": [1, 1, *_each(operation, "stride")],
        "pads": _pads(operation),
        "dilations": [1, 1, *_each(operation, "dilation")],
        "groups": operation.attrs["groups"],
        "data_format": _layout(operation),
    }


def _node(lowering: Lowering, operation: Operation, type: str, given: dict, options: dict) -> Edge:
    """A node that gives an image, brought into the dtype and shape of the result."""
    (value,) = operation.results
    result = desc_of(value.type)
    wide = wider(type, value.dtype)
    if wide is not value.dtype:
        given = {name: lowering.cast(operation, edge, wide) for name, edge in given.items()}
    (port,) = prototype(type).outputs
    made_type = data_type_of(wide).name if port.takes(data_type_of(wide).name) else FLOAT
    made = Desc(made_type, _whole(operation, result.shape), _layout(operation))
    edge = lowering.node(operation, type, given, options, outputs=[made])
    _mark(lowering, edge)
    return lowering.cast(operation, lowering.reshape(operation, edge, result.shape), value.dtype)


def _mark(lowering: Lowering, edge: Edge) -> None:
    """Let what a node reads say what its axes are."""
    for desc in lowering.builder.graph.nodes[edge.name].input_descs:
        desc.layout = LAYOUTS.get(len(desc.shape), desc.layout)


def _of_rank(operation: Operation, type: str) -> str:
    """The operator of two spatial axes, or that of three."""
    return type.replace("2D", "3D") if _is_deep(operation) else type


@lowers("conv", where=_is_spatial)
def _conv(lowering: Lowering, operation: Operation) -> Edge:
    x, filters = (_image(lowering, operation, value) for value in operation.operands)
    given = {"x": x, "filter": filters}
    type = _of_rank(operation, "Conv2D")
    return _node(lowering, operation, type, given, _conv_options(operation))


@lowers("conv_input_grad", where=_is_spatial)
def _input_grad(lowering: Lowering, operation: Operation) -> Edge:
    dy, filters = (_image(lowering, operation, value) for value in operation.operands)
    size = _whole(operation, desc_of(operation.results[0].type).shape)
    given = {"input_size": lowering.constant(list(size), dtypes.int32), "filter": filters,
             "out_backprop": dy}  # fmt: skip
    return _node(
        lowering,
        operation,
        _of_rank(operation, "Conv2DBackpropInput"),
        given,
        _conv_options(operation),
    )


@lowers("conv_filter_grad", where=_is_spatial)
def _filter_grad(lowering: Lowering, operation: Operation) -> Edge:
    x, dy = (_image(lowering, operation, value) for value in operation.operands)
    size = _whole(operation, desc_of(operation.results[0].type).shape)
    given = {"x": x, "filter_size": lowering.constant(list(size), dtypes.int32),
             "out_backprop": dy}  # fmt: skip
    return _node(
        lowering,
        operation,
        _of_rank(operation, "Conv2DBackpropFilter"),
        given,
        _conv_options(operation),
    )


# Pooling


def _pool_options(operation: Operation) -> dict[str, Any]:
    return {
        "ksize": [1, 1, *_each(operation, "kernel")],
        "strides": [1, 1, *_each(operation, "stride")],
        "pads": _pads(operation),
        "data_format": _layout(operation),
        "padding" if _is_deep(operation) else "padding_mode": "CALCULATED",
    }


def _is_plain(operation: Operation) -> bool:
    return _is_spatial(operation) and all(n == 1 for n in operation.attrs["dilation"])


@lowers("max_pool", where=lambda op: _is_plain(op) or _is_even(op))
def _max_pool(lowering: Lowering, operation: Operation) -> Edge:
    """Windows with gaps are those of the operator that tells where the maximum stands as well."""
    x = _image(lowering, operation, operation.operands[0])
    if not _is_plain(operation):
        y, _ = _with_places(lowering, operation, x)
        return lowering.reshape(operation, y, desc_of(operation.results[0].type).shape)
    type = "MaxPool3D" if _is_deep(operation) else "MaxPoolV3"
    return lowering.shared(
        _pool_key(operation, x),
        lambda: _node(lowering, operation, type, {"x": x}, _pool_options(operation)),
    )


def _with_places(lowering: Lowering, operation: Operation, x: Edge) -> tuple[Edge, ...]:
    """Maxima, and where they stand among the elements of their image."""
    shape, layout = _whole(operation, desc_of(operation.results[0].type).shape), _layout(operation)
    options = {
        "ksize": _each(operation, "kernel"), "strides": _each(operation, "stride"),
        "pads": _pads(operation)[::2], "dilation": _each(operation, "dilation"),
        "dtype": data_type_of(dtypes.int64).attribute, "data_format": layout,
    }  # fmt: skip
    made = [Desc(lowering.desc(x).type, shape, layout), Desc("DT_INT64", shape, layout)]
    type = "MaxPool3DWithArgmaxV2" if _is_deep(operation) else "MaxPoolWithArgmaxV3"
    edge = lowering.node(operation, type, {"x": x}, options, outputs=made)
    _mark(lowering, edge)
    return lowering.builder.outputs(edge)


def _is_even(operation: Operation) -> bool:
    """Whether as much is padded before an axis as behind it."""
    return _is_spatial(operation) and all(low == high for low, high in operation.attrs["padding"])


@lowers("max_pool_argmax", where=_is_even)
def _argmax(lowering: Lowering, operation: Operation) -> Edge:
    x = _image(lowering, operation, operation.operands[0])
    _, places = _with_places(lowering, operation, x)
    return lowering.reshape(operation, places, desc_of(operation.results[0].type).shape)


def _pool_key(operation: Operation, x: Edge) -> Any:
    names = ("kernel", "stride", "padding")
    return ("max_pool", x, *(tuple(operation.attrs[name]) for name in names))


@lowers("max_pool_grad", where=_is_plain)
def _max_pool_grad(lowering: Lowering, operation: Operation) -> Edge:
    """GE reads the forward result as well: the node that made it, where there is one."""
    x, dy = (_image(lowering, operation, value) for value in operation.operands)
    options, is_deep = _pool_options(operation), _is_deep(operation)
    image = lowering.desc(dy)
    made = Desc(image.type, image.shape, _layout(operation))
    forward = "MaxPool3D" if is_deep else "MaxPoolV3"
    y = lowering.shared(
        _pool_key(operation, x),
        lambda: lowering.node(operation, forward, {"x": x}, options, outputs=[made]),
    )
    y = lowering.reshape(operation, y, image.shape)
    if is_deep:
        given = {"orig_x": x, "orig_y": y, "grads": dy}
        return _node(lowering, operation, "MaxPool3DGrad", given, options)
    given = {"orig_input": x, "orig_output": y, "grad": dy}
    return _node(lowering, operation, "MaxPoolV3Grad", given, options)


def _avg_options(operation: Operation) -> dict[str, Any]:
    options, counts = _pool_options(operation), operation.attrs["count_include_pad"]
    if _is_deep(operation):
        del options["padding"]
        return {**options, "count_include_pad": counts}
    return {**options, "exclusive": not counts}


@lowers("avg_pool", where=_is_spatial)
def _avg_pool(lowering: Lowering, operation: Operation) -> Edge:
    x = _image(lowering, operation, operation.operands[0])
    type = "AvgPool3D" if _is_deep(operation) else "AvgPoolV2"
    options = {**_avg_options(operation), "divisor_override": operation.attrs["divisor"] or 0}
    return _node(lowering, operation, type, {"x": x}, options)


@lowers("avg_pool_grad", where=_is_spatial)
def _avg_pool_grad(lowering: Lowering, operation: Operation) -> Edge:
    dy = _image(lowering, operation, operation.operands[0])
    size = _whole(operation, desc_of(operation.results[0].type).shape)
    shape = lowering.constant(list(size), dtypes.int32)
    options = _avg_options(operation)
    if _is_deep(operation):
        options["divisor_override"] = operation.attrs["divisor"] or 0
        given = {"orig_input_shape": shape, "grads": dy}
        return _node(lowering, operation, "AvgPool3DGrad", given, options)
    given = {"orig_input_shape": shape, "input_grad": dy}
    return _node(lowering, operation, "AvgPoolV2Grad", given, options)
