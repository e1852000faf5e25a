"""How does one step of training become a graph that runs many, with the batches in a queue?

The Data of the batch become a GetNext. By default the engine makes the loop: an init graph assigns
four Variables that it looks for, and ``run.json`` says that the graph needs iteration. The other
form is a While whose body is the step, for which the state becomes Variables. In both, results of
every step are rows of a Variable, which come back with the last step.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.backends.ascend.building import GraphBuilder
from s2sad.backends.ascend.datatypes import dtype_of
from s2sad.backends.ascend.encoding import encode
from s2sad.backends.ascend.graph import Attribute, Desc, Edge, Graph, Model, Node
from s2sad.backends.ascend.lowering.program import Lowered
from s2sad.backends.ascend.prototypes import prototype
from s2sad.backends.ascend.run_file import (
    FORMAT,
    LOOP_CONDITION,
    ONE,
    PER_LOOP,
    ZERO,
    Channel,
    GraphEntry,
    Input,
    Result,
    RunFile,
    write,
)
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ir.archive import write_whole

#: Steps done so far, and what results of every step are kept in.
COUNTER, KEPT = "s2sad/step", "s2sad/each_step"
CHANNEL = "s2sad_batches"
SCALAR = Desc("DT_INT64", ())
#: What holds bfloat16 where nothing else does.
WIDE = "DT_FLOAT"


@dataclass(frozen=True)
class Sunk:
    """Models to run, and how.

    Attributes
    ----------
    models : dict of Model
        By the file's name.
    run : RunFile
    """

    models: dict[str, Model]
    run: RunFile

    def write(self, folder: Path) -> Path:
        """Write the models and ``run.json`` into `folder`; the path of the latter."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, model in self.models.items():
            data = encode(model)
            write_whole(folder / name, lambda file, data=data: file.write(data))
        return write(self.run, folder)


def single(lowered: Lowered, *, soc_version: str = "Ascend910B1") -> Sunk:
    """`lowered` as it is: one step a call, whose batch the host gives."""
    name = lowered.model.name
    entry = GraphEntry(
        name, f"{name}.air", "step", False, 1, _inputs(lowered, lowered.model.root),
        tuple(_results(lowered, ())),
    )  # fmt: skip
    run = RunFile(FORMAT, "step", True, soc_version, (entry,), ())
    return Sunk({entry.file: lowered.model}, run)


def sunk(
    lowered: Lowered,
    feeds: Sequence[int],
    steps: int,
    *,
    form: str = "engine",
    each_step: Sequence[int] | None = None,
    soc_version: str = "Ascend910B1",
) -> Sunk:
    """`steps` steps of `lowered` a call, their batches from a queue.

    Parameters
    ----------
    lowered : Lowered
        One step.
    feeds : sequence of int
        Which inputs of the program the columns of a batch are, in order.
    steps : int
        1 or more.
    form : {"engine", "while"}
        ``"while"`` is not verified: that a GetNext may stand in a While is said nowhere.
    each_step : sequence of int, optional
        Results of the program that are kept for every step; by default all scalars.
    soc_version : str

    Raises
    ------
    S2sadError
        E0301 for state of bfloat16 in a While; E0404 for `steps` that are no count, a form that
        there is not, feeds that are no inputs or are state, and results that there are not.
    """
    _require(isinstance(steps, int) and steps > 0, f"a sink has 1 or more steps, got {steps!r}")
    _require(form in ("engine", "while"), f"a sink is 'engine' or 'while', got {form!r}")
    for number in feeds:
        _require(number in lowered.inputs, f"the step has no input {number}")
        _require(number not in lowered.state, f"the input {number} is state, which is not fed")
    _require(bool(feeds) and len(set(feeds)) == len(feeds), "a batch has inputs, each once")
    kept = _scalars(lowered) if each_step is None else tuple(each_step)
    for number in kept:
        _require(number in lowered.results, f"the step has no result {number}")
    return FORMS[form](_Sink(lowered, tuple(feeds), steps, kept, soc_version))


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise fail("E0404", message)


def _scalars(lowered: Lowered) -> tuple[int, ...]:
    descs = _result_descs(lowered)
    return tuple(n for n, desc in zip(lowered.results, descs, strict=True) if not desc.shape)


def _result_descs(lowered: Lowered) -> list[Desc]:
    root = lowered.model.root
    return [root.nodes[edge.name].output_descs[edge.index] for edge in root.results()]


