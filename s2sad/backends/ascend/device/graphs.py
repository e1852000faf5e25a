"""What does a graph of GE give, run operator by operator on a device?

An operator runs when all that it reads, and all that it comes after, is there; among those that are
ready the first of the file is next. RefData and Variables are written in place by operators that
have one name among inputs and outputs, and by the optimizers, which write their state too.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from s2sad.backends.ascend.device.meanings import MEANINGS
from s2sad.backends.ascend.device.memory import Block, Memory
from s2sad.backends.ascend.device.tensors import Tensor, closed, opened, storage_of
from s2sad.backends.ascend.graph import Array, Desc, Edge, Graph, Model, Node
from s2sad.core.diagnostics import S2sadError, amend, fail
from s2sad.core.location import Location

#: Nodes that are no kernels: what a graph is given, holds and gives, and other names for tensors.
NO_KERNELS = frozenset({"Data", "RefData", "Variable", "Const", "Constant", "NetOutput", "Reshape",
                        "If", "While", "PartitionedCall", "NoOp"})  # fmt: skip
#: Operators whose result lies where their input does.
RENAMING = frozenset({"Reshape"})
INPUTS = ("Data", "RefData")


class Plan(NamedTuple):
    """In which order the nodes of a graph run, and how often each result is read."""

    nodes: list[Node]
    uses: Counter[Edge]


class Launch(NamedTuple):
    """A kernel that ran, and in which graph."""

    graph: str
    node: Node


@dataclass
class Device:
    """What outlives the run of a graph.

    Attributes
    ----------
    memory : Memory
    variables : dict of Tensor
        By name, over all graphs.
    queues : dict of list
        Batches that wait in a channel; None at its end.
    sources : dict of iterator
        What the host fills a channel from when nothing waits in it.
    stacks : dict of list
        What was pushed, by the name of the stack.
    printed : list of str
    launches : list of Launch
    items : int
        Batches taken from queues.
    """

    memory: Memory
    variables: dict[str, Tensor] = field(default_factory=dict)
    queues: dict[str, list[Any]] = field(default_factory=dict)
    sources: dict[str, Iterator[Any]] = field(default_factory=dict)
    stacks: dict[str, list[Tensor]] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    items: int = 0

    def clear(self) -> None:
        """Leave what a run that failed has left: only state and constants stay."""
        self.stacks.clear()
        self.memory.forget("input", "result")


#: What runs operators that use more than their inputs, by type.
Action = Callable[["Runner", Node, "list[Tensor | None]"], "Sequence[Tensor]"]
ACTIONS: dict[str, Action] = {}


class Runner:
    """A model on a device.

    Parameters
    ----------
    model : Model
    device : Device
    """

    def __init__(self, model: Model, device: Device) -> None:
        self.model = model
        self.device = device
        self._plans: dict[str, Plan] = {}
        self._constants: dict[tuple[str, str], Tensor] = {}

    def run(self, graph: Graph, inputs: Sequence[Tensor]) -> list[Tensor]:
        """What `graph` gives for `inputs`, by their index; each result's block is the caller's.

        Raises
        ------
        S2sadError
            E0712 for an operator that is not simulated, E0717 for one that fails, E0718 where the
            memory is full; each with the node, at the user's line.
        """
        plan = self.plan(graph)
        tensors: dict[Edge, Tensor] = {}
        left = Counter(plan.uses)
        for node in plan.nodes:
            self._step(graph, node, inputs, tensors)
            for number in range(len(node.output_descs)):
                edge = Edge(node.name, number)
                if not left[edge] and edge in tensors:
                    self.device.memory.release(tensors.pop(edge).block)
            for edge in filter(None, node.inputs):
                if node.type != "NetOutput":
                    self._read(edge, tensors, left)
        found = [self._shared(tensors[edge]) for edge in graph.results()]
        for tensor in tensors.values():
            self.device.memory.release(tensor.block)
        return found

    def _read(self, edge: Edge, tensors: dict[Edge, Tensor], left: Counter[Edge]) -> None:
        """One reader of `edge` is done."""
        left[edge] -= 1
        if not left[edge]:
            self.device.memory.release(tensors.pop(edge).block)

    def _step(
        self, graph: Graph, node: Node, inputs: Sequence[Tensor], tensors: dict[Edge, Tensor]
    ) -> None:
        try:
            if node.type in INPUTS:
                found: Sequence[Tensor] = [self._shared(inputs[node.value("index", 0)])]
            elif node.type in ("Const", "Constant"):
                found = [self._shared(self._constant(graph, node))]
            else:
                given = [None if edge is None else tensors[edge] for edge in node.inputs]
                found = self._compute(graph, node, given)
        except Exception as error:
            raise located(error, graph, node) from error
        for number, tensor in enumerate(found):
            tensors[Edge(node.name, number)] = tensor

    def _compute(self, graph: Graph, node: Node, given: list[Tensor | None]) -> Sequence[Tensor]:
        if node.type not in NO_KERNELS:
            self.device.launches.append(Launch(graph.name, node))
        if node.type in ACTIONS:
            return ACTIONS[node.type](self, node, given)
        if node.type not in MEANINGS:
            raise fail("E0712", f"the simulated device has no {node.type}")
        named = {
            desc.name: tensor
            for desc, tensor in zip(node.input_descs, given, strict=False)
            if tensor is not None
        }
        blocks = [self._place(node, i, named) for i in range(len(node.output_descs))]
        arrays = {name: _opened(node, name, tensor) for name, tensor in named.items()}
        with np.errstate(all="ignore"):
            found = MEANINGS[node.type](node, arrays)
        if isinstance(found, dict):
            return _written(node, named, found)
        several = found if isinstance(found, tuple) else (found,)
        rows = zip(several, node.output_descs, blocks, strict=True)
        return [Tensor(closed(x, desc, node.type), desc, block) for x, desc, block in rows]

    def _place(self, node: Node, number: int, named: dict[str, Tensor]) -> Block:
        """The block of a result: that of the input which it is written to or renames, or a new one.

        It is taken before the operator runs: what is too large for the device is not computed.
        """
        desc = node.output_descs[number]
        source = "x" if node.type in RENAMING else desc.name
        if source in named:
            self.device.memory.hold(named[source].block)
            return named[source].block
        return self.device.memory.take(f"{node.name}:{number}", desc.nbytes or 0, "result")

    # What actions use as well

    def tensor(self, owner: str, value: Any, desc: Desc, kind: str = "result") -> Tensor:
        """A tensor in a block of its own."""
        nbytes = 0 if desc.type == "DT_RESOURCE" else np.asarray(value).nbytes
        return Tensor(value, desc, self.device.memory.take(owner, nbytes, kind))

    def call(self, node: Node, place: int, given: Sequence[Tensor]) -> list[Tensor]:
        """What the graph that `node` calls at `place` gives for `given`, as values."""
        return self.run(self.model.graphs[node.subgraphs[place]], [x.as_value() for x in given])

    def plan(self, graph: Graph) -> Plan:
        """The order of `graph`, found once."""
        if graph.name not in self._plans:
            uses = Counter(edge for n in graph.nodes.values() for edge in n.inputs if edge)
            uses.update([] if any(graph.of_type("NetOutput")) else graph.results())
            self._plans[graph.name] = Plan(ordered(graph), uses)
        return self._plans[graph.name]

    def _shared(self, tensor: Tensor) -> Tensor:
        """The tensor, which one more holds."""
        self.device.memory.hold(tensor.block)
        return tensor

    def _constant(self, graph: Graph, node: Node) -> Tensor:
        key = (graph.name, node.name)
        if key not in self._constants:
            value = elements(node.value("value"))
            self._constants[key] = self.tensor(
                f"{node.name}:0", value, node.output_descs[0], "constant"
            )
        return self._constants[key]


def _opened(node: Node, name: str, tensor: Tensor) -> Any:
    if tensor.value is None:
        if (node.type, name) == ("Assign", "ref"):
            return None
        help = "run the graph that assigns it first"
        raise fail("E0717", f"the variable at {name} holds nothing yet", help=help)
    return opened(tensor.value, tensor.desc)


def _written(node: Node, named: dict[str, Tensor], found: dict[str, Any]) -> list[Tensor]:
    """Write the inputs `found` in place; an output has the name of its input."""
    for name in found:
        if not named[name].is_state:
            what = f"{node.type} writes its input {name!r}, which is no RefData and no Variable"
            raise fail("E0717", what)
    for name, array in found.items():
        named[name].value = closed(array, named[name].desc, node.type)
    return [named[desc.name] for desc in node.output_descs]


def elements(array: Array) -> np.ndarray:
    """The elements of a constant, as its type stores them."""
    storage = storage_of(array.desc.type)
    found = np.frombuffer(array.data, storage.newbyteorder("<"))
    return found.astype(storage, copy=False).reshape(array.desc.shape)


def ordered(graph: Graph) -> list[Node]:
    """The nodes of `graph`, each after all that it reads and waits for (E0717 for a circle)."""
    nodes = list(graph.nodes.values())
    places = {node.name: place for place, node in enumerate(nodes)}
    waits = [{e.name for e in node.inputs if e} | set(node.after) for node in nodes]
    left = [len(before) for before in waits]
    readers: dict[str, list[int]] = {}
    for place, before in enumerate(waits):
        for name in before:
            readers.setdefault(name, []).append(place)
    ready = [place for place, count in enumerate(left) if not count]
    found: list[Node] = []
    while ready:
        node = nodes[heapq.heappop(ready)]
        found.append(node)
        for place in readers.get(node.name, ()):
            left[place] -= 1
            if not left[place]:
                heapq.heappush(ready, place)
    if len(found) < len(nodes):
        stuck = min((name for name, place in places.items() if left[place]), key=places.__getitem__)
        raise fail("E0717", f"{graph.name}/{stuck} waits for what waits for it")
    return found


def located(error: Exception, graph: Graph, node: Node) -> S2sadError:
    """`error` with the node that failed, at the user's line that the node is from."""
    if not isinstance(error, S2sadError):
        error = fail("E0717", f"{type(error).__name__}: {error}")
    note = f"at the node {graph.name}/{node.name}, {node.type}"
    diagnostic = error.diagnostic
    if not any(each.startswith("at the node") for each in diagnostic.notes):
        file, _, line = node.value("_s2sad_location", "").rpartition(":")
        place = Location(file, int(line), 0) if file else diagnostic.location
        amend(error, notes=(*diagnostic.notes, note), location=place)
    return error
