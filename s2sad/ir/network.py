"""How does data flow through a function, as a graph of networkx?

Nodes are named by their places in the program, so the same function gives the same graph:
``"input 0"``, ``"operation 3"`` in program order, ``"result 1"``; in regions also
``"argument 0 of body of operation 3"`` and ``"yield 0 of body of operation 3"``.
"""

from __future__ import annotations

from typing import Any

import networkx

from s2sad.ir.graph import Function, Operation, Region, Value


def to_networkx(function: Function) -> networkx.MultiDiGraph:
    """The data flow of `function`: a directed graph without cycles.

    An edge is a value on its way to one reader. A region's arguments have no edges into them:
    which operand an argument starts from is the affair of the operation that owns the region,
    and that operation is a reader of all. Its yields lead to it.

    Returns
    -------
    networkx.MultiDiGraph
        Nodes have ``kind`` (``"input"``, ``"operation"``, ``"result"``, ``"argument"`` or
        ``"yield"``), ``label``, ``index`` (place among its kind in the region; of an operation,
        in the program), and ``region``: the names of the nodes and regions around, outermost
        first, such as ``("operation 3", "body")``. Operations also have ``operation``. Edges
        have ``type`` (a `Type`), ``operand`` (index among what the reader reads), ``result``
        (index among what the source gives) and ``value``.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> graph = to_networkx(build_function(lambda x: p.mul(x, x), [f32[4]]))
    >>> for source, target, value in graph.edges(data=True):
    ...     print(source, "->", target, value["operand"], value["type"])
    input 0 -> operation 0 0 f32[4]
    input 0 -> operation 0 1 f32[4]
    operation 0 -> result 0 0 f32[4]
    """
    return _Drawing(function).graph


class _Drawing:
    """The graph of one function, in the making."""

    def __init__(self, function: Function) -> None:
        self.graph = networkx.MultiDiGraph(name=function.name)
        self.names: dict[Operation, str] = {}  # program order: an operation before its regions
        for operation in function.walk():
            self.names[operation] = f"operation {len(self.names)}"
        self.sources: dict[Value, str] = {}
        self.add_region(function.body, (), "input {}", "result {}")

    def add_region(self, region: Region, path: tuple[str, ...], arg: str, end: str) -> None:
        kind = "input" if not path else "argument"
        for value in region.args:
            label = f"{value.name or kind}: {value.type}"
            self.add_node(arg.format(value.index), kind, label, value.index, path)
            self.sources[value] = arg.format(value.index)
        for index, operation in enumerate(region.operations):
            self.add_operation(operation, path, index)
        for index, value in enumerate(region.yields):
            name, kind = end.format(index), "yield" if path else "result"
            self.add_node(name, kind, f"{kind} {index}", index, path)
            self.add_edge(value, name, index)
            if path:
                self.graph.add_edge(
                    name, path[-2], type=value.type, operand=None, result=index, value=value
                )

    def add_operation(self, operation: Operation, path: tuple[str, ...], index: int) -> None:
        name = self.names[operation]
        self.add_node(name, "operation", operation.prim.name, index, path, operation=operation)
        for operand, value in enumerate(operation.operands):
            self.add_edge(value, name, operand)
        for key, region in operation.regions.items():
            within = f"{{}} of {key} of {name}"
            self.add_region(region, (*path, name, key), f"argument {within}", f"yield {within}")
        self.sources.update(dict.fromkeys(operation.results, name))

    def add_node(
        self, name: str, kind: str, label: str, index: int, path: tuple[str, ...], **more: Any
    ) -> None:
        self.graph.add_node(name, kind=kind, label=label, index=index, region=path, **more)

    def add_edge(self, value: Value, target: str, operand: int) -> None:
        self.graph.add_edge(
            self.sources[value], target,
            type=value.type, operand=operand, result=value.index, value=value,
        )  # fmt: skip
