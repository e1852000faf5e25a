"""What is said of something that GE would not take, and of where it stands?"""

from __future__ import annotations

from typing import NamedTuple

from s2sad.backends.ascend.graph import LOCATION, Edge, Graph, Model, Node
from s2sad.backends.ascend.prototypes import Prototype

INPUTS = ("Data", "RefData")
#: What holds memory that outlives a run.
STATE = ("RefData", "Variable")


class Finding(NamedTuple):
    """Something that GE would refuse, or drop.

    Attributes
    ----------
    rule : str
        One word for its kind, such as ``"port"``.
    where : str
        ``"graph/node"``.
    what : str
    help : str
        "" where there is no more to say.
    source : str
        The line of the user's program that the node was made for, ``"net.py:12"``; "" where the
        file does not say it.

    Examples
    --------
    >>> print(Finding("cycle", "root/relu", "it waits for what waits for it", "cut it"))
    root/relu: cycle: it waits for what waits for it
      = help: cut it
    """

    rule: str
    where: str
    what: str
    help: str = ""
    source: str = ""

    def __str__(self) -> str:
        tail = f"\n  = help: {self.help}" if self.help else ""
        return f"{self.where}: {self.rule}: {self.what}{tail}"


def at(graph: Graph, node: Node, rule: str, what: str, help: str = "") -> Finding:
    """A finding at a node."""
    place = node.attributes.get(LOCATION)
    source = place.value if place is not None and place.kind == "String" else ""
    return Finding(rule, f"{graph.name}/{node.name}", what, help, source)


class Place(NamedTuple):
    """The node that is looked at, where it stands, and how its operator is declared."""

    model: Model
    graph: Graph
    node: Node
    declared: Prototype

    def finding(self, rule: str, what: str, help: str = "") -> Finding:
        """A finding at this node."""
        return at(self.graph, self.node, rule, what, help)


def exists(graph: Graph, edge: Edge) -> bool:
    """Whether a node of `graph` makes what `edge` names."""
    source = graph.nodes.get(edge.name)
    return source is not None and 0 <= edge.index < len(source.output_descs)
