"""Helpers: one operator in a graph of its own, from the bytes of its file."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.backends.ascend.building import GraphBuilder
from s2sad.backends.ascend.datatypes import data_type_of
from s2sad.backends.ascend.decoding import decode
from s2sad.backends.ascend.device.session import Session
from s2sad.backends.ascend.encoding import encode
from s2sad.backends.ascend.graph import Desc, Model
from s2sad.backends.ascend.prototypes import prototype
from s2sad.backends.ascend.run_file import GraphEntry, Input, RunFile
from s2sad.core import dtypes


def desc_of(array: np.ndarray, layout: str = "ND") -> Desc:
    """How a graph describes `array`; elements of uint16 are bfloat16."""
    return Desc(data_type_of(dtypes.BY_STORAGE[array.dtype]).name, array.shape, layout)


def session_of(
    builder: GraphBuilder, names: list[str], state: tuple[str, ...] = (), **options: Any
) -> Session:
    """A session for the graph that `builder` made, whose inputs are `names`."""
    graph = builder.graph
    nodes = sorted(graph.of_type("Data", "RefData"), key=lambda node: node.value("index"))
    inputs = tuple(
        Input(name, "state" if name in state else "value", node.output_descs[0].type,
              node.output_descs[0].shape, place)
        for place, (name, node) in enumerate(zip(names, nodes, strict=True))
    )  # fmt: skip
    entry = GraphEntry("net", "net.air", "step", False, 1, inputs, ())
    model = decode(encode(Model("net", {graph.name: graph})))
    run = RunFile(1, "step", True, "Ascend910B1", (entry,), ())
    return Session(run, {"net.air": model}, **options)


def operate(
    type: str,
    inputs: dict[str, Any],
    results: list[Desc],
    attributes: dict[str, Any] | None = None,
    *,
    state: tuple[str, ...] = (),
) -> tuple[list[np.ndarray], Session]:
    """What the operator gives, its inputs by port; those of `state` are RefData."""
    builder = GraphBuilder("root")
    given: dict[str, Any] = {}
    for port in prototype(type).inputs:
        names = [name for name in inputs if name == port.name or _is_of(name, port)]
        edges = [
            builder.data(desc_of(np.asarray(inputs[name])), name=f"in_{name}",
                         kind="RefData" if name in state else "Data")
            for name in names
        ]  # fmt: skip
        if edges:
            given[port.name] = edges if port.kind == "dynamic" else edges[0]
    first = builder.node(type, given, results, attributes or {}, name="it")
    builder.net_output(builder.outputs(first))
    order = [x.name for x in builder.graph.of_type("Data", "RefData")]
    session = session_of(builder, order, tuple(f"in_{name}" for name in state))
    for name in state:
        session.put(f"in_{name}", np.asarray(inputs[name]))
    values = [inputs[name[3:]] for name in order if name[3:] not in state]
    return session.run(values), session


def _is_of(name: str, port: Any) -> bool:
    return (
        port.kind == "dynamic" and name.startswith(port.name) and name[len(port.name) :].isdigit()
    )
