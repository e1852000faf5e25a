"""How does a person read a graph of GE?

One line a node: what it gives, its operator with what it reads by port, and its attributes. The
tables that only the engine looks in are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from s2sad.backends.ascend.datatypes import BY_ATTRIBUTE, TO_DTYPE
from s2sad.backends.ascend.graph import Array, Attribute, Graph, Model, Node

#: Attributes that say again what the line says already.
HIDDEN = frozenset(
    f"_{side}_name_{part}" for side in ("input", "output") for part in ("key", "value")
)
#: Elements of a constant that are shown at most.
SHOWN = 6


def as_text(model: Model) -> str:
    """The model for people.

    Examples
    --------
    >>> from s2sad.backends.ascend.building import GraphBuilder
    >>> from s2sad.backends.ascend.graph import Desc
    >>> builder = GraphBuilder("step")
    >>> x = builder.data(Desc("DT_FLOAT", (2,)))
    >>> builder.net_output([builder.node("Relu", {"x": x}, [Desc("DT_FLOAT", (2,))])])
    >>> print(as_text(Model("net", {"step": builder.graph})), end="")
    model net
    <BLANKLINE>
    graph step
      data_0      = Data()  index=0                 : float[2]
      Relu        = Relu(x=data_0)                  : float[2]
      net_output  = NetOutput(input0=Relu)
    """
    lines = [f"model {model.name}"]
    for graph in model.graphs.values():
        lines += ["", f"graph {graph.name}", *_lines(graph)]
    return "\n".join(lines) + "\n"


def _lines(graph: Graph) -> Iterator[str]:
    nodes = list(graph.nodes.values())
    width = max((len(node.name) for node in nodes), default=0)
    bodies = [_body(node) for node in nodes]
    wide = max((len(body) for body in bodies if len(body) <= 44), default=0)
    for node, body in zip(nodes, bodies, strict=True):
        given = ", ".join(map(str, node.output_descs))
        line = f"  {node.name:<{width}}  = {body:<{wide}}"
        yield f"{line}  : {given}".rstrip() if given else line.rstrip()
    if graph.outputs:
        yield f"  gives {', '.join(map(str, graph.outputs))}"


def _body(node: Node) -> str:
    read = [
        f"{desc.name}={_edge(edge)}"
        for edge, desc in zip(node.inputs, node.input_descs, strict=False)
        if edge is not None
    ]
    words = [f"{node.type}({', '.join(read)})"]
    words += [
        f"{name}={_shown(value)}"
        for name, value in sorted(node.attributes.items())
        if name not in HIDDEN
    ]
    words += [f"calls {', '.join(node.subgraphs)}"] if node.subgraphs else []
    words += [f"after {', '.join(node.after)}"] if node.after else []
    return "  ".join(words)


def _edge(edge: Any) -> str:
    return edge.name if edge.index == 0 else str(edge)


def _shown(attribute: Attribute) -> str:
    kind, value = attribute
    if kind == "Type":
        return BY_ATTRIBUTE[value].name if value in BY_ATTRIBUTE else str(value)
    if kind == "ListType":
        return f"[{', '.join(_shown(Attribute('Type', x)) for x in value)}]"
    if kind == "Tensor":
        return _elements(value)
    if kind == "Float":
        return f"{value:.6g}"
    return repr(value) if kind == "String" else str(value)


def _elements(array: Array) -> str:
    """The first elements of a constant."""
    dtype = TO_DTYPE.get(array.desc.type)
    is_whole = dtype is not None and len(array.data) % dtype.itemsize == 0
    if dtype is None or dtype.name == "bfloat16" or not is_whole:
        return f"<{len(array.data)} bytes>"
    elements = np.frombuffer(array.data, dtype.storage)
    words = [f"{x:.6g}" if dtype.is_float else str(x) for x in elements[:SHOWN]]
    return f"[{', '.join(words)}{', …' if elements.size > SHOWN else ''}]"
