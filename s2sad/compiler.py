"""The whole compiler on one page: from a call of the user's function to results.

 construct ─frontend─▶ primal ─PRIMAL─▶ primal ─autodiff─▶ joint ─JOINT─▶ joint ─TARGET─▶ IR ─backend─▶ executable
"""

from __future__ import annotations

import ast
import copy
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import MethodType
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.autodiff.reverse import differentiate
from s2sad.core import context, location
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Parameter, Tensor
from s2sad.core.transform import Transform
from s2sad.frontend.read import bind, map_leaves, named_leaves, read, start_of, title_of
from s2sad.ir import store
from s2sad.ir.builder import Builder
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function, Value
from s2sad.ir.printer import print_text
from s2sad.ir.types import TensorType, type_of
from s2sad.passes.base import Report, run_passes
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose, every, without_adjoint
from s2sad.variant import Label, Program, Variant, cause_of, key_of, most_common

PRIMAL = (
    Decompose(without_adjoint),  # what has no adjoint of its own is differentiated as its body
)
JOINT = (
    Dce(),  # adjoints leave behind what only unused gradients needed
)
TARGET = (
    Decompose(every),  # NumPy keeps no composite
    Dce(),  # bodies compute more than was asked of them
)

#: Package of each target.
BACKENDS = {"CPU": "s2sad.backends.numpy"}

#: Variants of one function beyond which a warning says what keeps changing.
MANY_VARIANTS = 8
#: Variants of one function that are kept; the oldest go first.
MOST_VARIANTS = 64

#: One program is compiled at a time.
COMPILING = threading.RLock()


def compile_variant(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Variant:
    """Compile `function` for the types of a call: the arrows of the picture above, in order."""
    stages = Stages()
    program = read_program(function, args, kwargs, stages)
    stages.reports += run_passes(program.function, TARGET, stages.note)
    backend = import_module(BACKENDS[context.get_context("device_target")])  # on first need
    arguments = {**dict(enumerate(args)), **kwargs}
    if not isinstance(function, Transform):
        arguments = bind(function, args, kwargs).arguments
    return Variant(program, backend.build(program.function), stages, arguments)


def read_program(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], stages: Stages
) -> Program:
    """Primal program of a call of a function, or the joint one of a call of a Transform."""
    if isinstance(function, Transform):
        inner = args[:-1] if function.sens_param else args
        primal = read_program(unwrapped(function.function), inner, kwargs, stages)
        stages.reports += run_passes(primal.function, PRIMAL, stages.note)
        program = joint_program(function, primal, args, kwargs)
        stages.note(program.function, "joint")
        stages.reports += run_passes(program.function, JOINT, stages.note)
        return program
    bound = bind(function, args, kwargs)
    _refuse_arrays(bound.arguments)
    reading = read(function, bound)
    stages.note(reading.function, "primal")
    sources = (*range(len(tensors_of((args, kwargs)))), *reading.hidden)
    form = ast.literal_eval(reading.function.tree)
    return Program(reading.function, reading.guards, sources, reading.written, form)
