"""What is a graph of GE, before it is bytes?

A model holds graphs, a graph holds nodes, a node names what it reads. This is the file's own form,
with names for edges and attributes of a known kind, so that writing and reading lose nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from s2sad.backends.ascend.datatypes import DATA_TYPES

#: Attributes of nodes that say where in the user's program they come from.
LOCATION = "_s2sad_location"
OPERATION = "_s2sad_operation"
#: How a file writes an edge.
EDGE = re.compile(r"(.*):(-?[0-9]{1,18})", re.DOTALL)


class Edge(NamedTuple):
    """The result that a node reads: output `index` of the node `name`; -1 for order only.

    Examples
    --------
    >>> str(Edge("conv", 0)), Edge.parse("scope/a:b:1")
    ('conv:0', Edge(name='scope/a:b', index=1))
    """

    name: str
    index: int = 0

    def __str__(self) -> str:
        return f"{self.name}:{self.index}"

    @classmethod
    def parse(cls, text: str) -> Edge:
        """The edge that a file writes as `text`: what follows the last colon is the index."""
        found = EDGE.fullmatch(text)
        if found is None:
            raise ValueError(text)
        return cls(found[1], int(found[2]))


#: Kinds of attributes that the engine drops.
DROPPED = ("None", "List", "Unknown")


class Attribute(NamedTuple):
    """A value that is attached to something, and its kind, as prototypes name kinds.

    Attributes
    ----------
    kind : str
        ``"Int"``, ``"Float"``, ``"Bool"``, ``"String"``, ``"Bytes"``, ``"Type"`` (a number of the
        engine's enumeration), ``"Tensor"``, ``"Graph"``, ``"NamedAttrs"``, ``"ListListInt"``,
        ``"ListListFloat"``, ``"Expression"``, or ``"List"`` before one of the first. What the
        engine drops without a word is ``"None"`` where there is no value, ``"List"`` where a list
        does not say what it holds, and ``"Unknown"`` where the value is of another kind.
    value : object
        None for what is dropped.
    """

    kind: str
    value: Any


def whole(attributes: Mapping[str, Attribute], name: str) -> int | None:
    """The number that the attribute `name` holds; None where it is none."""
    found = attributes.get(name)
    return found.value if found is not None and found.kind == "Int" else None


@dataclass
class Desc:
    """What is said of a tensor.

    Attributes
    ----------
    type : str
        GE's data type, ``"DT_FLOAT"``.
    shape : tuple of int
        -1 for a size that is not known; -2 alone for an unknown number of axes.
    layout : str
    name : str
        Of the port.
    attributes : dict of Attribute

    Examples
    --------
    >>> print(Desc("DT_FLOAT", (2, 3)))
    float[2, 3]
    """

    type: str = "DT_UNDEFINED"
    shape: tuple[int, ...] = ()
    layout: str = "ND"
    name: str = ""
    attributes: dict[str, Attribute] = field(default_factory=dict)

    def __str__(self) -> str:
        layout = "" if self.layout == "ND" else f" {self.layout}"
        return f"{self.type.removeprefix('DT_').lower()}[{', '.join(map(str, self.shape))}]{layout}"

    @property
    def nbytes(self) -> int | None:
        """Bytes of all elements; None where a size or the type is not known."""
        size = DATA_TYPES[self.type].nbytes if self.type in DATA_TYPES else None
        if size is None or any(n < 0 for n in self.shape):
            return None
        for n in self.shape:
            size *= n
        return size


class Array(NamedTuple):
    """The value of a constant: what it is, and its elements, little-endian, row by row."""

    desc: Desc
    data: bytes


@dataclass
class Node:
    """One operator.

    Attributes
    ----------
    name : str
        Of its own in its graph.
    type : str
        As prototypes call it.
    inputs : list of Edge or None
        By position; None for an optional one that is left out.
    after : list of str
        Nodes that have to run before, beside those that it reads.
    attributes : dict of Attribute
    input_descs, output_descs : list of Desc
    subgraphs : list of str
        Names of graphs of the model, in the prototype's order.
    """

    name: str
    type: str
    inputs: list[Edge | None] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    input_descs: list[Desc] = field(default_factory=list)
    output_descs: list[Desc] = field(default_factory=list)
    subgraphs: list[str] = field(default_factory=list)

    def value(self, name: str, default: Any = None) -> Any:
        """The value of the attribute `name`."""
        found = self.attributes.get(name)
        return default if found is None else found.value

    def ports(self, side: str) -> dict[str, int]:
        """Names of the ports of `side`, ``"input"`` or ``"output"``, and their places."""
        return dict(self.port_table(side))

    def port_table(self, side: str) -> list[tuple[str, int]]:
        """That table as it is written."""
        names, places = (
            found.value if found is not None and found.kind == kind else ()
            for found, kind in (
                (self.attributes.get(f"_{side}_name_key"), "ListString"),
                (self.attributes.get(f"_{side}_name_value"), "ListInt"),
            )
        )
        return list(zip(names, places, strict=False))


@dataclass
class Graph:
    """Nodes by name, in the order of the file; `outputs` are used where there is no NetOutput."""

    name: str
    nodes: dict[str, Node] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    outputs: list[Edge] = field(default_factory=list)
    attributes: dict[str, Attribute] = field(default_factory=dict)

    def of_type(self, *types: str) -> Iterator[Node]:
        """Nodes of any of `types`."""
        return (node for node in self.nodes.values() if node.type in types)

    def results(self) -> list[Edge]:
        """What the graph gives: what NetOutput reads, else `outputs`."""
        for node in self.of_type("NetOutput"):
            return [edge for edge in node.inputs if edge is not None]
        return self.outputs


@dataclass
class Model:
    """What a file holds: graphs by name, the first of which is the root."""

    name: str
    graphs: dict[str, Graph] = field(default_factory=dict)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    version: int = 0

    @property
    def root(self) -> Graph:
        """The graph that runs; all others are called by nodes."""
        return next(iter(self.graphs.values()))
