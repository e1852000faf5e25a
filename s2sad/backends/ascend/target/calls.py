"""How does a call of a compiled function run on the simulated device?

The ledger is told of it in any case. Numbers come from the executable of the CPU, or from a session
of the device, which takes and gives them as a host would.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.backends.ascend.device.session import Session
from s2sad.backends.ascend.lowering.region import is_held
from s2sad.backends.ascend.target.ledger import ledger
from s2sad.backends.ascend.target.placement import Make, Placement, Work, kernels, loaded
from s2sad.backends.ascend.text import as_text
from s2sad.backends.base import Executable, nbytes
from s2sad.core import simulation
from s2sad.ir.graph import Function
from s2sad.ir.primitive import as_run_time
from s2sad.ir.types import Token


def call_of(placement: Placement, make: Make) -> Executable:
    """What runs the function of `placement` once a call; `make` gives that of the CPU."""
    return Simulated(placement) if placement.gives_values else Counted(placement, make())


class OnDevice(Executable):
    """A function that the host calls as one graph.

    Parameters
    ----------
    placement : Placement
    function : Function
        What an executable says that it runs.
    """

    def __init__(self, placement: Placement, function: Function) -> None:
        self.placement = placement
        self.function = function

    def run(self, inputs: Sequence[Any], *, given: Collection[int] = ()) -> tuple[Any, ...]:
        """Results for `inputs`; see `Executable.run`.

        Raises
        ------
        S2sadError
            E0718 where the device's memory is full; what the program raises.
        """
        told = ledger()
        told.bring(inputs, self.placement.names)
        results, work = self.carried_out(inputs, given)
        told.called(work.step)
        written = self.function.donates
        told.leave([inputs[i] for i in written])
        names = {place: self.placement.names[i] for i, place in written.items()}
        for place, result in enumerate(results):
            kind = "state" if place in names else "result"
            told.settle([result], names.get(place, self.function.name), kind)
        return results

    @abstractmethod
    def carried_out(
        self, inputs: Sequence[Any], given: Collection[int]
    ) -> tuple[tuple[Any, ...], Work]:
        """The results, and what the device has done for them."""

    def settled(self, given: Sequence[Any], written: Sequence[Any]) -> None:
        settle(self.placement, given, written)

    @property
    def source(self) -> str:
        return as_text(self.placement.lowered.model)

    @property
    def kernels(self) -> tuple[str, ...]:
        return kernels(self.placement.lowered.model)


def settle(placement: Placement, given: Sequence[Any], written: Sequence[Any]) -> None:
    """Tell the ledger which arrays hold results from now on."""
    told, loop = ledger(), placement.loop
    for number, array in zip(loop.state, written, strict=False):  # tokens come behind
        told.settle([array], placement.names[number], "state")
    told.settle(given, placement.function.name)


class Counted(OnDevice):
    """A function whose numbers the CPU computes."""

    def __init__(self, placement: Placement, inner: Executable) -> None:
        super().__init__(placement, inner.function)
        self.inner = inner

    def carried_out(
        self, inputs: Sequence[Any], given: Collection[int]
    ) -> tuple[tuple[Any, ...], Work]:
        work = self.placement.work
        with ledger().reserved(self.function.name, work.nbytes), simulation.on_host():
            return self.inner.run(inputs, given=given), work

    @property
    def overwrites(self) -> frozenset[int]:
        return self.inner.overwrites


class Simulated(OnDevice):
    """A function whose numbers the device computes."""

    def __init__(self, placement: Placement) -> None:
        super().__init__(placement, placement.function)
        self._session: Session | None = None
        self._lock = threading.Lock()

    def carried_out(
        self, inputs: Sequence[Any], given: Collection[int]
    ) -> tuple[tuple[Any, ...], Work]:
        with self._lock, simulation.on_host():
            if self._session is None:
                self._session = loaded(self.placement.single)
            session = self._session
            known = dict(enumerate(map(as_run_time, inputs)))
            put_state(session, self.placement, known)
            found = session.run(values_of(session, known))
            tell_printed(session)
            states = states_of(session, self.placement)
            work = work_done(session, self.placement)
        with ledger().reserved(self.function.name, work.nbytes):
            return assembled(self.placement, found, states), work

    @property
    def overwrites(self) -> frozenset[int]:
        return frozenset()


# What host and device hand over


def put_state(session: Session, placement: Placement, inputs: Mapping[int, Any]) -> None:
    """Put what the program replaces on the device."""
    for number, name in placement.lowered.state.items():
        session.put(name, inputs[number])


def values_of(session: Session, inputs: Mapping[int, Any]) -> list[Any]:
    """Inputs of the graph of the step that are neither state nor in a queue, in order."""
    entry = next(each for each in session.run_file.graphs if each.role == "step")
    return [inputs[each.number] for each in entry.inputs if each.kind == "value"]


def states_of(session: Session, placement: Placement) -> dict[int, np.ndarray]:
    """What the state holds, by the results of the program that it is."""
    donates = placement.function.donates
    return {donates[i]: session.get(name) for i, name in placement.lowered.state.items()}


def assembled(
    placement: Placement, found: Sequence[np.ndarray], states: Mapping[int, np.ndarray]
) -> tuple[Any, ...]:
    """All results of the program: those that the graph gives, state, and tokens."""
    known = {**dict(zip(placement.lowered.results, found, strict=False)), **states}
    types = enumerate(placement.function.result_types)
    return tuple(known[i] if is_held(type) else Token for i, type in types)


def tell_printed(session: Session) -> None:
    """Print what the device has printed."""
    for text in session.device.printed:
        print(text, end="")  # the lowering says how a line ends
    session.device.printed.clear()


def work_done(session: Session, placement: Placement) -> Work:
    """What the last run took: known before, or as numbers have decided."""
    if not placement.is_decided:
        return placement.work
    return Work(placement.step(tuple(session.launched())), taken(session, placement))


def taken(session: Session, placement: Placement) -> int:
    """Bytes that runs have taken at most, besides the inputs of the program."""
    entry = next(each for each in session.run_file.graphs if each.role == "step")
    inputs = sum(nbytes(placement.function.args[each.number]) for each in entry.inputs)
    return session.device.memory.peak - inputs
