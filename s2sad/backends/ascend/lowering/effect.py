"""Effects: nodes in the order of their tokens; sends and receives among devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.backends.ascend.graph import Attribute, Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of, is_held
from s2sad.backends.ascend.lowering.rules import lowers
from s2sad.backends.ascend.lowering.shape import transposed
from s2sad.core import dtypes
from s2sad.ir.graph import Operation, Value


def _seen(lowering: Lowering, values: Sequence[Value]) -> list[Edge]:
    return [lowering.edge(value) for value in values if is_held(value.type)]


@lowers("print_")
def _print(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """The text goes beside the node: GE's Print shows tensors one after the other."""
    seen = _seen(lowering, operation.operands)
    text = {"_s2sad_format": Attribute("String", operation.attrs["format"])}
    lowering.order(lowering.node(operation, "Print", {"x": seen}, text, outputs=[]))
    return ()


@lowers("assert_")
def _assert(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    condition, *seen = _seen(lowering, operation.operands)
    given = {"input_condition": condition, "input_data": seen or [condition]}
    text = {"_s2sad_message": Attribute("String", str(operation.attrs["message"]))}
    lowering.order(lowering.node(operation, "Assert", given, text, outputs=[]))
    return ()


@lowers("check_finite")
def _check_finite(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    (x,) = _seen(lowering, operation.operands)
    shape = lowering.desc(x).shape
    finite = lowering.node(operation, "IsFinite", {"x": x}, outputs=[Desc("DT_BOOL", shape)])
    axes = lowering.constant(list(range(len(shape))))
    whole = {"x": finite, "axes": axes}
    every = lowering.node(operation, "ReduceAll", whole, outputs=[Desc("DT_BOOL", ())])
    text = {"_s2sad_message": Attribute("String", f"{operation.attrs['what']} is not finite")}
    given = {"input_condition": every, "input_data": [x]}
    lowering.order(lowering.node(operation, "Assert", given, text, outputs=[]))
    return ()


def _is_of_one_program(operation: Operation) -> bool:
    return not operation.attrs["rows"]


@lowers("raise_", where=_is_of_one_program)
def _raise(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """An Assert that never holds."""
    never = lowering.constant(False, dtypes.bool_)
    given = {"input_condition": never, "input_data": _seen(lowering, operation.operands) or [never]}
    said = f"{operation.attrs['kind']}: {operation.attrs['message'] or ''}"
    text = {"_s2sad_message": Attribute("String", said)}
    lowering.order(lowering.node(operation, "Assert", given, text, outputs=[]))
    return ()


# Collectives


#: Groups by the names that HCCL has for them.
GROUPS = {"world": "hccl_world_group"}


def _group(operation: Operation) -> str:
    group: str = operation.attrs["group"]
    return GROUPS.get(group, group)


@lowers("all_reduce")
def _all_reduce(lowering: Lowering, operation: Operation) -> Edge:
    (x,) = _seen(lowering, operation.operands)
    options = {"reduction": operation.attrs["op"], "group": _group(operation)}
    return lowering.order(lowering.node(operation, "HcomAllReduce", {"x": x}, options))


def _to_front(axis: int, rank: int) -> list[int]:
    """The order of axes in which `axis` is the first."""
    return [axis, *(i for i in range(rank) if i != axis)]


def _along(
    lowering: Lowering, operation: Operation, type: str, axis: int, options: dict[str, Any]
) -> Edge:
    """A collective that works on the first axis: another one is brought there and back."""
    (x,) = _seen(lowering, operation.operands)
    result = operation.results[-1]
    order = _to_front(axis, result.ndim)
    x = transposed(lowering, operation, x, order)
    shape = desc_of(result.type).shape
    made = Desc(lowering.desc(x).type, tuple(shape[i] for i in order))
    y = lowering.order(lowering.node(operation, type, {"x": x}, options, outputs=[made]))
    return transposed(lowering, operation, y, list(np.argsort(order)))


@lowers("all_gather")
def _all_gather(lowering: Lowering, operation: Operation) -> Edge:
    options = {"rank_size": operation.attrs["size"], "group": _group(operation)}
    return _along(lowering, operation, "HcomAllGather", operation.attrs["axis"], options)


@lowers("reduce_scatter")
def _reduce_scatter(lowering: Lowering, operation: Operation) -> Edge:
    options = {"reduction": operation.attrs["op"], "group": _group(operation),
               "rank_size": operation.attrs["size"]}  # fmt: skip
    return _along(lowering, operation, "HcomReduceScatter", operation.attrs["axis"], options)


@lowers("all_to_all")
def _all_to_all(lowering: Lowering, operation: Operation) -> Edge:
    """Parts of the first axis go to the members; what they send is joined along another axis."""
    (x,) = _seen(lowering, operation.operands)
    split, joined, count = (operation.attrs[n] for n in ("split_axis", "concat_axis", "size"))
    rank = len(lowering.desc(x).shape)
    x = transposed(lowering, operation, x, _to_front(split, rank))
    desc = lowering.desc(x)
    made = Desc(desc.type, desc.shape)
    options = {"group": _group(operation)}
    y = lowering.order(lowering.node(operation, "HcomAllToAll", {"x": x}, options, outputs=[made]))
    y = lowering.reshape(operation, y, (count, desc.shape[0] // count, *desc.shape[1:]))
    places = {axis: 1 + i for i, axis in enumerate(_to_front(split, rank))}
    order = [place for i in range(rank) for place in ([0] if i == joined else []) + [places[i]]]
    y = transposed(lowering, operation, y, order)
    return lowering.reshape(operation, y, desc_of(operation.results[-1].type).shape)


@lowers("send")
def _send(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """Tensors come in the order in which they are sent: all have one tag."""
    (x,) = _seen(lowering, operation.operands)
    options = {"group": _group(operation), "sr_tag": 0, "dest_rank": operation.attrs["to"]}
    lowering.order(lowering.node(operation, "HcomSend", {"x": x}, options, outputs=[]))
    return ()


@lowers("receive")
def _receive(lowering: Lowering, operation: Operation) -> Edge:
    desc = desc_of(operation.results[-1].type)
    options = {"group": _group(operation), "sr_tag": 0, "src_rank": operation.attrs["source"],
               "shape": list(desc.shape), "dtype": desc.type}  # fmt: skip
    return lowering.order(lowering.node(operation, "HcomReceive", {}, options, outputs=[desc]))


@lowers("broadcast")
def _broadcast(lowering: Lowering, operation: Operation) -> Edge:
    seen = _seen(lowering, operation.operands)
    options = {"root_rank": operation.attrs["root"], "group": _group(operation)}
    return lowering.order(lowering.node(operation, "HcomBroadcast", {"x": seen}, options))
