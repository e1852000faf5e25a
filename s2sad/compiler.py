"""The whole compiler on one page: from a call of the user's function to results.

construct ─frontend─▶ primal ─PRIMAL─▶ primal ─autodiff─▶ joint ─JOINT─▶ joint
joint, or primal where no gradient is wanted ─TARGET─▶ IR ─backend─▶ executable
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from s2sad.backends.base import Executable
from s2sad.binding import tuned
from s2sad.binding.bound import Bound, require_no_hooks
from s2sad.binding.donated import donate
from s2sad.binding.gradients import joint_program
from s2sad.binding.limit import fitting, require
from s2sad.binding.open_sizes import OpenProgram
from s2sad.binding.program import (
    Program,
    refuse_arrays,
    tensors_of,
)
from s2sad.binding.pullback import Half, PullbackVariant
from s2sad.binding.stages import Stages
from s2sad.binding.tangents import tangent_program
from s2sad.binding.target import backend, backend_name
from s2sad.binding.variant import Variant
from s2sad.binding.vjp import vjp_program
from s2sad.core import context, simulation
from s2sad.core.diagnostics import fail
from s2sad.core.memory_info import least
from s2sad.core.tensor import Placeholder, Tensor
from s2sad.core.transform import Transform, unwrapped
from s2sad.frontend.callee import bind, title_of_call
from s2sad.frontend.read import read
from s2sad.frontend.trees import leaves
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function, Value
from s2sad.ir.sizes import at_sizes
from s2sad.passes import registry
from s2sad.passes.base import Pass, run_passes
from s2sad.passes.canonicalize import Canonicalize
from s2sad.passes.cse import Cse
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose, every, without_adjoint, without_tangent
from s2sad.passes.expand import MERGING, ExpandTransforms
from s2sad.passes.fuse import Fuse
from s2sad.passes.hoist import HoistConstants
from s2sad.passes.join_sums import JoinSums
from s2sad.passes.layout import Layout
from s2sad.passes.plan_memory import PlanMemory
from s2sad.passes.segment import SegmentLoops, has_budget
from s2sad.passes.sink import SinkLoop
from s2sad.passes.strip import StripMarkers
from s2sad.passes.validation import check_executable

PRIMAL = (
    ExpandTransforms(),  # a derivative met inside of the program is ordinary code from here on
    Decompose(without_adjoint),  # what has no adjoint of its own is differentiated as its body
    HoistConstants(),  # a constant inside a loop would go on a tape
)
#: After PRIMAL, where a gradient is wanted and a loop is long.
REVERSE = (
    SegmentLoops(),  # what the backward sweep needs of it is to fit in memory
)
#: After PRIMAL, where a tangent is wanted.
FORWARD = (
    Decompose(without_tangent),  # what has no tangent of its own is differentiated as its body
)
JOINT = (
    StripMarkers(),  # nothing is differentiated any more: all passes may look inside
    Canonicalize(),  # later patterns meet one spelling
    Cse(),  # adjoints compute again what the primal computed
    Dce(),  # and leave behind what only unused gradients needed
)
#: For each backend.
TARGET = {
    "s2sad.backends.numpy": (
        Decompose(every),  # NumPy keeps no composite
        Canonicalize(),  # bodies are written for every case
        JoinSums(),  # one product after a loop for a sum of products in it
        Cse(),
        Dce(),  # and compute more than was asked of them
    ),
    "s2sad.backends.c": (
        Decompose(every, keep=("max_pool_grad",)),  # what has a unit of the runtime stays
        Canonicalize(),
        JoinSums(),
        Cse(),
        Dce(),
        Layout(),  # products of matrices read transposed arrays as they lie
        Fuse(),  # one trip through memory for what one nest of loops computes
        PlanMemory(),  # last: the order in which what is really left needs the least memory
    ),
}
#: After TARGET, where one call is to run many steps.
SINK = (
    SinkLoop(),  # of the very operations that a step has by itself, so with the same numbers
)

#: Variable of the environment: 1 lets every compiled program prove itself on its first call.
VALIDATE = "S2SAD_VALIDATE"
#: What runs the program as it is before TARGET, line by line.
STEPWISE = "s2sad.backends.stepwise"
#: What knows the program as it is before TARGET as the simulated device runs it.
PLACEMENT = "s2sad.backends.ascend.target.placement"
CALLS, SINKS = "s2sad.backends.ascend.target.calls", "s2sad.backends.ascend.target.sinks"


def compile_variant(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, stepwise: bool = False,
    limit: int | None = None,
) -> Variant:  # fmt: skip
    """Compile `function` for the types of a call: the arrows of the picture above, in order.

    With `stepwise` the program is as people read it, which is how PyNative mode runs a gradient.
    It needs no more than `limit` bytes beside what it is given, or is refused (E0716).
    """
    stages = stages_for(function, limit)
    if isinstance(function, Transform) and function.kind == "vjp":
        return compile_vjp(function, args, kwargs, stages, stepwise=stepwise)
    program = whole_program(function, args, kwargs, stages)
    if not stepwise:
        donate(program, tensors_of(args, kwargs))
    inputs = inputs_to_check(program.sources, args, kwargs)
    return completed(program, function, stages, inputs, stepwise=stepwise)


def compile_open(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, stepwise: bool = False,
    limit: int | None = None,
) -> OpenProgram:  # fmt: skip
    """Compile `function` for types with symbols, as far as no size is needed; `at` goes on."""
    stages = stages_for(function, limit)
    program = whole_program(function, args, kwargs, stages)

    def at(sizes: Mapping[str, int]) -> Variant:
        given = sizes if stepwise else backend().sizes_for(sizes)
        here = replace(program, function=at_sizes(program.function, given))
        return completed(here, function, stages.at(sizes), None, stepwise=stepwise)

    return OpenProgram(program.guards, at)


def stages_for(function: Any, limit: int | None = None) -> Stages:
    """No stage yet, and the passes that a call of `function` will go through."""
    kept = PRIMAL if simulation.chosen is None else of_engine(function)
    primal, joint, target = registry.arranged(kept, JOINT, target_passes())
    if isinstance(function, Bound):  # begins where its dump was written
        target = (*primal, *joint, *target) if function.left is None else function.left
    if limit is not None:
        target = sparing(target)
    return Stages(primal, joint, target, limit=limit)


def target_passes() -> tuple[Pass, ...]:
    """TARGET of the present backend; without fusion, where the context says so."""
    passes = TARGET[backend_name()]
    if context.get_context("enable_graph_kernel") is False:
        return tuple(each for each in passes if not isinstance(each, Fuse))
    return passes


def sparing(passes: Sequence[Pass]) -> tuple[Pass, ...]:
    """`passes`, without what takes memory to save time."""
    return tuple(each for each in passes if not isinstance(each, JoinSums))


def whole_program(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], stages: Stages
) -> Program:  # fmt: skip
    """The program of a call, with its gradient, as far as it is the same for all targets."""
    program = read_program(function, args, kwargs, stages)
    if not isinstance(function, Bound):
        inputs = inputs_to_check(program.sources, args, kwargs)
        stages.run(program.function, stages.joint, inputs)
    if isinstance(function, Transform) or stages.changed("expand-transforms"):
        stages.mark_readable()
    return program


def program_for_engine(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Program:  # fmt: skip
    """The program of a call for an engine that has composites as operators, as Ascend's has.

    Where no gradient of the whole is wanted nothing is differentiated through a composite's body,
    and the updates of optimizers and the gradients of layers stay what they are.
    """
    primal, joint = registry.arranged(of_engine(function), JOINT)
    return whole_program(function, args, kwargs, Stages(primal, joint, ()))


def of_engine(function: Any) -> tuple[Pass, ...]:
    """PRIMAL of `function` for such an engine."""
    if isinstance(function, Transform):
        return PRIMAL
    return tuple(step for step in PRIMAL if not isinstance(step, Decompose))


def completed(
    program: Program, function: Any, stages: Stages, inputs: list[Any] | None, *, stepwise: bool
) -> Variant:  # fmt: skip
    """The variant of `program`, which a call of `function` has become: TARGET and the backend."""
    placement = None if stepwise else placed(program.function)
    if not stepwise:
        stages.target = tuned.with_settings(stages.target, tuned.find(program.function))
        if stages.limit is not None:
            stages.target = fitting(program.function, stages.target, stages.limit)
        stages.run(program.function, stages.target, inputs)
    save_graphs(stages, program.function)
    maker = builder(program.function, function, stepwise=stepwise)
    if placement is not None:
        maker = partial(import_module(CALLS).call_of, placement, maker)
    variant = Variant(program, maker, stages)
    variant.limit, variant.placement = stages.limit, placement
    if inputs is not None:
        check_executable(variant.executable, inputs)
    return variant


def inputs_to_check(
    sources: Sequence[Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> list[Any] | None:  # fmt: skip
    """Where `S2SAD_VALIDATE` is 1, arrays of this call to run the program on after each pass."""
    if os.environ.get(VALIDATE) != "1":
        return None
    tensors = tensors_of(args, kwargs)
    if any(isinstance(tensor, Placeholder) for tensor in tensors):
        return None  # of an open size; what is checked then is the program for each size
    return [tensors[s].array if isinstance(s, int) else s.array for s in sources]


def compile_vjp(
    transform: Transform, args: tuple[Any, ...], kwargs: Mapping[str, Any], stages: Stages,
    *, stepwise: bool,
) -> PullbackVariant:  # fmt: skip
    """Compile a `vjp`: its joint program is split, and TARGET and the backend take either half."""
    if any(isinstance(leaf, Value) for leaf in leaves([args, dict(kwargs)])):
        raise fail(
            "E0104", "what is compiled has no pullback in compiled code",
            help="s2sad.vjp(function, ...) works there",
        )  # fmt: skip
    primal = primal_program(transform, args, kwargs, stages)
    segment(primal.function, stages)
    vjp = vjp_program(transform, primal, args)
    joint = vjp.program.function
    stages.note(joint, "joint", stages.joint)
    stages.run(joint, stages.joint)
    stages.mark_readable()
    split = vjp.split()
    halves = []
    for name, function, what in (
        ("forward", split.forward.function, unwrapped(transform.function)),
        ("backward", split.backward, transform),
    ):
        first, lowered = len(stages.functions), clone(function)
        placement = None if stepwise else placed(function)
        stages.note(lowered, name, ())
        if not stepwise:
            stages.run(lowered, stages.target)
            require(lowered, stages.limit)
        maker = builder(lowered, what, stepwise=stepwise)
        executable = import_module(CALLS).call_of(placement, maker) if placement else maker()
        halves.append(Half(function, executable, tuple(stages.functions[first:])))
    save_graphs(stages, joint)
    forward, backward = halves
    return PullbackVariant(split, forward, backward, stages)


def segment(function: Function, stages: Stages) -> None:
    """Run REVERSE, where that concerns a loop of `function`."""
    passes = REVERSE
    if stages.limit is not None:  # the tapes are a part of it
        half = stages.limit // 2
        passes = tuple(replace(each, budget=min(each.budget, half)) for each in REVERSE)
    if any(each.concerns(function) for each in passes):
        stages.run(function, passes)


def sunk(variant: Variant, *, checks: bool = False) -> Executable:
    """What runs the program of `variant` for one batch after the other, by one call.

    With `checks` a step that gives or writes what is not finite is an error.
    """
    kept = "checked" if checks else "sunk"
    if getattr(variant, kept) is None:
        make = partial(_sunk_on_cpu, variant, checks)
        if variant.placement is not None:
            if checks:
                raise fail(
                    "E0712", "a device does not look for NaN between the steps of a sink",
                    help='leave check_nan out, or set_context(device_target="CPU")',
                )  # fmt: skip
            make = partial(import_module(SINKS).sink_of, variant.placement, make)
        setattr(variant, kept, make())
    return getattr(variant, kept)


def _sunk_on_cpu(variant: Variant, checks: bool) -> Executable:
    function = clone(variant.program.function)
    for place in variant.program.spent:  # a batch comes by a channel
        function.donates.pop(place, None)
    run_passes(function, [replace(each, checks=checks) for each in SINK])
    require(function, variant.limit)
    return builder(function, None, stepwise=False)()


def placed(function: Function) -> Any:
    """`function`, which is before TARGET, as the simulated device runs it, if that is to be."""
    if simulation.chosen is None:
        return None
    return import_module(PLACEMENT).Placement(function)


def builder(function: Function, of: Any, *, stepwise: bool) -> Callable[[], Executable]:
    """What makes the executable of `function`, which a call of `of` has become."""
    if stepwise:
        return partial(import_module(STEPWISE).build, function, title_of_call(of))
    return partial(backend().build, function)


def save_graphs(stages: Stages, function: Function) -> None:
    """Write the stages where the context says so."""
    if context.get_context("save_graphs"):
        folder = Path(context.get_context("save_graphs_path"))
        stages.dump(folder / (function.title or function.name))


def read_program(
    function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], stages: Stages,
    *, order: int = 0,
) -> Program:  # fmt: skip
    """The primal program of a call of a function, or the joint one of a derivative.

    Calling a map or a Jacobian is read as a program that calls it would be. `order` says how many
    derivatives will be taken of it.
    """
    if isinstance(function, Transform) and not function.is_read:
        return differentiate_program(function, args, kwargs, stages, order)
    if isinstance(function, Bound):
        program = function.program(args, kwargs)
        limit_pool(program, args, kwargs, stages)
        if order:
            require_no_hooks(program, tensors_of(args, kwargs))
        stages.note(program.function, "loaded", stages.target)
        stages.mark_readable()
        return program
    bound = bind(function, args, kwargs)
    refuse_arrays(bound.arguments)
    reading = read(function, bound, order=order)
    if has_budget(reading.function):
        stages.target = sparing(stages.target)
    stages.note(reading.function, "primal", stages.primal)
    stages.mark_readable()
    sources = (*range(len(tensors_of(args, kwargs))), *reading.hidden)
    stages.run(reading.function, stages.primal, inputs_to_check(sources, args, kwargs))
    program = Program(reading.function, reading.guards, sources, reading.written, reading.form)
    limit_pool(program, args, kwargs, stages)
    return program


def limit_pool(
    program: Program, args: tuple[Any, ...], kwargs: Mapping[str, Any], stages: Stages
) -> None:  # fmt: skip
    """Let the limit of `stages` be the least that its inputs have."""
    tensors = tensors_of(args, kwargs)
    for source in program.sources:
        info = None
        if isinstance(source, int):
            info = tensors[source]._memory
        elif isinstance(source, Tensor):  # no token
            name = getattr(source, "name", "tensor")
            info = program.guards.attribute(source, "_memory", f"{name}.set_mem_info")
        if info is not None:
            stages.limit = least(stages.limit, info.pool_limit)


def differentiate_program(
    transform: Transform, args: tuple[Any, ...], kwargs: Mapping[str, Any], stages: Stages,
    order: int,
) -> Program:  # fmt: skip
    """The joint program of a call of `transform`, whose function may be a Transform as well."""
    inner = args[:-1] if transform.sens_param else args
    primal = primal_program(transform, inner, kwargs, stages, order)
    if transform.kind == "jvp":
        stages.run(primal.function, FORWARD)
        program = tangent_program(transform, primal, args)
    else:
        segment(primal.function, stages)
        program = joint_program(transform, primal, args, kwargs)
    stages.note(program.function, "joint", stages.joint)
    return program


def primal_program(
    transform: Transform, args: tuple[Any, ...], kwargs: Mapping[str, Any], stages: Stages,
    order: int = 0,
) -> Program:  # fmt: skip
    """The program that `transform` differentiates, ready for that."""
    function = unwrapped(transform.function)
    if isinstance(function, Transform) and function.kind == "vjp":
        raise fail("E0304", "a vjp gives a function, which has no gradient")
    primal = read_program(function, args, kwargs, stages, order=order + 1)
    is_joint = isinstance(function, Transform) and not function.is_read
    if is_joint or isinstance(function, Bound):  # has not been through PRIMAL, as it is
        stages.run(primal.function, stages.primal)
    if is_joint or stages.changed("expand-transforms"):
        stages.run(primal.function, MERGING)
    return primal