def _results(lowered: Lowered, kept: Sequence[int], steps: int = 1) -> list[Result]:
    """What NetOutput gives: results of the last step, then those of every one."""
    descs = dict(zip(lowered.results, _result_descs(lowered), strict=True))
    last = [Result(desc.type, desc.shape, n, False) for n, desc in descs.items()]
    rows = [Result(descs[n].type, (steps, *descs[n].shape), n, True) for n in kept]
    return [*last, *rows]


def _inputs(lowered: Lowered, graph: Graph) -> tuple[Input, ...]:
    """The inputs of `graph`, whose Data and RefData are some of those of `lowered`."""
    numbers = {node.name: lowered.inputs[node.value("index", 0)]
               for node in lowered.model.root.of_type("Data", "RefData")}  # fmt: skip
    nodes = sorted(graph.of_type("Data", "RefData"), key=lambda node: node.value("index", 0))
    return tuple(
        Input(
            node.name, "state" if numbers[node.name] in lowered.state else "value",
            node.output_descs[0].type, node.output_descs[0].shape, numbers[node.name],
        )
        for node in nodes
    )  # fmt: skip


class _Sink:
    """One step, and what is to become of it."""

    def __init__(
        self, lowered: Lowered, feeds: tuple[int, ...], steps: int, kept: tuple[int, ...], soc: str
    ) -> None:
        self.lowered, self.feeds, self.steps = lowered, feeds, steps
        self.kept, self.soc = kept, soc
        self.model = copy.deepcopy(lowered.model)
        self.name = lowered.model.name
        nodes = self.model.root.of_type("Data", "RefData")
        self.nodes = {lowered.inputs[node.value("index", 0)]: node for node in nodes}
        self.batch = [self.nodes[number].output_descs[0] for number in feeds]

    def channel(self) -> Channel:
        types = tuple(desc.type for desc in self.batch)
        return Channel(CHANNEL, types, tuple(desc.shape for desc in self.batch), self.feeds)

    def feed(self, builder: GraphBuilder) -> None:
        """Let a GetNext be where the Data of the batch are."""
        options = {
            "output_types": [desc.type for desc in self.batch],
            "output_shapes": [list(desc.shape) for desc in self.batch],
            "output_num": len(self.batch), "channel_name": CHANNEL,
        }  # fmt: skip
        first = builder.node("GetNext", {}, self.batch, options, name="batch")
        fetched = {
            Edge(self.nodes[number].name): Edge(first.name, place)
            for place, number in enumerate(self.feeds)
        }
        for edge in fetched:
            del builder.graph.nodes[edge.name]
        _redirect(builder.graph, fetched)

    def keep(self, builder: GraphBuilder, counter: Edge) -> list[Edge]:
        """Write the results of this step, the `counter`-th, to their Variables; what these are."""
        results = dict(zip(self.lowered.results, builder.graph.results(), strict=True))
        given = {"x1": counter, "x2": _int64(builder, [self.steps])}
        row = builder.node("FloorMod", given, [Desc(SCALAR.type, (1,))], name="row")
        return [self._kept(builder, number, results[number], row) for number in self.kept]

    def _kept(self, builder: GraphBuilder, number: int, result: Edge, row: Edge) -> Edge:
        rows = self.rows(number)
        given = {"var": builder.variable(f"{KEPT}_{number}", rows), "indices": row,
                 "updates": _cast(builder, result, rows.type)}  # fmt: skip
        return builder.node("ScatterNdUpdate", given, [rows])

    def rows(self, number: int) -> Desc:
        """What the Variable of result `number` is: bfloat16, which none is, is kept as float32."""
        desc = self._result(number)
        return Desc(desc.type if _is_held(desc) else WIDE, (self.steps, *desc.shape))

    def given(self, builder: GraphBuilder, kept: Sequence[Edge]) -> list[Edge]:
        """What is kept of every step, in the types of the results."""
        types = [self._result(number).type for number in self.kept]
        return [_cast(builder, edge, type) for edge, type in zip(kept, types, strict=True)]

    def _result(self, number: int) -> Desc:
        return _result_descs(self.lowered)[self.lowered.results.index(number)]

    def first_values(self) -> dict[str, tuple[Desc, np.ndarray]]:
        """Variables that are kept, with what they hold at first."""
        found: dict[str, tuple[Desc, np.ndarray]] = {COUNTER: (SCALAR, np.zeros((), np.int64))}
        for number in self.kept:
            desc = self.rows(number)
            zeros = np.zeros(desc.shape, dtype_of(desc.type).storage)
            found[f"{KEPT}_{number}"] = (desc, zeros)
        return found

    def entry(self, graph: Graph, need_iteration: bool) -> GraphEntry:
        results = tuple(_results(self.lowered, self.kept, self.steps))
        inputs = _inputs(self.lowered, graph)
        return GraphEntry(
            self.name, f"{self.name}.air", "step", need_iteration, self.steps, inputs, results
        )

    def made(self, form: str, init: Graph, inputs: tuple[Input, ...], step: GraphEntry) -> Sunk:
        name = f"{self.name}_init"
        entry = GraphEntry(name, f"{name}.air", "init", False, 0, inputs, ())
        run = RunFile(FORMAT, form, form == "engine", self.soc, (entry, step), (self.channel(),))
        models = {entry.file: Model(name, {init.name: init}), step.file: self.model}
        return Sunk(models, run)


