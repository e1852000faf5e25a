"""How does a host run what lies beside a ``run.json`` on a device, and how often do they meet?

State is put on the device once and stays there; a batch goes with the call, or into a queue before
it. An interaction is what the host has to do before the device goes on: a call of a graph, or, run
operator by operator as PyNative does, the launch of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.backends.ascend.checking import check
from s2sad.backends.ascend.decoding import decode
from s2sad.backends.ascend.device import actions  # noqa: F401 - it registers its operators
from s2sad.backends.ascend.device.graphs import Device, Launch, Runner
from s2sad.backends.ascend.device.memory import Memory, capacity_of
from s2sad.backends.ascend.device.tensors import Tensor, stored
from s2sad.backends.ascend.graph import Desc, Model
from s2sad.backends.ascend.run_file import (
    LOOP_CONDITION,
    ONE,
    PER_LOOP,
    ZERO,
    Channel,
    GraphEntry,
    Input,
    RunFile,
    read,
)
from s2sad.core.diagnostics import did_you_mean, fail


@dataclass
class Counters:
    """What a session did.

    Attributes
    ----------
    interactions : int
        Of the steps: calls of graphs, or launches of operators one by one.
    setups : int
        Calls of graphs that initialize.
    steps : int
    queue_items : int
        Batches that the device took from queues.
    launches : int
        Kernels, however they came to run.
    streams : int
        At most at a time: the steps, and where the engine loops one for the loop and one for each
        GetNext.
    """

    interactions: int = 0
    setups: int = 0
    steps: int = 0
    queue_items: int = 0
    launches: int = 0
    streams: int = 0


class Session:
    """A simulated device, and the graphs that were loaded.

    Parameters
    ----------
    run : RunFile
    models : mapping of str to Model
        By the names that `run` has for their files.
    capacity : int, optional
        Bytes of memory; by default what the chip that `run` names has.
    """

    def __init__(
        self, run: RunFile, models: Mapping[str, Model], *, capacity: int | None = None
    ) -> None:
        memory = Memory(capacity_of(run.soc_version) if capacity is None else capacity)
        self.run_file = run
        self.device = Device(memory, queues={channel.name: [] for channel in run.channels})
        self.counters = Counters()
        self._state: dict[str, Tensor] = {}
        self._runners: dict[str, Runner] = {}
        self._initialized: set[str] = set()
        for entry in run.graphs:
            self._runners[entry.name] = Runner(_checked(models, entry), self.device)

    @classmethod
    def load(cls, path: Path, *, capacity: int | None = None) -> Session:
        """The session that the ``run.json`` at `path`, or in that folder, asks for.

        Raises
        ------
        S2sadError
            E0604 and E0609 for files that are not there or cannot be read, E0717 for a graph that
            the engine would not take, E0710 for a chip that is not known.
        """
        run = read(path)
        folder = path if path.is_dir() else path.parent
        models = {entry.file: decode(_bytes(folder / entry.file)) for entry in run.graphs}
        return cls(run, models, capacity=capacity)

    # What the host gives

    def put(self, name: str, array: Any) -> None:
        """Put the state `name` on the device: elements as its type stores them."""
        wanted = self._wanted(name)
        desc = Desc(wanted.type, wanted.shape)
        value = stored(array, desc, name)
        if name in self._state:
            self._state[name].value = value
            return
        block = self.device.memory.take(name, value.nbytes, "state")
        self._state[name] = Tensor(value, desc, block, is_state=True)

    def _wanted(self, name: str) -> Input:
        states = {
            x.name: x for entry in self.run_file.graphs for x in entry.inputs if x.kind == "state"
        }
        if name not in states:
            raise fail("E0717", f"there is no state {name!r}", help=did_you_mean(name, states))
        return states[name]

    def get(self, name: str) -> np.ndarray:
        """What the state, or the Variable, `name` holds, as its type stores it."""
        found = self._state.get(name) or self.device.variables.get(name)
        if found is None or found.value is None:
            raise fail("E0717", f"nothing was put at {name!r}")
        return np.array(found.value)

    def send(self, channel: str, batch: Sequence[Any]) -> None:
        """Put a batch into the queue `channel`; an array for each of its columns.

        Raises
        ------
        S2sadError
            E0717 for a queue that there is not or that is full, and for a batch that does not fit.
        """
        wanted = self._channel(channel)
        waiting = self.device.queues[channel]
        if len(waiting) >= wanted.capacity:
            raise fail("E0717", f"the queue {channel!r} is full: {wanted.capacity} batches wait")
        waiting.append(_batch(wanted, batch))

    def feed(self, channel: str, batches: Iterable[Sequence[Any]]) -> None:
        """Keep the queue `channel` filled from `batches`, as a thread of the host does; to its end.

        A batch that does not fit is an error (E0717) when the device comes to it.
        """
        wanted = self._channel(channel)
        self.device.sources[channel] = (_batch(wanted, batch) for batch in batches)

    def close(self, channel: str) -> None:
        """Say that no batch comes after those in the queue `channel`."""
        self.device.queues[self._channel(channel).name].append(None)

    def _channel(self, name: str) -> Channel:
        for channel in self.run_file.channels:
            if channel.name == name:
                return channel
        raise fail("E0717", f"there is no queue {name!r}")

    # What the device does

    def init(self, values: Mapping[str, Any] | None = None) -> None:
        """Run the graphs that initialize; `values` are their inputs by name."""
        for entry in self.run_file.graphs:
            if entry.role == "init":
                given = [(values or {}).get(x.name) for x in entry.inputs]
                self._release(self._run(entry, given, 1))
                self._initialized.add(entry.name)
                self.counters.setups += 1

    def run(self, values: Sequence[Any] = (), *, by_operator: bool = False) -> list[np.ndarray]:
        """Run the graph of the steps once; what it gives, as their types store it.

        Parameters
        ----------
        values : sequence of arrays
            Of the inputs that are values, in order, elements as their types store them.
        by_operator : bool
            Whether the host launches each operator by itself, as PyNative does.

        Raises
        ------
        S2sadError
            E0706 for a queue that is empty or at its end, E0717 for inputs that do not fit, state
            that was not put and operators that fail, E0718 where the memory is full.
        """
        entry = self._step()
        waiting = [e.name for e in self.run_file.graphs if e.role == "init"]
        if set(waiting) - self._initialized:
            raise fail("E0717", f"{waiting[0]} has to run before", help="call init()")
        given = iter(values)
        arrays = [next(given, None) if x.kind == "value" else None for x in entry.inputs]
        if next(given, None) is not None:
            raise fail("E0717", f"{entry.name} takes fewer values than {len(values)}")
        self.device.launches.clear()
        times = self._times(entry)
        tensors = self._run(entry, arrays, times)
        found = [np.array(tensor.value) for tensor in tensors]
        self._release(tensors)
        launches = len(self.device.launches)
        self.counters.interactions += launches if by_operator else 1
        self.counters.launches += launches
        self.counters.steps += entry.steps
        self.counters.queue_items = self.device.items
        fetches = sum(1 for _ in self._runners[entry.name].model.root.of_type("GetNext"))
        self.counters.streams = max(self.counters.streams, 1 if times == 1 else 2 + fetches)
        return found

    def _step(self) -> GraphEntry:
        (entry,) = (entry for entry in self.run_file.graphs if entry.role == "step")
        return entry

    def launched(self) -> list[Launch]:
        """The kernels of the last run, in order."""
        return list(self.device.launches)

    def _run(self, entry: GraphEntry, arrays: Sequence[Any], times: int) -> list[Tensor]:
        """Run a graph `times` times on the same inputs; what it gives at last."""
        try:
            return self._repeated(entry, arrays, times)
        except BaseException:  # Ctrl-C as well: nothing of the run stays in the device's memory
            self.device.clear()
            raise

    def _repeated(self, entry: GraphEntry, arrays: Sequence[Any], times: int) -> list[Tensor]:
        runner = self._runners[entry.name]
        inputs = [self._input(x, array) for x, array in zip(entry.inputs, arrays, strict=True)]
        found = runner.run(runner.model.root, inputs)
        for _ in range(times - 1):
            self._release(found)
            self._count_one()
            found = runner.run(runner.model.root, inputs)
        if times > 1:
            self._variable(LOOP_CONDITION).value = np.array(self._variable(ZERO).value)
        self._release(x for x in inputs if not x.is_state)
        return found

    def _times(self, entry: GraphEntry) -> int:
        """How often the engine runs a graph a call: once, unless it was told to loop."""
        if not entry.need_iteration or PER_LOOP not in self.device.variables:
            return 1
        left = self._variable(PER_LOOP).value - self._variable(LOOP_CONDITION).value
        return int(left) + 1

    def _count_one(self) -> None:
        """What stands behind the results of a step that is not the last: an AssignAdd."""
        condition = self._variable(LOOP_CONDITION)
        condition.value = condition.value + self._variable(ONE).value

    def _variable(self, name: str) -> Tensor:
        found = self.device.variables.get(name)
        if found is None or found.value is None:
            raise fail("E0717", f"the engine's loop needs the variable {name}")
        return found

    def _input(self, wanted: Input, array: Any) -> Tensor:
        if wanted.kind == "state":
            if wanted.name not in self._state:
                raise fail("E0717", f"the state {wanted.name!r} was not put on the device")
            return self._state[wanted.name]
        if array is None:
            raise fail("E0717", f"the value of {wanted.name!r} is not given")
        desc = Desc(wanted.type, wanted.shape)
        value = stored(array, desc, wanted.name)
        block = self.device.memory.take(wanted.name, value.nbytes, "input")
        return Tensor(value, desc, block)

    def _release(self, tensors: Any) -> None:
        for tensor in tensors:
            self.device.memory.release(tensor.block)


def _batch(wanted: Channel, batch: Sequence[Any]) -> list[np.ndarray]:
    """The columns of a batch, which fit the queue."""
    if len(batch) != len(wanted.types):
        what = f"a batch of {wanted.name!r} has {len(wanted.types)} columns, got {len(batch)}"
        raise fail("E0717", what)
    columns = zip(batch, wanted.types, wanted.shapes, strict=True)
    name = f"a column of {wanted.name!r}"
    return [stored(x, Desc(type, shape), name) for x, type, shape in columns]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise fail("E0604", f"{path} cannot be read: {error.strerror}") from None


def _checked(models: Mapping[str, Model], entry: GraphEntry) -> Model:
    """The model of `entry`, which has its inputs and breaks no rule of the engine (E0717)."""
    model = models[entry.file]
    found = check(model)
    if found:
        what = f"the engine does not take {entry.file}"
        raise fail("E0717", what, notes=tuple(str(each).partition("\n")[0] for each in found[:5]))
    nodes = sorted(model.root.of_type("Data", "RefData"), key=lambda node: node.value("index", 0))
    descs = [(x.output_descs[0].type, x.output_descs[0].shape) for x in nodes]
    if [(x.type, x.shape) for x in entry.inputs] != descs:
        raise fail("E0717", f"{entry.file} has other inputs than its run.json says")
    return model
