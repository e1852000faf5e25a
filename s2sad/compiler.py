"""The whole compiler on one page: from a call of the user's function to results.

construct ─frontend─▶ primal ─PRIMAL─▶ primal ─autodiff─▶ joint ─JOINT─▶ joint
joint, or primal where no gradient is wanted ─TARGET─▶ IR ─backend─▶ executable
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from s2sad.binding.bound import Bound
from s2sad.binding.gradients import joint_program
from s2sad.binding.program import (
    Program,
    refuse_arrays,
    tensors_of,
)
from s2sad.binding.stages import Stages
from s2sad.binding.variant import Variant
from s2sad.core import context
from s2sad.core.transform import Transform, unwrapped
from s2sad.frontend.read import bind, read
from s2sad.passes import registry
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
    if isinstance(function, Bound):  # begins where its dump was written
        target = (*primal, *target) if function.left is None else function.left
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
    if isinstance(function, Bound):
        program = function.program(args, kwargs)
        stages.note(program.function, "loaded", ())
        stages.mark_readable()
        return program
    bound = bind(function, args, kwargs)
    refuse_arrays(bound.arguments)
    reading = read(function, bound)
    stages.note(reading.function, "primal", stages.primal)
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
    if isinstance(function, (Transform, Bound)):  # has not been through PRIMAL, as it is
        stages.run(primal.function, stages.primal)
    program = joint_program(transform, primal, args, kwargs)
    stages.note(program.function, "joint", stages.joint)
    stages.run(program.function, stages.joint)
    stages.mark_readable()
    return program
