"""Which values does the backward half keep of the forward one, and which does it compute again?

A minimum cut through the data flow from the inputs to what the backward half reads. A value is an
edge that costs its bytes: where it is cut, the value is kept. Behind the cut operations run again,
or only there. Of the cuts that cost the same it is the one that lets least run again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib import import_module

from s2sad import prims as p
from s2sad.ir import dims
from s2sad.ir.graph import Operation, Value
from s2sad.ir.primitive import Form, Primitive, Trait
from s2sad.ir.types import StackType, TensorType, Type

#: Cheap besides elementwise operations and constants: they only look at numbers in another way, or
#: count.
VIEWS: frozenset[Primitive] = frozenset(
    (p.broadcast_to, p.reshape, p.transpose, p.slice, p.split, p.flip, p.iota, p.stop_gradient)
)
#: What the choice assumes where a program does not tell: elements of a stack, sizes.
TYPICAL = 64

SOURCE, SINK = "inputs", "backward"


def run_again(
    read: Iterable[Value],
    free: Collection[Value],
    reads: Mapping[Operation, Sequence[Value]],
    price: Callable[[Operation], int | None],
) -> set[Operation]:
    """Operations that the backward half runs by itself, so as to keep the least.

    Parameters
    ----------
    read : iterable of Value
        What the backward half reads of values that do not depend on a cotangent.
    free : collection of Value
        What costs nothing to keep.
    reads : mapping of Operation to sequence of Value
        What each operation reads, in its regions as well.
    price : callable
        How many bytes are kept rather than that an operation runs again; None for any number.
    """
    networkx = import_module("networkx")  # on first need: it takes longer to import than s2sad
    graph = networkx.DiGraph()
    graph.add_nodes_from((SOURCE, SINK))
    pending = list(read)
    graph.add_edges_from((("read", value), SINK) for value in pending)  # no capacity: endless
    while pending:
        value = pending.pop()
        if graph.has_edge(value, ("read", value)):
            continue
        cost = 0 if value in free else typical_bytes(value.type)
        graph.add_edge(value, ("read", value), capacity=cost)
        owner = value.owner
        if not isinstance(owner, Operation):
            graph.add_edge(SOURCE, value)
            continue
        graph.add_edge(owner, value)
        priced = price(owner)
        if priced is None:
            graph.add_edge(SOURCE, owner)
            continue
        if priced:
            graph.add_edge(SOURCE, owner, capacity=priced)
        for operand in reads[owner]:
            graph.add_edge(("read", operand), owner)
            if operand.type.is_linear and isinstance(operand.owner, Operation):
                graph.add_edge(owner, operand.owner)  # it is used up where it is made, or later
        pending += reads[owner]
    _, (_, behind) = networkx.minimum_cut(graph, SOURCE, SINK)
    return {node for node in behind if isinstance(node, Operation)}


def is_cheap(operation: Operation) -> bool:
    """Whether to run `operation` a second time costs less than to keep what it gives."""
    prim = operation.prim
    if operation.regions or prim.has(Trait.FALLIBLE) or prim.has(Trait.EFFECT):
        return False
    if prim.has(Trait.ELEMENTWISE) or prim.form is Form.CONST or prim in VIEWS:
        return True
    if prim.expand is None:
        return False
    types = tuple(value.type for value in operation.operands)
    return all(map(is_cheap, prim.expand(types, operation.attrs).body.operations))


def typical_bytes(type: Type) -> int:  # noqa: A002
    """Bytes of a value of `type`, as far as it tells."""
    if isinstance(type, StackType):
        return TYPICAL * typical_bytes(type.element)
    if not isinstance(type, TensorType):
        return 0
    size = type.nbytes
    known = {} if isinstance(size, int) else dict.fromkeys(dims.free_symbols(size), TYPICAL)
    found = dims.substitute(size, known)
    assert isinstance(found, int)
    return found
