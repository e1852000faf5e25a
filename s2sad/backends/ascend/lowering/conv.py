"""Convolutions and pooling, in the layout NCHW; one spatial axis becomes two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import lowers
from s2sad.core import dtypes
from s2sad.ir.graph import Operation, Value

LAYOUT = "NCHW"


def _is_flat(operation: Operation) -> bool:
    """Whether it has one spatial axis or two, which is what the operators here take."""
    return operation.operands[0].ndim in (3, 4)


def _image(lowering: Lowering, operation: Operation, value: Value) -> Edge:
    """The tensor with two spatial axes, marked as NCHW."""
    edge = lowering.edge(value)
    shape = lowering.desc(edge).shape
    return lowering.reshape(operation, edge, _with_height(shape)) if len(shape) == 3 else edge


def _with_height(shape: Sequence[int]) -> tuple[int, ...]:
    """A shape (N, C, W) as (N, C, 1, W)."""
    return (*shape[:2], 1, *shape[2:]) if len(shape) == 3 else tuple(shape)


def _pairs(numbers: Sequence[int], fill: int) -> list[int]:
    return [fill] * (2 - len(numbers)) + [int(n) for n in numbers]


def _spatial(operation: Operation) -> dict[str, list[int]]:
    """Strides, pads and dilations as GE writes them: four numbers each."""
    attrs = operation.attrs
    pads = list(attrs["padding"])
    pads = [(0, 0)] * (2 - len(pads)) + [tuple(pair) for pair in pads]
    return {
        "strides": [1, 1, *_pairs(attrs["stride"], 1)],
        "pads": [int(n) for pair in pads for n in pair],
        "dilations": [1, 1, *_pairs(attrs["dilation"], 1)],
    }


def _conv_options(operation: Operation) -> dict[str, Any]:
    return {**_spatial(operation), "groups": operation.attrs["groups"], "data_format": LAYOUT}


def _node(lowering: Lowering, operation: Operation, type: str, given: dict, options: dict) -> Edge:
    """A node that gives an image, brought into the shape of the result."""
    result = desc_of(operation.results[0].type)
    made = Desc(result.type, _with_height(result.shape), LAYOUT)
    edge = lowering.node(operation, type, given, options, outputs=[made])
    for desc in lowering.builder.graph.nodes[edge.name].input_descs:
        if len(desc.shape) == 4:
            desc.layout = LAYOUT
    return lowering.reshape(operation, edge, result.shape)


@lowers("conv", where=_is_flat)
def _conv(lowering: Lowering, operation: Operation) -> Edge:
    x, filters = (_image(lowering, operation, value) for value in operation.operands)
    given = {"x": x, "filter": filters}
    return _node(lowering, operation, "Conv2D", given, _conv_options(operation))


@lowers("conv_input_grad", where=_is_flat)
def _input_grad(lowering: Lowering, operation: Operation) -> Edge:
    dy, filters = (_image(lowering, operation, value) for value in operation.operands)
    size = _with_height(operation.attrs["input_shape"])
    given = {"input_size": lowering.constant(list(size), dtypes.int32), "filter": filters,
             "out_backprop": dy}  # fmt: skip
    return _node(lowering, operation, "Conv2DBackpropInput", given, _conv_options(operation))


@lowers("conv_filter_grad", where=_is_flat)
def _filter_grad(lowering: Lowering, operation: Operation) -> Edge:
    x, dy = (_image(lowering, operation, value) for value in operation.operands)
    size = _with_height(desc_of(operation.results[0].type).shape)
    given = {"x": x, "filter_size": lowering.constant(list(size), dtypes.int32),
             "out_backprop": dy}  # fmt: skip
    return _node(lowering, operation, "Conv2DBackpropFilter", given, _conv_options(operation))


# Pooling


def _pool_options(operation: Operation) -> dict[str, Any]:
    attrs = operation.attrs
    pads = [(0, 0)] * (2 - len(attrs["padding"])) + [tuple(pair) for pair in attrs["padding"]]
    return {
        "ksize": [1, 1, *_pairs(attrs["kernel"], 1)],
        "strides": [1, 1, *_pairs(attrs["stride"], 1)],
        "padding_mode": "CALCULATED",
        "pads": [int(n) for pair in pads for n in pair],
        "data_format": LAYOUT,
    }


def _is_plain(operation: Operation) -> bool:
    return _is_flat(operation) and all(n == 1 for n in operation.attrs["dilation"])


@lowers("max_pool", where=_is_plain)
def _max_pool(lowering: Lowering, operation: Operation) -> Edge:
    x = _image(lowering, operation, operation.operands[0])
    key = _pool_key(operation, x)
    return lowering.shared(
        key, lambda: _node(lowering, operation, "MaxPoolV3", {"x": x}, _pool_options(operation))
    )


def _pool_key(operation: Operation, x: Edge) -> Any:
    names = ("kernel", "stride", "padding")
    return ("max_pool", x, *(tuple(operation.attrs[name]) for name in names))


@lowers("max_pool_grad", where=_is_plain)
def _max_pool_grad(lowering: Lowering, operation: Operation) -> Edge:
    """GE reads the forward result as well: the node that made it, where there is one."""
    x, dy = (_image(lowering, operation, value) for value in operation.operands)
    options = _pool_options(operation)
    image = lowering.desc(dy)
    y = lowering.shared(
        _pool_key(operation, x),
        lambda: lowering.node(
            operation,
            "MaxPoolV3",
            {"x": x},
            options,
            outputs=[Desc(image.type, image.shape, LAYOUT)],
        ),
    )
    given = {
        "orig_input": x,
        "orig_output": lowering.reshape(operation, y, image.shape),
        "grad": dy,
    }
    return _node(lowering, operation, "MaxPoolV3Grad", given, options)


def _avg_options(operation: Operation) -> dict[str, Any]:
    exclusive = not operation.attrs["count_include_pad"]
    return {**_pool_options(operation), "exclusive": exclusive}


@lowers("avg_pool", where=_is_flat)
def _avg_pool(lowering: Lowering, operation: Operation) -> Edge:
    x = _image(lowering, operation, operation.operands[0])
    divisor = operation.attrs["divisor"] or 0
    options = {**_avg_options(operation), "divisor_override": divisor}
    return _node(lowering, operation, "AvgPoolV2", {"x": x}, options)


def _has_no_divisor(operation: Operation) -> bool:
    return _is_flat(operation) and operation.attrs["divisor"] is None


@lowers("avg_pool_grad", where=_has_no_divisor)
def _avg_pool_grad(lowering: Lowering, operation: Operation) -> Edge:
    dy = _image(lowering, operation, operation.operands[0])
    shape = lowering.constant(list(_with_height(operation.attrs["input_shape"])), dtypes.int32)
    given = {"orig_input_shape": shape, "input_grad": dy}
    return _node(lowering, operation, "AvgPoolV2Grad", given, _avg_options(operation))
