"""What is pinned of three steps of training, and how is it written anew?

``PYTHONPATH=tests:. python -m backends.c.pinned`` writes ``pinned.json``; read the diff afterwards.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from bench.peer import Run
from s2sad import compiler
from s2sad.backends.c.layout import Layout, needed
from s2sad.backends.c.lowering import lower
from s2sad.ir.graph import Operation
from s2sad.passes.base import run_passes
from s2sad.passes.tape_memory import longest
from s2sad.passes.work import work_of

FILE = Path(__file__).with_name("pinned.json")
#: Workloads of `bench`.
WORKLOADS = ("lenet", "lstm", "transformer_block")


def measured(name: str) -> dict[str, int]:
    """Numbers of one step that depend on the compiler alone.

    Launches and bytes are those of one pass through the program, each loop as often as it runs.
    """
    run = Run(name, "call")
    stages = compiler.stages_for(run.step.function)
    function = compiler.whole_program(run.step.function, run.batches[0], {}, stages).function
    run_passes(function, compiler.TARGET["s2sad.backends.c"])
    layout = Layout(function, lower(function))
    launched = [step.operation for step in layout.steps if step.kernel is not None]
    slots = [slot for slot in layout.slots if slot.kind == "ARENA"]
    return {
        "launches": sum(map(_times, launched)),
        "bytes_moved": sum(_times(op) * work_of(op).nbytes for op in dict.fromkeys(launched)),
        "arena": layout.arena,
        "alive_at_once": needed(slots),
    }


def _times(operation: Any) -> int:
    """How often the loops around `operation` run it."""
    times, owner = 1, operation.parent.parent
    while isinstance(owner, Operation):
        times *= longest(owner) or 1
        owner = owner.parent.parent if owner.parent is not None else None
    return times


def main() -> None:
    """Write the file anew."""
    os.environ["S2SAD_BACKEND"] = "c"
    found = {name: measured(name) for name in WORKLOADS}
    FILE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
