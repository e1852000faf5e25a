"""Effects: nodes in the order of their tokens; sends and receives among devices."""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.ascend.graph import Attribute, Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, is_held
from s2sad.backends.ascend.lowering.rules import lowers
from s2sad.core import dtypes
from s2sad.ir.graph import Operation, Value
from s2sad.prims.kernels import philox


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


def _is_over_rows(operation: Operation) -> bool:
    return operation.attrs["axis"] == 0


@lowers("all_gather", where=_is_over_rows)
def _all_gather(lowering: Lowering, operation: Operation) -> Edge:
    (x,) = _seen(lowering, operation.operands)
    options = {"rank_size": operation.attrs["size"], "group": _group(operation)}
    return lowering.order(lowering.node(operation, "HcomAllGather", {"x": x}, options))


@lowers("reduce_scatter", where=_is_over_rows)
def _reduce_scatter(lowering: Lowering, operation: Operation) -> Edge:
    (x,) = _seen(lowering, operation.operands)
    options = {"reduction": operation.attrs["op"], "group": _group(operation),
               "rank_size": operation.attrs["size"]}  # fmt: skip
    return lowering.order(lowering.node(operation, "HcomReduceScatter", {"x": x}, options))


@lowers("broadcast")
def _broadcast(lowering: Lowering, operation: Operation) -> Edge:
    seen = _seen(lowering, operation.operands)
    options = {"root_rank": operation.attrs["root"], "group": _group(operation)}
    return lowering.order(lowering.node(operation, "HcomBroadcast", {"x": seen}, options))


# Random numbers: a stream of Philox, whose key and counter are the state


@lowers("seed_state")
def _seed_state(lowering: Lowering, operation: Operation) -> Edge:
    return lowering.stored(philox.seed_state(operation.attrs["seed"]), dtypes.int64)
