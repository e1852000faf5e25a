"""How does one call run many steps on the simulated device?

The batches of a sink come through the channel of its host, in whatever number. A call of the device
runs a number of steps that is known before: those of the sink, and no more than `MOST_STEPS`.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from s2sad.backends.ascend.device.costs import Step
from s2sad.backends.ascend.device.session import Session
from s2sad.backends.ascend.graph import Model
from s2sad.backends.ascend.sink import CHANNEL
from s2sad.backends.ascend.target import calls
from s2sad.backends.ascend.target.ledger import ledger
from s2sad.backends.ascend.target.placement import Make, Placement, Work, kernels, loaded
from s2sad.backends.ascend.text import as_text
from s2sad.backends.base import Executable
from s2sad.core import simulation
from s2sad.ir.graph import Function
from s2sad.ir.types import Token
from s2sad.prims.channel import Channel, served

#: Steps of one call.
MOST_STEPS = 1000
#: Under which name the host of a sink serves its channel.
BATCHES = "batches"


def sink_of(placement: Placement, make: Make) -> Executable:
    """What runs the function of `placement` for many batches; `make` gives that of the CPU."""
    placement.sunk(1)  # whether it can be sunk is said before anything runs
    return SimulatedSink(placement) if placement.gives_values else CountedSink(placement, make())


class Sink(Executable):
    """A function that runs many times a call.

    Parameters
    ----------
    placement : Placement
        Of one step.
    function : Function
        What an executable says that it runs.
    """

    def __init__(self, placement: Placement, function: Function) -> None:
        self.placement = placement
        self.function = function
        self._works: dict[int, Work] = {}
        loop = placement.loop
        self.hidden = [i for i in range(len(placement.names)) if i not in loop.batch]
        self.last_calls = 0

    @property
    def source(self) -> str:
        return as_text(self._model)

    @property
    def kernels(self) -> tuple[str, ...]:
        return kernels(self._model)

    @cached_property
    def _model(self) -> Model:
        made = self.placement.sunk(1)
        return made.models[made.run.graphs[-1].file]

    def interactions(self) -> int:
        """Calls of the last run."""
        return self.last_calls

    def settled(self, given: Sequence[Any], written: Sequence[Any]) -> None:
        calls.settle(self.placement, given, written)

    def work(self, steps: int) -> Work:
        """What a call of `steps` takes, for each step; its graphs initialize once."""
        if steps not in self._works:
            self._works[steps] = self.placement.work_of_sink(steps)
            ledger().prepared()
        return self._works[steps]

    def streams(self, steps: int) -> int:
        """The engine's loop and each queue have one of their own."""
        return 3 if self.placement.form == "engine" and steps > 1 else 1

    def run(self, inputs: Sequence[Any], *, given: Collection[int] = ()) -> tuple[Any, ...]:
        """Results for `inputs`; see `Executable.run`."""
        names = [self.placement.names[i] for i in self.hidden]
        ledger().bring(inputs[: len(names)], names)
        with simulation.on_host():
            results = self.carried_out(inputs, given, served(BATCHES))
        state = self.placement.loop.state
        ledger().leave([x for i, x in zip(self.hidden, inputs, strict=False) if i in state])
        return results

    @abstractmethod
    def carried_out(
        self, inputs: Sequence[Any], given: Collection[int], channel: Channel
    ) -> tuple[Any, ...]:
        """The results, of which the ledger is told."""


class CountedSink(Sink):
    """A sink whose numbers the CPU computes."""

    def __init__(self, placement: Placement, inner: Executable) -> None:
        super().__init__(placement, inner.function)
        self.inner = inner

    def channel(self) -> Channel:
        return self.inner.channel()

    @property
    def overwrites(self) -> frozenset[int]:
        return self.inner.overwrites

    def carried_out(
        self, inputs: Sequence[Any], given: Collection[int], channel: Channel
    ) -> tuple[Any, ...]:
        """Steps count that have ended, also where the next one fails."""
        try:
            with ledger().reserved(self.function.name, self.work_of_one):
                return self.inner.run(inputs, given=given)
        finally:
            self.tell(channel.steps)

    @cached_property
    def work_of_one(self) -> int:
        return self.placement.work_of_sink(1).nbytes

    def tell(self, steps: int) -> None:
        """Count `steps` as the device would run them."""
        self.last_calls = 0
        while steps > 0:
            now = min(steps, MOST_STEPS)
            work = self.work(now)
            with ledger().reserved(self.function.name, work.nbytes):
                streams = self.streams(now)
                ledger().sunk([work.step] * now, around=work.around, streams=streams)
            self.last_calls += 1
            steps -= now


