"""The whole compiler on one page: from a call of the user's function to results.

construct ─frontend─▶ primal ─PRIMAL─▶ primal ─autodiff─▶ joint ─JOINT─▶ joint
joint, or primal where no gradient is wanted ─TARGET─▶ IR ─backend─▶ executable
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from s2sad.binding.gradients import joint_program
from s2sad.binding.program import (
    Program,
    refuse_arrays,
    tensors_of,
)
from s2sad.binding.variant import Variant
from s2sad.core import context
from s2sad.core.transform import Transform, unwrapped
from s2sad.frontend.read import bind, read
from s2sad.ir import store
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.passes import registry
from s2sad.passes.base import Pass, Report, run_passes
from s2sad.passes.canonicalize import Canonicalize
from s2sad.passes.cse import Cse
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose, every, without_adjoint
from s2sad.passes.hoist import HoistConstants

PRIMAL = (
    Decompose(without_adjoint),  # what has no adjoint of its own is differentiated as its body
    HoistConstants(),  # a constant inside a loop would go on a tape
)
JOINT = (
    Canonicalize(),  # later patterns meet one spelling
    Cse(),  # adjoints compute again what the primal computed
    Dce(),  # and leave behind what only unused gradients needed
)
TARGET = (
    Decompose(every),  # NumPy keeps no composite
    Canonicalize(),  # bodies are written for every case
    Cse(),
    Dce(),  # and compute more than was asked of them
)

#: Package of each target.
BACKENDS = {"CPU": "s2sad.backends.numpy"}


def compile_variant(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Variant:
    """Compile `function` for the types of a call: the arrows of the picture above, in order."""
    primal, joint, target = registry.arranged(PRIMAL, JOINT, TARGET)
    stages = Stages(primal, joint, target)
    program = read_program(function, args, kwargs, stages)
    stages.run(program.function, stages.target)
    if context.get_context("save_graphs"):
        title = program.function.title or program.function.name
        stages.dump(Path(context.get_context("save_graphs_path")) / title)
    backend = import_module(BACKENDS[context.get_context("device_target")])  # on first need
    return Variant(program, backend.build(program.function), stages)


def read_program(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], stages: Stages
) -> Program:
    """The primal program of a call of a function, or the joint one of a Transform."""
    if isinstance(function, Transform):
        return differentiate_program(function, args, kwargs, stages)
    bound = bind(function, args, kwargs)
    refuse_arrays(bound.arguments)
    reading = read(function, bound)
    stages.note(reading.function, "primal")
    stages.mark_readable()
    stages.run(reading.function, stages.primal)
    sources = (*range(len(tensors_of(args, kwargs))), *reading.hidden)
    form = ast.literal_eval(reading.function.tree)
    return Program(reading.function, reading.guards, sources, reading.written, form)


def differentiate_program(
    transform: Transform, args: tuple[Any, ...], kwargs: Mapping[str, Any], stages: Stages
) -> Program:
    """The joint program of a call of `transform`, whose function may be a Transform as well."""
    inner, function = args[:-1] if transform.sens_param else args, unwrapped(transform.function)
    primal = read_program(function, inner, kwargs, stages)
    if isinstance(function, Transform):  # its joint program is the primal of this one
        stages.run(primal.function, stages.primal)
    program = joint_program(transform, primal, args, kwargs)
    stages.note(program.function, "joint")
    stages.run(program.function, stages.joint)
    stages.mark_readable()
    return program


@dataclass
class Stages:
    """Every stage of one compilation, in order.

    Attributes
    ----------
    primal, joint, target : tuple of Pass
        The three lists, with the passes that users plugged in where they asked for.
    functions : list of (str, Function)
        Name of the stage and a copy of the function after it.
    reports : list of Report
        What each pass did.
    """

    primal: tuple[Pass, ...]
    joint: tuple[Pass, ...]
    target: tuple[Pass, ...]
    functions: list[tuple[str, Function]] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    _readable: int = 0

    def note(self, function: Function, name: str) -> None:
        """Keep a copy of `function` as the stage `name`."""
        self.functions.append((f"{len(self.functions):02}-{name}", clone(function)))

    def run(self, function: Function, passes: tuple[Pass, ...]) -> None:
        """Run `passes`, with a stage after each."""
        self.reports += run_passes(function, passes, self.note)

    def __getitem__(self, name: str) -> Function:
        """The last stage of that name, without its number."""
        return next(function for stage, function in self.functions[::-1] if stage[3:] == name)

    def mark_readable(self) -> None:
        """Let the latest stage be the one that people read."""
        self._readable = len(self.functions) - 1

    @property
    def readable(self) -> Function:
        """The joint program after JOINT, or the primal where no gradient is wanted."""
        return self.functions[self._readable][1]

    def dump(self, folder: Path) -> list[Path]:
        """Write each stage as a file that runs; their paths. Stages of an earlier dump go."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{name}.py" for name, _ in self.functions]
        _remove_stages(folder, keep=paths)
        for path, (name, function) in zip(paths, self.functions, strict=True):
            store.save(function, path, stage=f"after {name}")
        return paths


def _remove_stages(folder: Path, keep: Sequence[Path]) -> None:
    """Remove what an earlier dump left in `folder`: two programs must not mix."""
    for path in folder.glob("[0-9][0-9]-*.py"):
        if path not in keep and path.read_text(encoding="utf-8").startswith("# s2sad ir"):
            for beside in (path, path.with_suffix(".npz"), path.with_suffix(".in.npz")):
                beside.unlink(missing_ok=True)
