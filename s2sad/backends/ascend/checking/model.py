"""Which rules does a model break, in all its graphs?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from s2sad.backends.ascend.checking import attributes, calls, graphs, ports, state, tensors
from s2sad.backends.ascend.checking.finding import Finding, Place, at
from s2sad.backends.ascend.encoding import LARGEST
from s2sad.backends.ascend.graph import Array, Graph, Model
from s2sad.backends.ascend.prototypes import ENGINE_ONLY, find, near
from s2sad.core.diagnostics import fail

Rule = Callable[[Place], Iterator[Finding]]

#: What every node is held to, one after the other.
RULES: tuple[Rule, ...] = (*ports.RULES, *tensors.RULES, *attributes.RULES, *state.RULES)
#: Findings that one error lists.
LISTED = 8


def check(model: Model) -> list[Finding]:
    """All findings in `model`, in the order of the file.

    Examples
    --------
    >>> from s2sad.backends.ascend.building import GraphBuilder
    >>> from s2sad.backends.ascend.graph import Desc
    >>> builder = GraphBuilder("step")
    >>> x = builder.data(Desc("DT_FLOAT", (2,)))
    >>> builder.net_output([builder.node("Relu", {"x": x}, [Desc("DT_FLOAT", (2,))])])
    >>> model = Model("net", {"step": builder.graph})
    >>> check(model)
    []
    >>> del builder.graph.nodes["Relu"].attributes["_input_name_key"]
    >>> print(*check(model))
    step/Relu: port-names: the table of the names of its inputs is [], its ports are ['x']
      = help: lookups by name see this table only: _input_name_key, _input_name_value
    """
    found = [*_check_size(model)]
    for key, graph in model.graphs.items():
        if key != graph.name or not graph.name:
            what = f"two graphs are called {graph.name!r}" if graph.name else "it has no name"
            found.append(Finding("name", graph.name or "?", what, "nodes call graphs by name"))
        found += _check_graph(model, graph)
    return [*found, *calls.check(model), *state.check_variables(model)]


def require(model: Model) -> None:
    """Raise E0610, which lists the findings, where there are any."""
    found = check(model)
    if found:
        more = (f"and {len(found) - LISTED} more",) if len(found) > LISTED else ()
        raise fail(
            "E0610", f"GE would not take this graph: {found[0].where}: {found[0].what}",
            notes=(*(f"{each.where}: {each.what}" for each in found[1:LISTED]), *more),
            help=found[0].help or None,
        )  # fmt: skip


def _check_size(model: Model) -> Iterator[Finding]:
    """Whether its constants alone leave no room for the rest of the message."""
    values = [
        attribute.value
        for graph in model.graphs.values()
        for node in graph.nodes.values()
        for attribute in node.attributes.values()
    ]
    size = sum(len(value.data) for value in values if isinstance(value, Array))
    if size > LARGEST:
        what = f"its constants take {size:,} bytes, and a graph file holds less than 2 GiB"
        yield Finding("size", model.name, what, "let large constants be inputs, or lie in files")


def _check_graph(model: Model, graph: Graph) -> Iterator[Finding]:
    yield from graphs.check(graph)
    for key, node in graph.nodes.items():
        if key != node.name or not node.name:
            what = f"two nodes are called {node.name!r}" if node.name else "it has no name"
            yield at(graph, node, "name", what, "edges name nodes")
        declared = find(node.type)
        if declared is None:
            what = f"GE has no operator {node.type!r}"
            yield at(graph, node, "operator", what, _instead_of(node.type))
            continue
        for rule in RULES:
            yield from rule(Place(model, graph, node, declared))
    yield from state.check_order(graph)


def _instead_of(type: str) -> str:
    if type in ENGINE_ONLY:
        return "the engine knows it, but puts it in itself"
    return near(type) or ""