def _redirect(graph: Graph, edges: Mapping[Edge, Edge]) -> None:
    """Let who reads an edge of `edges`, or waits for its node, do so with what it stands for."""
    names = {old.name: new.name for old, new in edges.items()}
    for node in graph.nodes.values():
        node.inputs = [edges.get(edge, edge) if edge else None for edge in node.inputs]
        node.after = [names.get(name, name) for name in node.after]
    graph.outputs = [edges.get(edge, edge) for edge in graph.outputs]


def _is_held(desc: Desc) -> bool:
    """Whether a Variable is of its type."""
    return prototype("Variable").inputs[0].takes(desc.type)


def _cast(builder: GraphBuilder, edge: Edge, type: str) -> Edge:
    desc = builder.desc(edge)
    if desc.type == type:
        return edge
    return builder.node("Cast", {"x": edge}, [Desc(type, desc.shape)], {"dst_type": type})


def _int64(builder: GraphBuilder, numbers: int | list[int]) -> Edge:
    return builder.constant(np.asarray(numbers, np.int64), dtypes.int64)


def _assigned(builder: GraphBuilder, name: str, desc: Desc, value: Edge) -> str:
    """Let the Variable `name` be `value`; the node's name."""
    ref = builder.variable(name, desc)
    return builder.node("Assign", {"ref": ref, "value": value}, [desc], name=f"{name}/Assign").name


def _init_graph(
    values: Mapping[str, tuple[Desc, np.ndarray]], state: Sequence[tuple[str, Desc]] = ()
) -> Graph:
    """A graph that assigns Variables: constants, and `state` that the host gives."""
    builder = GraphBuilder("init")
    done = []
    for name, (desc, array) in values.items():
        value = builder.constant(array, dtype_of(desc.type))
        done.append(_assigned(builder, name, desc, value))
    for name, desc in state:
        value = builder.data(desc, name=f"{name}/first")
        done.append(_assigned(builder, name, desc, value))
    builder.net_output([], after=done)
    return builder.graph


def _ended(builder: GraphBuilder, results: Sequence[Edge], after: Sequence[str]) -> None:
    """End the graph anew, with `results`."""
    graph = builder.graph
    (end,) = graph.of_type("NetOutput")
    del graph.nodes[end.name]
    GraphBuilder.of(graph).net_output(results, after=list(dict.fromkeys([*end.after, *after])))


def _renumber(graph: Graph) -> None:
    """Count Data and RefData from 0, in the order that they have."""
    nodes = sorted(graph.of_type("Data", "RefData"), key=lambda node: node.value("index", 0))
    for index, node in enumerate(nodes):
        node.attributes["index"] = Attribute("Int", index)


# The engine's loop


def _engine(sink: _Sink) -> Sunk:
    builder = GraphBuilder.of(sink.model.root)
    sink.feed(builder)
    counter = builder.variable(COUNTER, SCALAR)
    kept = sink.keep(builder, counter)
    readers = [node.name for node in builder.graph.nodes.values() if counter in node.inputs]
    counted = builder.node(
        "AssignAdd", {"ref": counter, "value": _int64(builder, 1)}, [SCALAR], after=readers
    )
    results = [*builder.graph.results(), *sink.given(builder, kept)]
    _ended(builder, results, [counted.name])
    _renumber(builder.graph)
    numbers = {PER_LOOP: sink.steps - 1, LOOP_CONDITION: 0, ONE: 1, ZERO: 0}
    loop = {name: (SCALAR, np.asarray(number)) for name, number in numbers.items()}
    init = _init_graph({**loop, **sink.first_values()})
    return sink.made("engine", init, (), sink.entry(builder.graph, sink.steps > 1))


