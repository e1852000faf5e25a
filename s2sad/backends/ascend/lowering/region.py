"""How does a region of the IR become a graph of GE?

Its operations become nodes in order, each by its rule. What a region inside of another reads from
outside becomes an input of its graph; a constant is made again there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.backends.ascend.building import Given, GraphBuilder
from s2sad.backends.ascend.datatypes import data_type_of, dtype_of
from s2sad.backends.ascend.graph import LOCATION, OPERATION, Attribute, Desc, Edge, Graph
from s2sad.backends.ascend.lowering.rules import RULES, takes
from s2sad.backends.ascend.prototypes import port_of, prototype
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError, amend, fail
from s2sad.core.dtypes import DType
from s2sad.core.excerpt import users
from s2sad.ir.graph import Operation, Region, Value
from s2sad.ir.primitive import Form
from s2sad.ir.types import StackType, TensorType, TokenType, Type


def desc_of(type: Type) -> Desc:
    """What GE is told of a value of `type` (E0402 for a size that is open)."""
    if isinstance(type, StackType):
        return Desc("DT_RESOURCE", ())
    if not isinstance(type, TensorType):
        raise fail("E0901", f"no tensor of GE is a {type}")
    sizes = tuple(n for n in type.shape if isinstance(n, int))
    if len(sizes) < len(type.shape):
        raise fail("E0402", f"a graph for Ascend has fixed sizes, and {type} is open")
    return Desc(data_type_of(type.dtype).name, sizes)


def is_held(type: Type) -> bool:
    """Whether a value of `type` is a tensor of GE: a token is an order of nodes instead."""
    return not isinstance(type, TokenType)


class Lowering:
    """A graph that is being made.

    Parameters
    ----------
    name : str
        Of the graph, its own in the model.
    graphs : dict of Graph
        Those of the model, by name; regions inside are added to it.
    """

    def __init__(self, name: str, graphs: dict[str, Graph]) -> None:
        self.builder = GraphBuilder(name)
        self.graphs = graphs
        self.edges: dict[Value, Edge] = {}
        self.last_effect: str | None = None
        self.writers: dict[Edge, str] = {}  # what writes state in place, by node
        self.backprops: dict[Operation, Edge] = {}  # what an operator gives for its gradient
        self._touched: dict[Edge, str] = {}  # who used a stack last
        self._shared: dict[Any, Edge] = {}

    def unique_graph(self, name: str) -> str:
        """A name for a graph inside of this one, which no graph of the model has."""
        outer = self.builder.graph.name
        stem = name if outer == "root" else f"{outer}/{name}"
        names = (f"{stem}_{number}" for number in itertools.count())
        found = next(each for each in names if each not in self.graphs)
        self.graphs[found] = Graph(found)  # taken from here on
        return found

    def end(self, results: Sequence[Edge]) -> None:
        """End the graph: what only writes comes before its end, or might be left out."""
        effects = [self.last_effect] if self.last_effect is not None else []
        last = dict.fromkeys([*effects, *self.writers.values(), *self._touched.values()])
        self.builder.net_output(results, after=list(last))

    def finish(self) -> str:
        """Put the graph into the model; its name."""
        self.graphs[self.builder.graph.name] = self.builder.graph
        return self.builder.graph.name

    # What operations read

    def edge(self, value: Value) -> Edge:
        """Where the graph has `value`."""
        if value not in self.edges and isinstance(value.owner, Operation):
            if value.owner.prim.form is Form.CONST:  # of a region around this one
                self.lower(value.owner)
        return self.edges[value]

    def constant(self, numbers: Any, dtype: DType = dtypes.int64) -> Edge:
        """A constant of the graph, once."""
        return self.stored(dtypes.narrow(np.asarray(numbers), dtype), dtype)

    def stored(self, array: np.ndarray, dtype: DType) -> Edge:
        """A constant whose elements `array` holds as `dtype` stores them, once."""
        key = ("const", dtype, array.shape, array.tobytes())
        return self.shared(key, lambda: self.builder.constant(array, dtype))

    def shared(self, key: Any, make: Callable[[], Edge]) -> Edge:
        """What `make` adds to the graph, once for each `key`."""
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]

    # What operations become

    def lower_region(self, region: Region) -> list[Edge]:
        """Lower the operations of `region`; where the graph has what it yields, but for tokens."""
        for operation in region.operations:
            self.lower(operation)
        return [self.edge(value) for value in region.yields if is_held(value.type)]

    def lower(self, operation: Operation) -> None:
        """Add the nodes of an operation.

        Raises
        ------
        S2sadError
            E0712 for an operation that GE has no operators for, located at the user's line.
        """
        try:
            if not takes(operation):
                raise fail(
                    "E0712", f"GE has no operators for this {operation.prim.name}",
                    help="compute it on the host, or in another way",
                )  # fmt: skip
            found = RULES[operation.prim.name](self, operation)
        except S2sadError as error:
            if operation.loc is not None:
                amend(error, location=operation.loc)
            raise
        edges = [found] if isinstance(found, Edge) else list(found)
        held = [value for value in operation.results if is_held(value.type)]
        self.edges.update(zip(held, edges, strict=True))

    def node(
        self,
        operation: Operation,
        type: str,
        inputs: Mapping[str, Given | None],
        attributes: Mapping[str, Any] | None = None,
        *,
        outputs: Sequence[Desc] | None = None,
        **options: Any,
    ) -> Edge:
        """Add a node for `operation`; by default it gives what the operation does.

        Raises
        ------
        S2sadError
            E0301 where the operator takes no such dtype.
        """
        if outputs is None:
            outputs = [desc_of(value.type) for value in operation.results if is_held(value.type)]
        marks = {OPERATION: Attribute("String", operation.prim.name)}
        if operation.loc is not None:
            _, place = users(operation.loc)
            marks[LOCATION] = Attribute("String", f"{place.file}:{place.line}")
        name = options.pop("name", None) or _name_of(operation, type)
        edge = self.builder.node(
            type, inputs, outputs, {**(attributes or {}), **marks}, name=name, **options
        )
        self._require_types(edge)
        return edge

    def _require_types(self, edge: Edge) -> None:
        node, declared = (
            self.builder.graph.nodes[edge.name],
            prototype(self.builder.graph.nodes[edge.name].type),
        )
        for word, ports, descs in (
            ("takes", declared.inputs, node.input_descs),
            ("gives", declared.outputs, node.output_descs),
        ):
            for desc in descs:
                port = port_of(ports, desc.name)
                if port is not None and not port.takes(desc.type):
                    raise fail(
                        "E0301",
                        f"{node.type} of GE {word} no {dtype_of(desc.type).name} as {desc.name}",
                        help="float32 and float16 are what a device computes in; cast before",
                    )

    # Small steps that many rules take

    def desc(self, edge: Edge) -> Desc:
        """What is said of the tensor at `edge`."""
        return self.builder.desc(edge)

    def made(self, value: Value, dtype: DType) -> Desc:
        """What is said of `value`, in another dtype."""
        return Desc(data_type_of(dtype).name, desc_of(value.type).shape)

    def cast(self, operation: Operation, edge: Edge, dtype: DType) -> Edge:
        """The tensor at `edge` in `dtype`."""
        wanted = data_type_of(dtype)
        desc = self.desc(edge)
        if desc.type == wanted.name:
            return edge
        made = Desc(wanted.name, desc.shape)
        return self.node(
            operation, "Cast", {"x": edge}, {"dst_type": wanted.attribute}, outputs=[made]
        )

    def reshape(self, operation: Operation, edge: Edge, shape: Sequence[int]) -> Edge:
        """The tensor at `edge` in another shape."""
        desc = self.desc(edge)
        if desc.shape == tuple(shape):
            return edge
        given = {"x": edge, "shape": self.constant(list(shape))}
        return self.node(operation, "Reshape", given, outputs=[Desc(desc.type, tuple(shape))])

    def stack_name(self) -> str:
        """A name for a stack, which no other of the model has."""
        graph = self.builder.graph
        return f"{graph.name}/stack_{sum(1 for _ in graph.of_type('Stack'))}"

    def touch(self, handle: Edge, node: Edge) -> None:
        """Let `node`, which uses the stack of `handle`, come after the one that used it last."""
        if handle in self._touched:
            self.builder.graph.nodes[node.name].after.append(self._touched[handle])
        self._touched[handle] = node.name

    def users_of_stacks(self, edges: Sequence[Edge]) -> list[str]:
        """Who used the stacks among `edges` last, in this graph."""
        return [self._touched[edge] for edge in edges if edge in self._touched]

    def order(self, edge: Edge) -> Edge:
        """Let the node of `edge`, which has an effect, come after the one before it."""
        if self.last_effect is not None:
            self.builder.graph.nodes[edge.name].after.append(self.last_effect)
        self.last_effect = edge.name
        return edge


def _name_of(operation: Operation, type: str) -> str:
    """``backbone/conv1/Conv2D``: the path of the Cell that it came from, and what it is."""
    parts = [part.partition(":")[0] for part in operation.scope.split("/")[1:]]
    return "/".join([*filter(None, parts), type])
