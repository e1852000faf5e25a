"""How is a function drawn by Graphviz?

Boxes are operations, ellipses what goes in and comes out, a cluster is a region. An edge shows
the type of the value that it carries.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.ir.graph import Function, Operation, Region, Value


def to_dot(function: Function) -> str:
    """Text in the DOT language that draws `function`; the same for the same function.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> print(to_dot(build_function(lambda x: p.neg(x), [f32[4]], names=["x"])))
    digraph "main" {
      node [shape=box, fontname="monospace"];
      edge [fontname="monospace", fontsize=10];
      n0 [label="x", shape=ellipse];
      n1 [label="neg"];
      n0 -> n1 [label="x: f32[4]"];
      n2 [label="result 0", shape=ellipse];
      n1 -> n2 [label="f32[4]"];
    }
    """
    lines = [
        f"digraph {quoted(function.name)} {{",
        '  node [shape=box, fontname="monospace"];',
        '  edge [fontname="monospace", fontsize=10];',
        *_Drawing().region(function.body, "result", "  "),
        "}",
    ]
    return "\n".join(lines)


def quoted(text: str) -> str:
    r"""`text` as a quoted string of DOT, which shows it as it is.

    Examples
    --------
    >>> print(quoted('say "\\n"'))
    "say \"\\n\""
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\0", "\ufffd") + '"'


class _Drawing:
    """Names of what was drawn so far."""

    def __init__(self) -> None:
        self.count = 0
        self.sources: dict[Value, str] = {}

    def node(self) -> str:
        self.count += 1
        return f"n{self.count - 1}"

    def region(self, region: Region, end: str, margin: str) -> Iterator[str]:
        for value in region.args:
            name = self.sources[value] = self.node()
            label = quoted(value.name or f"argument {value.index}")
            yield f"{margin}{name} [label={label}, shape=ellipse];"
        for operation in region.operations:
            yield from self.operation(operation, margin)
        for index, value in enumerate(region.yields):
            name = self.node()
            yield f"{margin}{name} [label={quoted(f'{end} {index}')}, shape=ellipse];"
            yield self.edge(value, name, margin)

    def operation(self, operation: Operation, margin: str) -> Iterator[str]:
        name = self.node()
        yield f"{margin}{name} [label={quoted(_label(operation))}];"
        for value in operation.operands:
            yield self.edge(value, name, margin)
        for key, region in operation.regions.items():
            yield f"{margin}subgraph cluster_{name}_{key} {{"
            yield f"{margin}  label={quoted(f'{key} of {operation.prim.name}')};"
            yield f"{margin}  {name}_{key} [shape=point];"
            yield from self.region(region, "yield", margin + "  ")
            yield f"{margin}}}"
            yield f"{margin}{name} -> {name}_{key} [style=dashed, arrowhead=none];"
        self.sources.update(dict.fromkeys(operation.results, name))

    def edge(self, value: Value, target: str, margin: str) -> str:
        label = quoted(f"{value.name}: {value.type}" if value.name else str(value.type))
        return f"{margin}{self.sources[value]} -> {target} [label={label}];"


def _label(operation: Operation) -> str:
    """The primitive and its attributes, each on a line."""
    lines = [operation.prim.name]
    for name, value in operation.attrs.items():
        text = " ".join(repr(value).split())
        lines.append(f"{name}={text if len(text) <= 40 else text[:37] + '...'}")
    return "\n".join(lines)
