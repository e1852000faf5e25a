"""Operations that move elements: sizes and orders are constants that GE's operators read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.backends.ascend.building import Given
from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import lowers
from s2sad.core import dtypes
from s2sad.ir.graph import Operation

#: Operators that take no bools: what they move goes through them as bytes.
NO_BOOLS = {"Transpose", "PadV3", "StridedSlice", "Slice", "Unpack"}


def moved(
    lowering: Lowering,
    operation: Operation,
    type: str,
    inputs: Mapping[str, Given],
    shape: Sequence[int],
    attributes: dict[str, Any] | None = None,
) -> Edge:
    """A node that gives elements of its input ``x`` in `shape`, whatever their type."""
    x = inputs["x"]
    assert isinstance(x, Edge)
    desc = lowering.desc(x)
    is_cast = desc.type == "DT_BOOL" and type in NO_BOOLS
    if is_cast:
        inputs = {**inputs, "x": lowering.cast(operation, x, dtypes.uint8)}
    made = Desc("DT_UINT8" if is_cast else desc.type, tuple(shape))
    found = lowering.node(operation, type, inputs, attributes, outputs=[made])
    return lowering.cast(operation, found, dtypes.bool_) if is_cast else found


def transposed(lowering: Lowering, operation: Operation, x: Edge, perm: Sequence[int]) -> Edge:
    """The tensor at `x` with its axes in the order `perm`."""
    if list(perm) == list(range(len(perm))):
        return x
    shape = [lowering.desc(x).shape[axis] for axis in perm]
    return moved(lowering, operation, "Transpose", {"x": x, "perm": lowering.constant(perm)}, shape)


def broadcast(lowering: Lowering, operation: Operation, x: Edge, shape: Sequence[int]) -> Edge:
    """The tensor at `x` with `shape`."""
    if lowering.desc(x).shape == tuple(shape):
        return x
    given = {"x": x, "shape": lowering.constant(list(shape))}
    return moved(lowering, operation, "BroadcastTo", given, shape)


def _first(lowering: Lowering, operation: Operation) -> tuple[Edge, Desc]:
    return lowering.edge(operation.operands[0]), desc_of(operation.results[0].type)


@lowers("reshape", "expand_dims", "squeeze")
def _reshape(lowering: Lowering, operation: Operation) -> Edge:
    x, result = _first(lowering, operation)
    return lowering.reshape(operation, x, result.shape)


@lowers("transpose")
def _transpose(lowering: Lowering, operation: Operation) -> Edge:
    x, result = _first(lowering, operation)
    perm = operation.attrs["perm"]
    order = range(len(result.shape))[::-1] if perm is None else perm
    return transposed(lowering, operation, x, list(order))


@lowers("broadcast_to")
def _broadcast(lowering: Lowering, operation: Operation) -> Edge:
    x, result = _first(lowering, operation)
    return broadcast(lowering, operation, x, result.shape)


@lowers("concat")
def _concat(lowering: Lowering, operation: Operation) -> Edge:
    parts = [lowering.edge(value) for value in operation.operands]
    axis = lowering.constant(operation.attrs["axis"])
    return lowering.node(operation, "ConcatV2", {"x": parts, "concat_dim": axis}, {"N": len(parts)})


@lowers("stack")
def _stack(lowering: Lowering, operation: Operation) -> Edge:
    parts = [lowering.edge(value) for value in operation.operands]
    return lowering.node(
        operation, "Pack", {"x": parts}, {"axis": operation.attrs["axis"], "N": len(parts)}
    )


@lowers("split")
def _split(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    sizes = operation.attrs["sizes"]
    given = {
        "x": lowering.edge(operation.operands[0]),
        "size_splits": lowering.constant(list(sizes)),
        "split_dim": lowering.constant(operation.attrs["axis"]),
    }
    first = lowering.node(operation, "SplitV", given, {"num_split": len(sizes)})
    return lowering.builder.outputs(first)


@lowers("slice")
def _slice(lowering: Lowering, operation: Operation) -> Edge:
    """A slice that goes back to the first element has no end that could be written."""
    x, result = _first(lowering, operation)
    start, stop, step = (operation.attrs[name] for name in ("start", "stop", "step"))
    mask = sum(1 << axis for axis, end in enumerate(stop) if end is None)
    given = {
        "x": x,
        "begin": lowering.constant(list(start)),
        "end": lowering.constant([0 if end is None else end for end in stop]),
        "strides": lowering.constant(list(step)),
    }
    return moved(lowering, operation, "StridedSlice", given, result.shape, {"end_mask": mask})


@lowers("pad")
def _pad(lowering: Lowering, operation: Operation) -> Edge:
    """Elements between elements come from padding an axis of size 1 behind each."""
    x, value = (lowering.edge(operand) for operand in operation.operands)
    low, high, interior = (operation.attrs[name] for name in ("low", "high", "interior"))
    if any(interior):
        x = _spread(lowering, operation, x, value, interior)
    return _padded(lowering, operation, x, value, list(zip(low, high, strict=True)))


def _spread(
    lowering: Lowering, operation: Operation, x: Edge, value: Edge, interior: Sequence[int]
) -> Edge:
    sizes = lowering.desc(x).shape
    apart = lowering.reshape(operation, x, [m for n in sizes for m in (n, 1)])
    amounts = [pair for count in interior for pair in ((0, 0), (0, count))]
    wide = _padded(lowering, operation, apart, value, amounts)
    shape = [n * (1 + count) for n, count in zip(sizes, interior, strict=True)]
    wide = lowering.reshape(operation, wide, shape)
    ends = [max(n - count, 0) for n, count in zip(shape, interior, strict=True)]
    given = {
        "x": wide,
        "offsets": lowering.constant([0] * len(ends)),
        "size": lowering.constant(ends),
    }
    return moved(lowering, operation, "Slice", given, ends)


def _padded(
    lowering: Lowering,
    operation: Operation,
    x: Edge,
    value: Edge,
    amounts: Sequence[tuple[int, int]],
) -> Edge:
    if not any(low or high for low, high in amounts):
        return x
    if lowering.desc(x).type == "DT_BOOL":
        value = lowering.cast(operation, value, dtypes.uint8)
    sizes = lowering.desc(x).shape
    shape = [n + low + high for n, (low, high) in zip(sizes, amounts, strict=True)]
    given = {"x": x, "paddings": lowering.constant([list(pair) for pair in amounts]),
             "constant_values": value}  # fmt: skip
    return moved(lowering, operation, "PadV3", given, shape)


@lowers("flip")
def _flip(lowering: Lowering, operation: Operation) -> Edge:
    x, result = _first(lowering, operation)
    axis = operation.attrs["axis"]
    axes = range(len(result.shape)) if axis is None else [axis] if isinstance(axis, int) else axis
    return lowering.node(operation, "ReverseV2", {"x": x, "axis": lowering.constant(list(axes))})


@lowers("iota")
def _iota(lowering: Lowering, operation: Operation) -> Edge:
    """Counted as int64, then cast and brought into its shape."""
    result = desc_of(operation.results[0].type)
    axis = operation.attrs["axis"]
    size = result.shape[axis]
    count = {name: lowering.constant(number) for name, number in
             (("start", 0), ("limit", size), ("delta", 1))}  # fmt: skip
    line = lowering.node(operation, "Range", count, outputs=[Desc("DT_INT64", (size,))])
    line = lowering.cast(operation, line, operation.attrs["dtype"])
    ones = [size if i == axis else 1 for i in range(len(result.shape))]
    return broadcast(lowering, operation, lowering.reshape(operation, line, ones), result.shape)


@lowers("tile")
def _tile(lowering: Lowering, operation: Operation) -> Edge:
    """Axes that are new stand in front."""
    x, result = _first(lowering, operation)
    repeats = list(operation.attrs["repeats"])
    shape = lowering.desc(x).shape
    x = lowering.reshape(operation, x, (1,) * (len(result.shape) - len(shape)) + shape)
    repeats = [1] * (len(result.shape) - len(repeats)) + repeats
    return lowering.node(operation, "Tile", {"x": x, "multiples": lowering.constant(repeats)})


def _filled(value: Callable[[Operation], Any]) -> Any:
    def rule(lowering: Lowering, operation: Operation) -> Edge:
        result = operation.results[0]
        one = lowering.constant(np.asarray(value(operation)), result.dtype)
        dims = lowering.constant(list(desc_of(result.type).shape))
        return lowering.node(operation, "Fill", {"dims": dims, "value": one})

    return rule


lowers("zeros_like")(_filled(lambda operation: 0))
lowers("ones_like")(_filled(lambda operation: 1))
lowers("full_like")(_filled(lambda operation: operation.attrs["value"]))
