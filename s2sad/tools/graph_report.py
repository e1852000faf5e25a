"""In which types and formats would a chip run a graph file, and what follows from that?"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.backends.ascend import formats, precision
from s2sad.backends.ascend.decoding import read_model
from s2sad.backends.ascend.graph import Model
from s2sad.backends.ascend.prototypes import find, port_of
from s2sad.core.diagnostics import fail
from s2sad.tools.tables import show, show_table

Ranges = Mapping[str, tuple[float, float]]


def report_model(path: str, soc_version: str, form: str, npz: Path | None = None) -> int:
    """Say how a chip would take a graph file.

    Parameters
    ----------
    path : str
    soc_version : str
    form : {"text", "json"}
    npz : path, optional
        Of tensors, as ``root/conv:0``, their least and largest element.

    Returns
    -------
    int
        0, or 1 where float16 would overflow or a type is not there.
    """
    model = read_model(path)
    facts = report(model, soc_version, {} if npz is None else read_ranges(npz))
    if form == "json":
        show(json.dumps(facts, indent=2))
    else:
        _show(path, facts)
    return int(bool(facts["types_not_taken"] or facts["overflows"]))


def read_ranges(path: Path) -> dict[str, tuple[float, float]]:
    """Least and largest elements by tensor (E0604, E0608)."""
    try:
        with np.load(path, allow_pickle=False) as file:
            found = {name: np.asarray(file[name], np.float64) for name in file.files}
    except OSError as error:
        raise fail("E0604", f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise fail("E0608", f"{path} holds no ranges: {error}") from None
    for name, pair in found.items():
        if pair.shape != (2,):
            raise fail("E0608", f"{path}: the range of {name} is two numbers, got {pair.shape}")
    return {name: (float(pair[0]), float(pair[1])) for name, pair in found.items()}


def report(model: Model, soc_version: str, ranges: Ranges) -> dict[str, Any]:
    """What is said of a model, as data."""
    kind = precision.kind_of(soc_version)
    advice = precision.advised(model, soc_version)
    liked, moved = formats.likings(model), formats.moves(model)
    return {
        "soc_version": soc_version,
        "kind": kind,
        "precision_mode": advice.mode,
        "precision_mode_v2": advice.mode_v2,
        "why": advice.why,
        "operators": _operators(model),
        "types_not_taken": _not_taken(model, kind),
        "casts": [list(each) for each in precision.casts(model)],
        "modes": {mode: _mode(model, mode) for mode in precision.MODES},
        "formats": [{**each._asdict()} for each in liked],
        "padding": formats.padded(liked),
        "trans_data": [{**each._asdict(), "edge": str(each.edge)} for each in moved],
        "overflows": {
            mode: found
            for mode in precision.MODES
            if (found := precision.overflows(model, mode, ranges))
        },
    }


def _operators(model: Model) -> list[dict[str, Any]]:
    """How often an operator takes which types, and whether a later source only declares them."""
    counts: Counter[tuple[str, tuple[str, ...], bool]] = Counter()
    for _, node in precision.nodes(model):
        declared = find(node.type)
        if declared is None or node.type in precision.KEPT:
            continue
        types = tuple(dict.fromkeys(desc.type for desc in node.input_descs))
        ports = [port_of(declared.inputs, desc.name) for desc in node.input_descs]
        is_later = any(
            port is not None and desc.type in port.wider - port.types
            for port, desc in zip(ports, node.input_descs, strict=True)
        )
        counts[node.type, types, is_later] += 1
    return [
        {"operator": type, "types": list(types), "count": count, "later": is_later}
        for (type, types, is_later), count in sorted(counts.items())
    ]


def _not_taken(model: Model, kind: str) -> list[str]:
    """Tensors of types that an operator does not declare, or that the kind of chip has not."""
    found = []
    for graph, node in precision.nodes(model):
        declared = find(node.type)
        where = f"{graph.name}/{node.name}"
        if declared is None:
            found.append(f"{where}: GE has no operator {node.type}")
            continue
        for ports, descs in (
            (declared.inputs, node.input_descs),
            (declared.outputs, node.output_descs),
        ):
            for desc in descs:
                port = port_of(ports, desc.name)
                if kind in precision.FIRST and desc.type == precision.BRAIN:
                    found.append(f"{where}: {desc.name} is bfloat16, which {kind} has not")
                elif port is not None and desc.type != "DT_UNDEFINED" and not port.takes(desc.type):
                    found.append(f"{where}: {node.type} declares no {desc.type} for {desc.name}")
    return found


def _mode(model: Model, mode: str) -> dict[str, Any]:
    casts = precision.insertions(model, mode)
    return {
        "v2": precision.MODES[mode],
        "nodes": precision.changed(model, mode),
        "casts": [{**each._asdict(), "edge": str(each.edge)} for each in casts],
    }


# ---- for people ---------------------------------------------------------------------------------


def _show(path: str, facts: dict[str, Any]) -> None:
    show(f"{path} on {facts['soc_version']}, of the kind {facts['kind']}", "bold")
    newer = f", or precision_mode_v2={facts['precision_mode_v2']}"
    show(f"  ask for precision_mode={facts['precision_mode']}"
         f"{newer if facts['precision_mode_v2'] else ''}: {facts['why']}")  # fmt: skip
    _show_types(facts)
    _show_modes(facts)
    _show_formats(facts)
    _show_list("beyond float16", [
        f"{mode}: {tensor} reaches {size:.6g}"
        for mode, some in facts["overflows"].items() for tensor, size in some
    ])  # fmt: skip
    show()
    show("The types are those that operators declare. What the kernels of a chip take and which")
    show("formats it chooses, only the engine says.")


def _show_types(facts: dict[str, Any]) -> None:
    rows = [
        [each["operator"], " ".join(map(_short, each["types"])),
         "by a later source" if each["later"] else "", str(each["count"])]
        for each in facts["operators"]
    ]  # fmt: skip
    show()
    show_table(["operator", "reads", "declared", "nodes"], rows, left=3)
    _show_list("types that are not taken", facts["types_not_taken"])
    _show_list(
        "casts in the graph",
        [f"{where}: {_short(one)} to {_short(other)}" for where, one, other in facts["casts"]],
    )


def _show_modes(facts: dict[str, Any]) -> None:
    rows = [
        [mode, found["v2"], str(len(found["nodes"])), str(len(found["casts"]))]
        for mode, found in facts["modes"].items()
    ]
    show()
    show_table(["precision_mode", "v2", "nodes changed", "casts put in"], rows, left=2)


def _show_formats(facts: dict[str, Any]) -> None:
    rows = [
        [each["where"], each["port"], each["format"], _sizes(each["shape"]), _sizes(each["stored"])]
        for each in facts["formats"]
    ]
    if rows:
        show()
        show_table(["node", "port", "likes", "sizes", "stored as"], rows, left=5)
        show(f"  {facts['padding']:,} elements of padding in all")
    _show_list("TransData that follow", [
        f"{each['where']}: {each['edge']} from {each['before']} to {each['after']}"
        for each in facts["trans_data"]
    ])  # fmt: skip


def _show_list(title: str, lines: list[str]) -> None:
    if lines:
        show()
        show(f"{title}: {len(lines)}", "bold")
        for line in lines:
            show(f"  {line}")


def _short(type: str) -> str:
    return type.removeprefix("DT_").lower()


def _sizes(shape: list[int]) -> str:
    return "x".join(map(str, shape))