# A While


def _while(sink: _Sink) -> Sunk:
    """Carried are the counter, the number of steps, values that are given, and the last results."""
    for number, name in sink.lowered.state.items():
        if not _is_held(sink.nodes[number].output_descs[0]):
            raise fail(
                "E0301", f"no Variable of GE is of bfloat16, as the state {name!r} is",
                help="form='engine' keeps it as it is",
            )  # fmt: skip
    step = sink.model.root
    body = GraphBuilder.of(step)
    sink.feed(body)
    state = {sink.nodes[number].name: number for number in sink.lowered.state}
    for node in map(step.nodes.__getitem__, state):
        node.type = "Variable"
        del node.attributes["index"]
    values, results = list(step.of_type("Data")), _result_descs(sink.lowered)
    _loop_body(sink, body, values, results)
    step.name = "step"
    root = _loop(sink, values, results)
    inner = {name: graph for name, graph in sink.model.graphs.items() if graph is not step}
    sink.model.graphs = {"root": root.graph, "goes_on": _goes_on(root), "step": step, **inner}
    descs = {name: step.nodes[name].output_descs[0] for name in state}
    inputs = tuple(
        Input(f"{name}/first", "value", desc.type, desc.shape, state[name])
        for name, desc in descs.items()
    )
    init = _init_graph(sink.first_values(), list(descs.items()))
    return sink.made("while", init, inputs, sink.entry(root.graph, False))


def _loop(sink: _Sink, values: Sequence[Node], results: Sequence[Desc]) -> GraphBuilder:
    """The graph around the loop; what is kept of every step is read when it is over."""
    root = GraphBuilder("root")
    given = [root.data(node.output_descs[0], name=node.name) for node in values]
    zeros = [_zeros(root, desc) for desc in results]
    carried = [_int64(root, 0), _int64(root, sink.steps), *given, *zeros]
    descs = [root.desc(edge) for edge in carried]
    loop = root.node("While", {"input": carried}, descs, name="loop",
                     subgraphs=["goes_on", "step"])  # fmt: skip
    last = root.outputs(loop)[2 + len(values) :]
    kept = [_read(root, f"{KEPT}_{n}", sink.rows(n), loop.name) for n in sink.kept]
    root.net_output([*last, *sink.given(root, kept)])
    return root


def _loop_body(
    sink: _Sink, body: GraphBuilder, values: Sequence[Node], results: Sequence[Desc]
) -> None:
    """Let the step take what the loop carries, and give what it carries on."""
    counter, steps = body.data(SCALAR, name="counter"), body.data(SCALAR, name="steps")
    for place, node in enumerate([body.graph.nodes[e.name] for e in (counter, steps)]):
        node.attributes["index"] = Attribute("Int", place)
    for place, node in enumerate(values):
        node.attributes["index"] = Attribute("Int", 2 + place)
    for place, desc in enumerate(results):  # of the step before, which no one reads
        edge = body.data(desc, name="before")
        body.graph.nodes[edge.name].attributes["index"] = Attribute("Int", 2 + len(values) + place)
    found = body.graph.results()
    kept = sink.keep(body, counter)
    after = body.node("Add", {"x1": counter, "x2": _int64(body, 1)}, [SCALAR], name="counted")
    passed = [Edge(node.name) for node in values]
    _ended(body, [after, steps, *passed, *found], [edge.name for edge in kept])


def _goes_on(root: GraphBuilder) -> Graph:
    """Whether the counter is below the number of steps, of all that the loop of `root` carries."""
    builder = GraphBuilder("goes_on")
    descs = root.graph.nodes["loop"].output_descs
    counter, steps, *_ = [builder.data(Desc(desc.type, desc.shape)) for desc in descs]
    builder.net_output([builder.node("Less", {"x1": counter, "x2": steps}, [Desc("DT_BOOL", ())])])
    return builder.graph


def _zeros(builder: GraphBuilder, desc: Desc) -> Edge:
    dtype = dtype_of(desc.type)
    return builder.constant(np.zeros(desc.shape, dtype.storage), dtype)


def _read(builder: GraphBuilder, name: str, desc: Desc, after: str) -> Edge:
    """What the Variable `name` holds after the node `after`."""
    source = builder.variable(name, desc)
    return builder.node("Identity", {"x": source}, [desc], after=[after])


FORMS: dict[str, Any] = {"engine": _engine, "while": _while}
