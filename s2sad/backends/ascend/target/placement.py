"""What does the simulated device have to know of a compiled function, to run it or to count that?

Made before the passes of the CPU, for the device has operators where the CPU has kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from s2sad.backends.ascend.checking import require
from s2sad.backends.ascend.decoding import decode
from s2sad.backends.ascend.device.costs import Step
from s2sad.backends.ascend.device.graphs import NO_KERNELS, Launch
from s2sad.backends.ascend.device.session import Session
from s2sad.backends.ascend.encoding import encode
from s2sad.backends.ascend.graph import Model
from s2sad.backends.ascend.lowering.program import Lowered, lower
from s2sad.backends.ascend.lowering.region import is_held
from s2sad.backends.ascend.sink import Sunk, single, sunk
from s2sad.backends.ascend.target.ledger import SOC_VERSION, capacity
from s2sad.backends.ascend.target.rehearsal import is_decided, rehearse
from s2sad.backends.base import Executable, nbytes
from s2sad.core import simulation
from s2sad.core.diagnostics import fail
from s2sad.ir.bindings import is_argument
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.ir.types import StackType
from s2sad.passes import sink as sinking

#: What makes the executable of the CPU.
Make = Callable[[], Executable]


class Work(NamedTuple):
    """What one step takes.

    Attributes
    ----------
    step : Step
    nbytes : int
        Besides inputs, at one time.
    around : int
        Kernels of a call that belong to no step.
    """

    step: Step
    nbytes: int
    around: int = 0


class Placement:
    """A function as the device runs it.

    Parameters
    ----------
    function : Function
        It is copied.

    Attributes
    ----------
    function : Function
    lowered : Lowered
    is_decided : bool
        Whether numbers decide what runs.
    gives_values : bool
        Whether the device computes the numbers.
    form : {"engine", "while"}
        Of a sink.
    names : tuple of str
        Of the inputs.

    Raises
    ------
    S2sadError
        E0301, E0402 and E0712 at the user's line for what a device does not compute; E0712 for a
        tape that would leave it between two calls.
    """

    def __init__(self, function: Function) -> None:
        types = (*function.input_types, *function.result_types)
        if any(isinstance(each, StackType) for each in types):
            raise fail(
                "E0712", f"the tape of {function.name} cannot leave a device between two calls",
                help="take the gradient with grad or value_and_grad, which keep it in one program",
            )  # fmt: skip
        self.function = clone(function)
        self.lowered: Lowered = lower(function, function.name)
        require(self.lowered.model)
        self.is_decided = is_decided(self.lowered.model)
        choice = simulation.chosen or simulation.Choice()
        self.gives_values, self.form = self.is_decided or choice.values, choice.sink_form
        self.names = tuple(value.name or f"input {i}" for i, value in enumerate(function.args))

    @cached_property
    def loop(self) -> sinking.Step:
        """What inputs and results are to a loop over the function."""
        return sinking.Step.of(self.function)

    # Of one call

    @cached_property
    def single(self) -> Sunk:
        """As a graph that runs one step a call."""
        return single(self.lowered, soc_version=SOC_VERSION)

    @cached_property
    def work(self) -> Work:
        """Of one call, by a rehearsal."""
        launches, taken = rehearse(self.single, capacity())
        return Work(self.step(launches), taken)

    def step(self, launches: tuple[Launch, ...]) -> Step:
        """A step that launches these."""
        arguments = [
            nbytes(value)
            for value, binding in zip(self.function.args, self.function.inputs, strict=True)
            if is_argument(binding)
        ]
        results = sum(nbytes(self.function.results[i]) for i in self.lowered.results)
        return Step(launches, sum(arguments), results, SOC_VERSION)

    # Of a sink

    def sunk(self, steps: int) -> Sunk:
        """As graphs that run `steps` a call (E0404 where a step takes no batch)."""
        feeds = [i for i in self.loop.batch if is_held(self.function.input_types[i])]
        return sunk(
            self.lowered, feeds, steps, form=self.form, each_step=self.loop.reported,
            soc_version=SOC_VERSION,
        )  # fmt: skip

    def work_of_sink(self, steps: int) -> Work:
        """Of one step in a sink, by a rehearsal, and of the whole call around it."""
        made = self.sunk(steps)
        require(next(reversed(made.models.values())))
        launches, taken = rehearse(made, capacity())
        if self.form == "engine":
            return Work(self.step(launches), taken)
        inner, most = rehearse(made, capacity(), ("goes_on", "step"))
        tested = sum(launch.graph == "goes_on" for launch in inner)  # once more, to end the loop
        return Work(self.step(inner), taken + most, len(launches) + tested)


def kernels(model: Model) -> tuple[str, ...]:
    """Names of the nodes of `model` that are kernels."""
    nodes = (node for graph in model.graphs.values() for node in graph.nodes.values())
    return tuple(node.name for node in nodes if node.type not in NO_KERNELS)


def loaded(made: Sunk) -> Session:
    """A device with the graphs of `made`, read from the bytes of their files."""
    models = {name: decode(encode(model)) for name, model in made.models.items()}
    return Session(made.run, models, capacity=capacity())
