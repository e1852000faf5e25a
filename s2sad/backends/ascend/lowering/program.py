"""How does a compiled function become a model of GE, with its state on the device?

An input that the program replaces, such as a parameter, is a RefData: its memory is written in
place, by the operator that computes what it is to hold or by an Assign behind it. All who read what
it held come before. Every other input is a Data, every other result goes to NetOutput.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from s2sad.backends.ascend.graph import Edge, Graph, Model
from s2sad.backends.ascend.lowering import (  # noqa: F401 - they register their rules
    activation,
    control,
    conv,
    effect,
    elementwise,
    index,
    linalg,
    loss,
    norm,
    random,
    reduce,
    shape,
)
from s2sad.backends.ascend.lowering.optimizer import UPDATES, is_in_place
from s2sad.backends.ascend.lowering.region import Lowering, desc_of, is_held
from s2sad.backends.ascend.lowering.rules import takes
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.decompose import inline_body


@dataclass(frozen=True)
class Lowered:
    """A function as a model.

    Attributes
    ----------
    model : Model
    inputs : tuple of int
        For each Data and RefData, by its index, which input of the function it is.
    state : dict of int to str
        Inputs whose memory the graph writes: the name of their node.
    results : tuple of int
        For each input of NetOutput, which result of the function it is.
    """

    model: Model
    inputs: tuple[int, ...]
    state: dict[int, str]
    results: tuple[int, ...]


def lower(
    function: Function, title: str, constants: Mapping[int, np.ndarray] | None = None
) -> Lowered:
    """`function` for GE.

    Parameters
    ----------
    function : Function
        After the passes of its target; composites that GE has not are decomposed here.
    title : str
        The model's name.
    constants : mapping of int to array, optional
        Inputs whose elements are known and do not change: they become constants of the graph.

    Raises
    ------
    S2sadError
        E0301 for a dtype that an operator of GE does not take, E0402 for open sizes, E0712 for an
        operation that GE has no operators for; each at the user's line.
    """
    function = clone(function)
    decompose(function)
    graphs: dict[str, Graph] = {}
    lowering = Lowering("root", graphs)
    graphs["root"] = lowering.builder.graph
    inputs, state = _take_inputs(lowering, function, constants or {})
    for operation in function.body.operations:
        lowering.lower(operation)
    written = {result: source for source, result in function.donates.items()}
    results = [i for i, value in enumerate(function.results) if is_held(value.type)]
    given = [i for i in results if i not in written]
    _write_state(lowering, function, state)
    lowering.end([lowering.edge(function.results[i]) for i in given])
    _order_state(lowering)
    return Lowered(Model(title, graphs), inputs, state, tuple(given))


def decompose(function: Function) -> None:
    """Inline composites that GE has no operator for, and updates of what is no state."""
    state = {function.args[i]: function.results[j] for i, j in function.donates.items()}
    rewriter = Rewriter(function)
    again = True
    while again:
        found = [op for op in function.walk() if op.prim.is_composite and not _stays(op, state)]
        for operation in found:
            with rewriter.step(f"inline {operation.prim.name}", operation):
                inline_body(operation, rewriter)
        again = bool(found)


def _stays(operation: Operation, state: dict[Value, Value]) -> bool:
    if operation.prim.name in UPDATES:
        return takes(operation) and is_in_place(operation, state)
    return takes(operation)


def _take_inputs(
    lowering: Lowering, function: Function, constants: Mapping[int, np.ndarray]
) -> tuple[tuple[int, ...], dict[int, str]]:
    inputs, state = [], {}
    for number, value in enumerate(function.args):
        if not is_held(value.type):
            continue
        if number in constants:
            lowering.edges[value] = lowering.stored(constants[number], value.dtype)
            continue
        is_state = number in function.donates
        name = (value.name or f"input_{number}").replace(":", "_")
        edge = lowering.builder.data(
            desc_of(value.type), name=name, kind="RefData" if is_state else "Data"
        )
        lowering.edges[value] = edge
        inputs.append(number)
        if is_state:
            state[number] = edge.name
    return tuple(inputs), state


def _write_state(lowering: Lowering, function: Function, state: dict[int, str]) -> None:
    """Let each RefData hold what the function gives for it."""
    values = {number: lowering.edge(function.results[function.donates[number]]) for number in state}
    sources = {Edge(name) for name in state.values()}
    for number, name in state.items():
        ref, value = Edge(name), values[number]
        if ref in lowering.writers or value == ref:
            continue
        if value in sources:  # of another parameter, which may be written before this one
            value = _copied(lowering, value)
        desc = lowering.desc(ref)
        written = lowering.builder.node(
            "Assign", {"ref": ref, "value": value}, [desc], name=f"{name}/Assign"
        )
        lowering.writers[ref] = written.name


def _copied(lowering: Lowering, edge: Edge) -> Edge:
    desc = lowering.desc(edge)
    return lowering.shared(
        ("copy", edge), lambda: lowering.builder.node("Identity", {"x": edge}, [desc])
    )


def _order_state(lowering: Lowering) -> None:
    """Let who writes state come after all who read what it held.

    Who waits for the writer itself, such as the end of the graph, reads a copy of before.
    """
    graph = lowering.builder.graph
    following = _following(graph)
    for ref, writer in lowering.writers.items():
        later = _reached(following, writer)
        for reader in sorted(following[ref.name] - {writer}):
            node = graph.nodes[reader]
            seen = _seen(graph, following, reader)
            if seen & later:
                copy = _copied(lowering, ref)
                node.inputs = [copy if edge == ref else edge for edge in node.inputs]
                following[copy.name].add(reader)
                seen = {copy.name}
            for name in sorted(seen - set(graph.nodes[writer].after)):
                graph.nodes[writer].after.append(name)
                following[name].add(writer)
    (end,) = graph.of_type("NetOutput")
    graph.nodes[end.name] = graph.nodes.pop(end.name)


def _following(graph: Graph) -> defaultdict[str, set[str]]:
    """For each node, those that read it or come after it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for node in graph.nodes.values():
        for before in (*(edge.name for edge in node.inputs if edge is not None), *node.after):
            found[before].add(node.name)
    return found


def _reached(following: Mapping[str, set[str]], name: str) -> set[str]:
    """The node `name`, and all that cannot run before it has."""
    found, ahead = {name}, [name]
    while ahead:
        new = following[ahead.pop()] - found
        found |= new
        ahead += new
    return found


def _seen(graph: Graph, following: Mapping[str, set[str]], name: str) -> set[str]:
    """The node `name`, which reads state, and who reads it through Reshapes: those copy nothing."""
    found, ahead = {name}, [name]
    while ahead:
        node = graph.nodes[ahead.pop()]
        new = following[node.name] - found if node.type == "Reshape" else set()
        found |= new
        ahead += new
    return found
