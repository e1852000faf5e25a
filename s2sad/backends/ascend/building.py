"""How is a graph of GE made, node by node, so that it fits the prototypes?

Ports come in the order of the prototype, dynamic ones expanded, an optional one that is left out as
an empty place; required attributes must be given, and the table of port names that GE looks in is
written. What does not fit is a fault of who calls (E0901).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.backends.ascend.datatypes import DATA_TYPES, data_type_of
from s2sad.backends.ascend.graph import Array, Attribute, Desc, Edge, Graph, Node
from s2sad.backends.ascend.prototypes import Port, Prototype, prototype
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType

Given = Edge | Sequence[Edge]


class GraphBuilder:
    """A graph that grows.

    Parameters
    ----------
    name : str
        Of its own in the model.

    Examples
    --------
    >>> builder = GraphBuilder("root")
    >>> vector = Desc("DT_FLOAT", (3,))
    >>> x = builder.data(vector)
    >>> y = builder.node("Add", {"x1": x, "x2": x}, [vector], name="twice")
    >>> builder.net_output([y])
    >>> [(node.name, node.type) for node in builder.graph.nodes.values()]
    [('data_0', 'Data'), ('twice', 'Add'), ('net_output', 'NetOutput')]
    """

    def __init__(self, name: str) -> None:
        self.graph = Graph(name)
        self._used: dict[str, int] = {}

    @classmethod
    def of(cls, graph: Graph) -> GraphBuilder:
        """What lets a graph that there is grow further."""
        builder = cls(graph.name)
        builder.graph = graph
        builder._used = dict.fromkeys(graph.nodes, 1)
        return builder

    def node(
        self,
        type: str,
        inputs: Mapping[str, Given | None],
        outputs: Sequence[Desc],
        attributes: Mapping[str, Any] | None = None,
        *,
        name: str | None = None,
        subgraphs: Sequence[str] = (),
        after: Sequence[str] = (),
    ) -> Edge:
        """Add an operator; its first result.

        Parameters
        ----------
        type : str
        inputs : mapping of port to Edge, sequence of Edge for a dynamic one, or None
        outputs : sequence of Desc
            In the prototype's order; as many as there are for one dynamic port.
        attributes : mapping of str to value
            Values by the prototype's names; an `Attribute` for one that it does not name.
        name : str, optional
            A number is put behind it where it is taken.
        """
        declared = prototype(type)
        node = Node(self.unique(name or type), type, subgraphs=list(subgraphs), after=list(after))
        self._take_inputs(node, declared, inputs)
        _give_outputs(node, declared, list(outputs))
        node.attributes.update(_attributes(declared, attributes or {}))
        self.graph.nodes[node.name] = node
        return Edge(node.name)

    def outputs(self, edge: Edge) -> tuple[Edge, ...]:
        """All results of the node that `edge` comes from."""
        node = self.graph.nodes[edge.name]
        return tuple(Edge(edge.name, i) for i in range(len(node.output_descs)))

    def desc(self, edge: Edge) -> Desc:
        """What is said of the result at `edge`."""
        return self.graph.nodes[edge.name].output_descs[edge.index]

    def data(self, desc: Desc, *, name: str = "data", kind: str = "Data") -> Edge:
        """An input of the graph: the next one, of `kind` Data or RefData."""
        index = sum(1 for _ in self.graph.of_type("Data", "RefData"))
        node = Node(self.unique(f"{name}_{index}" if name == "data" else name), kind)
        node.input_descs, node.output_descs = [_port(desc, "x")], [_port(desc, "y")]
        node.attributes = {"index": Attribute("Int", index), **_names("input", ["x"]),
                           **_names("output", ["y"])}  # fmt: skip
        self.graph.nodes[node.name] = node
        return Edge(node.name)

    def variable(self, name: str, desc: Desc) -> Edge:
        """Memory that is called `name` in all graphs of a session: one node in each."""
        if name not in self.graph.nodes:
            self.data(desc, name=name, kind="Variable")
            del self.graph.nodes[name].attributes["index"]  # those of inputs are counted
        return Edge(name)

    def constant(self, array: Any, dtype: DType, *, name: str = "const") -> Edge:
        """A constant: `array` holds elements as `dtype` stores them."""
        stored = np.ascontiguousarray(array)
        desc = Desc(data_type_of(dtype).name, tuple(map(int, np.shape(array))))
        little = stored.astype(stored.dtype.newbyteorder("<"), copy=False)
        return self.node("Const", {}, [desc], {"value": Array(desc, little.tobytes())}, name=name)

    def net_output(self, results: Sequence[Edge], *, after: Sequence[str] = ()) -> None:
        """End the graph with what it gives, when the nodes `after` have run."""
        self.node("NetOutput", {"input": list(results)}, [], name="net_output", after=after)

    def unique(self, name: str) -> str:
        """`name`, with a number behind it where it is taken."""
        count = self._used.get(name, 0)
        self._used[name] = count + 1
        return name if not count else self.unique(f"{name}_{count}")

    def _take_inputs(
        self, node: Node, declared: Prototype, given: Mapping[str, Given | None]
    ) -> None:
        unknown = given.keys() - {port.name for port in declared.inputs}
        if unknown:
            raise fail("E0901", f"{declared.type} has no input {min(unknown)!r}")
        names: list[str] = []
        for port in declared.inputs:
            for name, edge in _expanded(declared, port, given.get(port.name)):
                names.append(name)
                node.inputs.append(edge)
                node.input_descs.append(self._input_desc(name, edge))
        while node.inputs and node.inputs[-1] is None:  # none of the optional ones at the end
            del node.inputs[-1], node.input_descs[-1], names[-1]
        node.attributes.update(_names("input", names))

    def _input_desc(self, name: str, edge: Edge | None) -> Desc:
        if edge is None:
            return Desc(name=name, attributes={"_is_unfed_optional": Attribute("Int", 1)})
        return _port(self.desc(edge), name)


def _expanded(
    declared: Prototype, port: Port, given: Given | None
) -> list[tuple[str, Edge | None]]:
    """The places of a port: name and what is read there."""
    if port.kind == "dynamic":
        edges = [] if given is None else [given] if isinstance(given, Edge) else list(given)
        return [(f"{port.name}{i}", edge) for i, edge in enumerate(edges)]
    if given is None and port.kind == "required":
        raise fail("E0901", f"{declared.type} needs its input {port.name!r}")
    if given is not None and not isinstance(given, Edge):
        raise fail("E0901", f"the input {port.name!r} of {declared.type} is one tensor")
    return [(port.name, given)]


def _give_outputs(node: Node, declared: Prototype, descs: list[Desc]) -> None:
    dynamic = [port for port in declared.outputs if port.kind == "dynamic"]
    fixed = len(declared.outputs) - len(dynamic)
    if len(descs) < fixed or len(dynamic) > 1 or (not dynamic and len(descs) > fixed):
        raise fail("E0901", f"{declared.type} has {fixed} outputs, got {len(descs)} descriptors")
    names: list[str] = []
    for port in declared.outputs:
        count = len(descs) - fixed
        names += [f"{port.name}{i}" for i in range(count)] if port in dynamic else [port.name]
    node.output_descs = [_port(desc, name) for desc, name in zip(descs, names, strict=True)]
    node.attributes.update(_names("output", names))


def _port(desc: Desc, name: str) -> Desc:
    return Desc(desc.type, desc.shape, desc.layout, name, dict(desc.attributes))


def _names(side: str, names: list[str]) -> dict[str, Attribute]:
    return {
        f"_{side}_name_key": Attribute("ListString", names),
        f"_{side}_name_value": Attribute("ListInt", list(range(len(names)))),
    }


def _attributes(declared: Prototype, given: Mapping[str, Any]) -> dict[str, Attribute]:
    missing = [
        a.name for a in declared.attributes.values() if a.is_required and a.name not in given
    ]
    if missing:
        raise fail("E0901", f"{declared.type} needs its attribute {missing[0]!r}")
    found = {}
    for name, value in given.items():
        if isinstance(value, Attribute):
            found[name] = value
        elif name in declared.attributes:
            found[name] = Attribute(declared.attributes[name].type, _plain(value))
        else:
            raise fail("E0901", f"{declared.type} has no attribute {name!r}")
    return found


def _plain(value: Any) -> Any:
    """`value` as a file holds it; a dtype by the number that attributes have for it."""
    if isinstance(value, DType):
        return data_type_of(value).attribute
    if isinstance(value, str) and value in DATA_TYPES:
        return DATA_TYPES[value].attribute
    if isinstance(value, (list, tuple)) and not isinstance(value, Array):
        return [_plain(x) for x in value]
    return value.item() if isinstance(value, np.generic) else value
