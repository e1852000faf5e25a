"""What would a device do to run a graph, without numbers: which kernels, in how much memory?

Sizes say that, as long as no number decides which nodes run.
"""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.ascend.device.graphs import INPUTS, NO_KERNELS, Device, Launch, Runner
from s2sad.backends.ascend.device.memory import Memory
from s2sad.backends.ascend.device.tensors import Tensor
from s2sad.backends.ascend.graph import Graph, Model, Node
from s2sad.backends.ascend.sink import Sunk

#: Nodes that run other graphs, as numbers say.
DECIDING = frozenset({"If", "While", "PartitionedCall"})


def is_decided(model: Model) -> bool:
    """Whether numbers decide which nodes of `model` run."""
    return any(any(graph.of_type(*DECIDING)) for graph in model.graphs.values())


def rehearse(
    sunk: Sunk, capacity: int, names: Sequence[str] | None = None
) -> tuple[tuple[Launch, ...], int]:
    """The kernels of one step, and the bytes that it takes besides its inputs.

    Parameters
    ----------
    sunk : Sunk
    capacity : int
        Bytes of the device's memory.
    names : sequence of str, optional
        Graphs of the step's model that are run, each once; by default the first one. What a node
        runs inside is not entered.

    Raises
    ------
    S2sadError
        E0718 at the user's line where the memory is too small.
    """
    device = Device(Memory(capacity))
    entry = next(each for each in sunk.run.graphs if each.role == "step")
    runner = _Rehearsal(sunk.models[entry.file], device)
    graphs = [runner.model.root] if names is None else [runner.model.graphs[x] for x in names]
    most = 0
    for graph in graphs:
        inputs = _given(device, graph)
        taken = device.memory.used
        device.memory.peak = taken
        runner.run(graph, inputs)
        most = max(most, device.memory.peak - taken)
    return tuple(device.launches), most


def _given(device: Device, graph: Graph) -> list[Tensor]:
    """Inputs for `graph`, in memory of their own."""
    found = []
    nodes = sorted(graph.of_type(*INPUTS), key=lambda node: node.value("index", 0))
    for node in nodes:
        desc = node.output_descs[0]
        block = device.memory.take(node.name, desc.nbytes or 0, "input")
        found.append(Tensor(None, desc, block, is_state=node.type == "RefData"))
    return found


class _Rehearsal(Runner):
    """Runs a graph whose tensors hold nothing."""

    def _compute(
        self, graph: Graph, node: Node, given: list[Tensor | None]
    ) -> Sequence[Tensor]:  # fmt: skip
        if node.type not in NO_KERNELS:
            self.device.launches.append(Launch(graph.name, node))
        if node.type == "NetOutput":
            return ()
        ports = zip(node.input_descs, given, strict=False)
        named = {desc.name: tensor for desc, tensor in ports if tensor is not None}
        blocks = [self._place(node, i, named) for i in range(len(node.output_descs))]
        pairs = zip(node.output_descs, blocks, strict=True)
        return [Tensor(None, desc, block) for desc, block in pairs]

    def _constant(self, graph: Graph, node: Node) -> Tensor:
        key = (graph.name, node.name)
        if key not in self._constants:
            desc = node.output_descs[0]
            block = self.device.memory.take(f"{node.name}:0", desc.nbytes or 0, "constant")
            self._constants[key] = Tensor(None, desc, block)
        return self._constants[key]
