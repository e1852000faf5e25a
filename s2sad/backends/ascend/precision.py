"""In which types would a device compute a graph, by the precision mode that is asked for?

The modes are those of ATC's option ``--precision_mode``, as its documentation describes them
(hicann/ge, ``--precision_mode.md`` in ``docs/zh/user_guides/atc_tools/CLI_options``). What a chip's
kernels take is not known here: what operators declare stands for it. The mixed modes go by lists
that come with a chip, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from s2sad.backends.ascend.graph import Desc, Edge, Graph, Model, Node
from s2sad.backends.ascend.prototypes import Port, find, port_of
from s2sad.backends.ascend.tables import table
from s2sad.core.diagnostics import did_you_mean, fail

FLOATS = ("DT_FLOAT16", "DT_BF16", "DT_FLOAT")
HALF, BRAIN, SINGLE = FLOATS
#: Operators of the cube unit, which multiplies matrices.
CUBE = frozenset((
    "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", "Conv3D", "Conv3DBackpropInput",
    "Conv3DBackpropFilter", "MatMulV2", "BatchMatMulV2",
))  # fmt: skip
#: What computes nothing, or says itself which type it makes.
KEPT = frozenset(("Data", "RefData", "Variable", "Const", "Constant", "NetOutput", "Cast"))
#: Modes whose casts follow from declarations, the most exact first; their names for
#: ``--precision_mode_v2`` where it has them.
MODES = {
    "force_fp32": "cube_fp16in_fp32out", "must_keep_origin_dtype": "origin",
    "allow_fp32_to_fp16": "", "force_fp16": "fp16",
}  # fmt: skip
#: The largest number of float16.
LARGEST = 65504.0
#: Chips by the short name of their kind: those without bfloat16, which multiply in float16 only.
FIRST = ("Ascend910", "Ascend310P")


class Insertion(NamedTuple):
    """A cast that a mode puts between two nodes: the tensor, and its types before and after."""

    where: str
    edge: Edge
    before: str
    after: str


class Advice(NamedTuple):
    """Which mode to ask for: by the older option, by the newer one, and why."""

    mode: str
    mode_v2: str
    why: str


def kind_of(soc_version: str) -> str:
    """The short name of a chip's kind; E0303 for a chip that is not known.

    Examples
    --------
    >>> kind_of("Ascend910B1"), kind_of("Ascend910B")
    ('Ascend910B', 'Ascend910')
    """
    known = table("soc")["soc"]
    if soc_version not in known:
        help = did_you_mean(soc_version, known)
        raise fail("E0303", f"no soc_version is called {soc_version!r}", help=help)
    return known[soc_version]["short_soc"]


def advised(model: Model, soc_version: str) -> Advice:
    """The mode that keeps what the program says, as far as the chip can."""
    keep = "must_keep_origin_dtype"
    if casts(model):
        return Advice(keep, MODES[keep], "the program has casts of its own, which say it all")
    multiplies = any(node.type in CUBE and _has(node, SINGLE) for _, node in nodes(model))
    if multiplies and kind_of(soc_version) in FIRST:
        why = "the chip multiplies matrices in float16; what else is float32 stays so"
        return Advice("allow_fp32_to_fp16", MODES["allow_fp32_to_fp16"], why)
    return Advice(keep, MODES[keep], "by default ATC makes float16 of all that is float32")


def nodes(model: Model) -> Iterator[tuple[Graph, Node]]:
    """All nodes, each with its graph."""
    for graph in model.graphs.values():
        for node in graph.nodes.values():
            yield graph, node


def _has(node: Node, type: str) -> bool:
    return any(desc.type == type for desc in (*node.input_descs, *node.output_descs))


def casts(model: Model) -> list[tuple[str, str, str]]:
    """Casts between floats that stand in the graph: where, from which type, and to which."""
    return [
        (f"{graph.name}/{node.name}", node.input_descs[0].type, node.output_descs[0].type)
        for graph, node in nodes(model)
        if node.type == "Cast" and node.input_descs and node.output_descs
        and {node.input_descs[0].type, node.output_descs[0].type} <= {*FLOATS}
    ]  # fmt: skip


def chosen(node: Node, mode: str) -> tuple[list[str], list[str]]:
    """Types of a node's inputs and outputs under a mode.

    Examples
    --------
    >>> vector = Desc("DT_FLOAT", (2,), name="x")
    >>> relu = Node("r", "Relu", input_descs=[vector], output_descs=[Desc("DT_FLOAT", (2,))])
    >>> chosen(relu, "force_fp16")[0], chosen(relu, "allow_fp32_to_fp16")[0]
    (['DT_FLOAT16'], ['DT_FLOAT'])
    """
    declared = find(node.type)
    ins, outs = node.input_descs, node.output_descs
    if declared is None or node.type in KEPT or node.subgraphs:
        return [desc.type for desc in ins], [desc.type for desc in outs]
    wanted_in, wanted_out = _wanted(node, mode)
    return (
        [_taken(declared.inputs, desc, wanted_in) for desc in ins],
        [_taken(declared.outputs, desc, wanted_out) for desc in outs],
    )


def _wanted(node: Node, mode: str) -> tuple[str | None, str | None]:
    """What a mode would like floats of a node to be, going in and coming out; None as they are."""
    if mode == "force_fp16":
        return HALF, HALF
    if mode == "force_fp32":
        return (HALF if node.type in CUBE else SINGLE), SINGLE
    if mode == "allow_fp32_to_fp16" and node.type in CUBE:
        is_brain = _has(node, BRAIN)
        return (None, None) if is_brain else (HALF, HALF)
    return None, None


def _taken(ports: tuple[Port, ...], desc: Desc, wanted: str | None) -> str:
    port = port_of(ports, desc.name)
    if wanted is None or desc.type not in FLOATS or port is None:
        return desc.type
    return wanted if port.takes(wanted) else desc.type


def insertions(model: Model, mode: str) -> list[Insertion]:
    """Casts that a mode puts between nodes, each tensor once for each type that is read of it."""
    found: dict[tuple[str, Edge, str], Insertion] = {}
    for graph in model.graphs.values():
        types = {node.name: chosen(node, mode) for node in graph.nodes.values()}
        for node in graph.nodes.values():
            for edge, read in zip(node.inputs, types[node.name][0], strict=False):
                made = types[edge.name][1] if edge is not None and edge.name in types else []
                if edge is None or edge.index >= len(made) or made[edge.index] == read:
                    continue
                key = (graph.name, edge, read)
                where = f"{graph.name}/{node.name}"
                found.setdefault(key, Insertion(where, edge, made[edge.index], read))
    return list(found.values())


def changed(model: Model, mode: str) -> list[str]:
    """Nodes that compute in other types than the file says."""
    return [
        f"{graph.name}/{node.name}"
        for graph, node in nodes(model)
        if chosen(node, mode) != _as_written(node)
    ]


def _as_written(node: Node) -> tuple[list[str], list[str]]:
    return [desc.type for desc in node.input_descs], [desc.type for desc in node.output_descs]


def overflows(
    model: Model, mode: str, ranges: Mapping[str, tuple[float, float]]
) -> list[tuple[str, float]]:
    """Tensors that a mode holds in float16 and that were seen to go beyond it.

    Parameters
    ----------
    ranges : mapping of str to (float, float)
        Least and largest element of ``"graph/node:output"``, of as many as are known.

    Returns
    -------
    list of (str, float)
        The tensor, and its largest size.
    """
    found = []
    for graph, node in nodes(model):
        for number, type in enumerate(chosen(node, mode)[1]):
            seen = ranges.get(f"{graph.name}/{node.name}:{number}")
            if type == HALF and seen is not None:
                size = max(abs(seen[0]), abs(seen[1]))
                if not size <= LARGEST:
                    found.append((f"{graph.name}/{node.name}:{number}", size))
    return found
