"""Which storage formats does the engine like, and where would it have to transpose data?

The cube unit reads images as NC1HWC0, filters as FRACTAL_Z and the weights of products as
FRACTAL_NZ. The engine decides itself, and puts in TransData: this is what its rules imply. A format
spreads through what looks at one element at a time and at channels, and stops where axes change.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from s2sad.backends.ascend.datatypes import DATA_TYPES
from s2sad.backends.ascend.graph import Desc, Edge, Graph, Model, Node

IMAGE, FILTER, MATRIX = "NC1HWC0", "FRACTAL_Z", "FRACTAL_NZ"
VOLUME, FILTER_3D = "NDC1HWC0", "FRACTAL_Z_3D"
#: Formats of the ports of the cube's operators.
LIKED: dict[str, dict[str, str]] = {
    "Conv2D": {"x": IMAGE, "filter": FILTER, "y": IMAGE},
    "Conv2DBackpropInput": {"filter": FILTER, "out_backprop": IMAGE, "y": IMAGE},
    "Conv2DBackpropFilter": {"x": IMAGE, "out_backprop": IMAGE, "y": FILTER},
    "Conv3D": {"x": VOLUME, "filter": FILTER_3D, "y": VOLUME},
    "Conv3DBackpropInput": {"filter": FILTER_3D, "out_backprop": VOLUME, "y": VOLUME},
    "Conv3DBackpropFilter": {"x": VOLUME, "out_backprop": VOLUME, "y": FILTER_3D},
    "MatMulV2": {"x2": MATRIX}, "BatchMatMulV2": {"x2": MATRIX},
}  # fmt: skip
#: What takes images of any format, and gives them on in the same one.
FOLLOWING = frozenset((
    "Abs", "Add", "BNInfer", "BNTrainingReduce", "BNTrainingReduceGrad", "BNTrainingUpdate",
    "BNTrainingUpdateGrad", "Cast", "AvgPoolV2", "Elu", "Equal", "Exp", "Greater", "GreaterEqual",
    "LeakyRelu", "Less", "LessEqual", "LogicalAnd", "LogicalNot", "LogicalOr", "MaxPoolV3",
    "MaxPoolV3Grad", "Maximum", "Minimum", "Mul", "Neg", "NotEqual", "RealDiv", "Relu", "Relu6",
    "ReluGrad", "SelectV2", "Sigmoid", "Sqrt", "Square", "Sub", "Tanh",
))  # fmt: skip
#: What is not computed in the graph, as weights are.
GIVEN = ("Const", "Constant", "Data", "RefData", "Variable")
#: Rows and columns of a block of the cube unit.
BLOCK = 16


class Liking(NamedTuple):
    """A port that likes a format, and the sizes that its tensor has then, where they are known."""

    where: str
    port: str
    format: str
    shape: tuple[int, ...]
    stored: tuple[int, ...]


class Move(NamedTuple):
    """A TransData that the formats of two nodes imply."""

    where: str
    edge: Edge
    before: str
    after: str


def likings(model: Model) -> list[Liking]:
    """Ports of the cube's operators, and the formats that they like."""
    return [each for graph in model.graphs.values() for each in _likings(graph)]


def _likings(graph: Graph) -> Iterator[Liking]:
    for node in graph.nodes.values():
        for edge, desc in zip(node.inputs, node.input_descs, strict=False):
            found = _liked(graph, node, desc, edge)
            if found:
                stored = storage(desc, found)
                yield Liking(f"{graph.name}/{node.name}", desc.name, found, desc.shape, stored)


def _liked(graph: Graph, node: Node, desc: Desc, edge: Edge | None) -> str:
    """The format that a port likes; that of matrices is for weights, which are not computed."""
    found = LIKED.get(node.type, {}).get(desc.name, "")
    if found != MATRIX:
        return found
    source = graph.nodes.get(edge.name) if edge is not None else None
    return found if source is not None and source.type in GIVEN else ""


def storage(desc: Desc, format: str) -> tuple[int, ...]:
    """The sizes of a tensor in memory; () where the format's rule is not known for it.

    Examples
    --------
    >>> storage(Desc("DT_FLOAT16", (2, 20, 8, 8)), "NC1HWC0")
    (2, 2, 8, 8, 16)
    >>> storage(Desc("DT_INT8", (100, 33)), "FRACTAL_NZ")
    (2, 7, 16, 32)
    """
    nbytes = DATA_TYPES[desc.type].nbytes if desc.type in DATA_TYPES else None
    shape, width = desc.shape, 2 * BLOCK if nbytes == 1 else BLOCK
    if any(n < 0 for n in shape):
        return ()
    if format == IMAGE and len(shape) == 4:
        n, c, h, w = shape
        return (n, -(-c // width), h, w, width)
    if format == VOLUME and len(shape) == 5:
        n, c, d, h, w = shape
        return (n, d, -(-c // width), h, w, width)
    if format == MATRIX and len(shape) >= 2:
        *batch, h, w = shape
        return (*batch, -(-w // width), -(-h // BLOCK), BLOCK, width)
    return ()


def padded(likings: Sequence[Liking]) -> int:
    """Elements that are stored without being any of the tensors."""
    return sum(math.prod(x.stored) - math.prod(x.shape) for x in likings if x.stored)


def moves(model: Model) -> list[Move]:
    """The TransData that the formats of a model's nodes imply, each tensor once for each format."""
    return [move for graph in model.graphs.values() for move in _moves(graph)]


def _moves(graph: Graph) -> list[Move]:
    made: dict[Edge, str] = {}
    found: dict[tuple[Edge, str], Move] = {}
    for node in _in_order(graph):
        given = [made.get(edge, "ND") if edge is not None else "ND" for edge in node.inputs]
        own = next((f for f in given if f in (IMAGE, VOLUME)), "ND") if _follows(node) else "ND"
        for edge, desc, before in zip(node.inputs, node.input_descs, given, strict=False):
            if edge is None:
                continue
            wanted = _liked(graph, node, desc, edge) or _of_rank(desc, own)
            if wanted != before:
                where = f"{graph.name}/{node.name}"
                found.setdefault((edge, wanted), Move(where, edge, before, wanted))
        for number, desc in enumerate(node.output_descs):
            liked = LIKED.get(node.type, {}).get(desc.name, "")
            made[Edge(node.name, number)] = liked or _of_rank(desc, own)
    return list(found.values())


def _follows(node: Node) -> bool:
    return node.type in FOLLOWING


def _of_rank(desc: Desc, format: str) -> str:
    """Scalars and channels have no format beside an image."""
    return format if len(desc.shape) == {IMAGE: 4, VOLUME: 5}.get(format, -1) else "ND"


def _in_order(graph: Graph) -> Iterator[Node]:
    """Nodes after those that they read; what is in a circle comes last."""
    left, seen = list(graph.nodes.values()), set[str]()
    while left:
        waiting = []
        for node in left:
            if all(e is None or e.name in seen or e.name not in graph.nodes for e in node.inputs):
                seen.add(node.name)
                yield node
            else:
                waiting.append(node)
        if len(waiting) == len(left):
            yield from waiting
            return
        left = waiting