class DeviceChannel(Channel):
    """A channel whose program knows only after a call how many of its steps have ended."""

    def ended(self, steps: int) -> None:
        """So many steps have ended, and left nothing."""
        self._steps += steps


class SimulatedSink(Sink):
    """A sink whose numbers the device computes."""

    def __init__(self, placement: Placement) -> None:
        super().__init__(placement, placement.function)
        self._sessions: dict[int, Session] = {}
        self._lock = threading.Lock()

    def channel(self) -> Channel:
        return DeviceChannel()

    @property
    def overwrites(self) -> frozenset[int]:
        return frozenset()

    def carried_out(
        self,
        inputs: Sequence[Any],
        given: Collection[int],  # noqa: ARG002 - nothing is overwritten
        channel: Channel,
    ) -> tuple[Any, ...]:
        """Where a step fails nothing of its call is kept."""
        known = dict(zip(self.hidden, inputs, strict=False))
        loop, self.last_calls = self.placement.loop, 0
        while batches := self.taken(channel):
            with self._lock:
                known.update(self.call(known, batches, channel))
        tokens = [Token] * len(loop.given_tokens)
        return (*(known[i] for i in loop.state), *tokens, Token)

    def taken(self, channel: Channel) -> list[tuple[np.ndarray, ...]]:
        """Batches of the next call."""
        types = [self.placement.function.input_types[i] for i in self.placement.loop.batch]
        found: list[tuple[np.ndarray, ...]] = []
        while len(found) < MOST_STEPS and (batch := channel.next(types)) is not None:
            found.append(batch)
        return found

    def call(
        self, known: dict[int, Any], batches: Sequence[Sequence[np.ndarray]], channel: Channel
    ) -> dict[int, np.ndarray]:
        """Run a step for each batch, report their results; the state by the inputs that it is."""
        session = self.session(len(batches), known)
        before = session.device.items
        session.feed(CHANNEL, batches)
        try:
            found = session.run(calls.values_of(session, known))
        except BaseException:  # Ctrl-C as well: the channel says in which step it was
            assert isinstance(channel, DeviceChannel)
            channel.ended(max(session.device.items - before - 1, 0))
            raise
        calls.tell_printed(session)
        self.tell(session, len(batches))
        lowered = self.placement.lowered
        states = {i: session.get(name) for i, name in lowered.state.items()}
        self.report(found[len(lowered.results) :], states, len(batches), channel)
        return states

    def session(self, steps: int, known: dict[int, Any]) -> Session:
        """The device with graphs for so many steps, and with the state."""
        self.work_known(steps)
        if steps not in self._sessions:
            self._sessions[steps] = loaded(self.placement.sunk(steps))
            if self.placement.form == "engine":
                self._sessions[steps].init()
        session, state = self._sessions[steps], self.placement.lowered.state
        if self.placement.form == "engine":
            calls.put_state(session, self.placement, known)
        else:
            session.init({f"{name}/first": known[i] for i, name in state.items()})
        return session

    def work_known(self, steps: int) -> None:
        """Let the graphs of this many steps be counted as initialized."""
        if not self.placement.is_decided:
            self.work(steps)
        elif steps not in self._sessions:
            ledger().prepared()

    def tell(self, session: Session, steps: int) -> None:
        """Count what the device has done."""
        if self.placement.is_decided:
            work, each = self.decided(session, steps)
        else:
            work = self.work(steps)
            each = [work.step] * steps
        with ledger().reserved(self.function.name, work.nbytes):
            ledger().sunk(each, around=work.around, streams=self.streams(steps))
        self.last_calls += 1

    def decided(self, session: Session, steps: int) -> tuple[Work, list[Step]]:
        """What a call took whose numbers have decided that; launches are drawn in equal parts."""
        launches = session.launched()
        cuts = [len(launches) * i // steps for i in range(steps + 1)]
        each = [
            self.placement.step(tuple(launches[a:b]))
            for a, b in zip(cuts, cuts[1:], strict=False)
        ]  # fmt: skip
        return Work(each[0], calls.taken(session, self.placement)), each

    def report(
        self, rows: Sequence[np.ndarray], states: dict[int, np.ndarray], steps: int,
        channel: Channel,
    ) -> None:  # fmt: skip
        """Hand out what each step gave; the state is that of the last one."""
        state = [states[i] for i in self.placement.loop.state]
        for number in range(steps):
            channel.keep(state)
            channel.report([row[number] for row in rows])
