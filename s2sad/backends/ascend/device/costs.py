"""How long would a device take, and what does it wait for: launches, calls, or its own work?

The model is a roofline with delays: a kernel takes as long as its multiplications, its other
arithmetic or its memory traffic, whichever is longest. Rates of the chip come from ``soc.json``,
the rest from ``costs.json``, which says of each figure where it comes from; most are assumed. So
forms of running can be compared with each other. It predicts no device.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

from s2sad.backends.ascend.device.graphs import Launch
from s2sad.backends.ascend.device.meanings.base import option
from s2sad.backends.ascend.device.memory import soc
from s2sad.backends.ascend.graph import Desc, Node
from s2sad.backends.ascend.tables import table as facts

FORMS = ("pynative", "graph", "sink")
LANES = ("host", "copies", "device")
#: Events of a timeline that are kept; all count.
MOST_EVENTS = 200_000


class Figure(NamedTuple):
    """A number of the model, its unit, and where it comes from."""

    value: float
    unit: str
    source: str


@cache
def figures() -> dict[str, Figure]:
    """The numbers of ``costs.json`` by name.

    Examples
    --------
    >>> figures()["launch"].source
    'assumed'
    """
    return {name: Figure(**row) for name, row in facts("costs").items() if name != "about"}


def figure(name: str) -> float:
    """The value of a number of ``costs.json``."""
    return figures()[name].value


# Kernels


def cube_peak(soc_version: str) -> float:
    """Operations a second of all cube cores in float16, a multiply-add being two.

    Examples
    --------
    >>> round(cube_peak("Ascend910B1") / 1e12)
    364
    """
    chip = soc(soc_version)
    cores = chip.get("cube_core_cnt") or chip["ai_core_cnt"]
    size = chip["cube_m"] * chip["cube_n"] * chip["cube_k"]
    return cores * size * 2 * chip["cube_freq_mhz"] * 1e6


def vector_peak(soc_version: str) -> float:
    """Bytes a second that the vector units take."""
    chip = soc(soc_version)
    cores = chip["vector_core_cnt"] or chip["ai_core_cnt"]
    return cores * chip["vec_calc_bytes"] * chip.get("vec_freq_mhz", chip["cube_freq_mhz"]) * 1e6


def _matmul(node: Node) -> int:
    x, y = node.input_descs[0].shape, node.output_descs[0].shape
    return 2 * math.prod(y) * (math.prod(x) // max(math.prod(x[:-2]) * y[-2], 1))


def _conv(node: Node) -> int:
    """Each element of the result side goes with each of the filters' for its channel."""
    ports = {desc.name: desc for desc in node.input_descs}
    image = ports.get("out_backprop", node.output_descs[0])
    filters = ports.get("filter", node.output_descs[0])
    channels = image.shape[option(node, "data_format").index("C")]
    return 2 * math.prod(image.shape) * (math.prod(filters.shape) // max(channels, 1))


CUBE: dict[str, Callable[[Node], int]] = {
    "MatMulV2": _matmul, "BatchMatMulV2": _matmul, "Conv2D": _conv, "Conv2DBackpropInput": _conv,
    "Conv2DBackpropFilter": _conv,
}  # fmt: skip


def seconds(node: Node, soc_version: str) -> float:
    """How long the kernel of `node` takes, without what comes before it."""
    descs = [*node.input_descs, *node.output_descs]
    traffic = sum(map(_size, descs)) / figure("hbm")
    if node.type not in CUBE:
        rate = vector_peak(soc_version) * figure("vector_efficiency")
        return max(traffic, max(map(_size, descs), default=0) / rate)
    rate = cube_peak(soc_version) * figure("cube_efficiency")
    if node.output_descs[0].type == "DT_FLOAT":
        rate *= figure("cube_share_float32")
    return max(traffic, CUBE[node.type](node) / rate)


def _size(desc: Desc) -> int:
    return desc.nbytes or 0


# Timelines


class Event(NamedTuple):
    """Something that one of the `LANES` does, in seconds."""

    lane: str
    name: str
    start: float
    duration: float


@dataclass
class Timeline:
    """What host and device do in some steps.

    Attributes
    ----------
    form : str
        Such as ``"pynative"``, ``"graph"`` or ``"sink"``.
    steps, interactions : int
    events : list of Event
        The first `MOST_EVENTS`.
    seconds : float
        Until the last event is over.
    """

    form: str
    steps: int = 0
    interactions: int = 0
    events: list[Event] = field(default_factory=list)
    seconds: float = 0.0
    _work: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LANES, 0.0))

    def busy(self, lane: str) -> float:
        """The share of the time that `lane` works."""
        return self._work[lane] / self.seconds if self.seconds else 0.0

    def add(self, lane: str, name: str, start: float, duration: float) -> float:
        """Add an event; when it is over."""
        if len(self.events) < MOST_EVENTS:
            self.events.append(Event(lane, name, start, duration))
        self._work[lane] += duration
        self.seconds = max(self.seconds, start + duration)
        return start + duration

    @property
    def shown(self) -> float:
        """Until the last of `events` is over."""
        return max((e.start + e.duration for e in self.events), default=0.0)


@dataclass(frozen=True)
class Step:
    """One step of a program, as the cost model sees it.

    Attributes
    ----------
    launches : tuple of Launch
        In order; see `Session.launched`.
    batch, results : int
        Bytes that go to the device and come back.
    soc_version : str
    """

    launches: tuple[Launch, ...]
    batch: int
    results: int
    soc_version: str = "Ascend910B1"

    @cached_property
    def kernels(self) -> tuple[tuple[str, float], ...]:
        """What each launch runs, and how long that takes."""
        return tuple((x.node.name, seconds(x.node, self.soc_version)) for x in self.launches)


def _copy(nbytes: int) -> float:
    return figure("pcie_latency") + nbytes / figure("pcie")


class Clock:
    """Draws what happens on a device, one thing after the other, on a `Timeline`.

    Parameters
    ----------
    line : Timeline
    """

    def __init__(self, line: Timeline) -> None:
        self.line = line
        self._host = self._device = self._copied = 0.0  # until when each of them is at work
        self._is_sinking = False

    def bring(self, nbytes: int) -> None:
        """The host copies `nbytes` to the device, and waits for that."""
        self._is_sinking = False
        self._host = self.line.add("copies", "batch", self._host, _copy(nbytes))
        self._device = max(self._device, self._host)

    def launch(self, step: Step) -> None:
        """The host launches each operator of `step`; the device runs behind it."""
        self._is_sinking = False
        for launch, (name, cost) in zip(step.launches, step.kernels, strict=True):
            name_of_launch = f"launch {launch.node.type}"
            self._host = self.line.add("host", name_of_launch, self._host, figure("launch"))
            start = max(self._host, self._device)
            self._device = self.line.add("device", name, start, cost)
            self.line.interactions += 1

    def synchronize(self) -> None:
        """The host waits for the device."""
        self._host = max(self._host, self._device)

    def wait(self, nbytes: int) -> None:
        """The host waits for results, and copies them."""
        start = max(self._host, self._device)
        self._host = self._device = self.line.add("copies", "results", start, _copy(nbytes))

    def call(self, step: Step) -> None:
        """The host calls a graph, and waits for its results; the batch is there."""
        self._is_sinking = False
        self._run()
        self._on_device(step)
        self.wait(step.results)

    def sink(self, steps: Sequence[Step]) -> None:
        """The host calls a graph for `steps`, whose batches are copied while the device computes.

        They are copied ahead of the steps, from the first of several sinks in a row on.
        """
        self._copied = self._copied if self._is_sinking else self._host
        self._is_sinking = True
        self._run()
        for number, step in enumerate(steps):
            if number:
                self._device += figure("loop")
            self._copied = self.line.add("copies", "batch", self._copied, _copy(step.batch))
            self._device = max(self._device, self._copied)
            self._on_device(step)
        self.wait(steps[-1].results)

    def _run(self) -> None:
        self._host = self.line.add(
            "host", "run", max(self._host, self._device), figure("interaction")
        )
        self._device = self._host
        self.line.interactions += 1

    def _on_device(self, step: Step) -> None:
        """Kernels one after the other, as a graph runs them."""
        for name, cost in step.kernels:
            self._device = self.line.add("device", name, self._device + figure("task"), cost)


def timelines(step: Step, *, steps: int = 4, sink_size: int = 4) -> list[Timeline]:
    """The three forms of running `steps` steps, side by side.

    Parameters
    ----------
    step : Step
    steps, sink_size : int
        The last sink is smaller where they do not divide.
    """
    return [_pynative(step, steps), _graph(step, steps), _sink(step, steps, sink_size)]


def _pynative(step: Step, steps: int) -> Timeline:
    line = Timeline("pynative", steps)
    clock = Clock(line)
    for _ in range(steps):
        clock.bring(step.batch)
        clock.launch(step)
        clock.wait(step.results)
    return line


def _graph(step: Step, steps: int) -> Timeline:
    line = Timeline("graph", steps)
    clock = Clock(line)
    for _ in range(steps):
        clock.bring(step.batch)
        clock.call(step)
    return line


def _sink(step: Step, steps: int, sink_size: int) -> Timeline:
    line = Timeline("sink", steps)
    clock = Clock(line)
    for first in range(0, steps, sink_size):
        clock.sink([step] * min(sink_size, steps - first))
    return line


# For people


def table(lines: Sequence[Timeline]) -> str:
    """Forms side by side: time a step, interactions, how busy the device is, what is gained."""
    rows = [("form", "us/step", "interactions", "device busy", "faster")]
    first = lines[0].seconds / max(lines[0].steps, 1)
    for line in lines:
        each = line.seconds / max(line.steps, 1)
        rows.append((line.form, f"{each * 1e6:.1f}", str(line.interactions),
                     f"{line.busy('device'):.0%}", f"{first / each:.2f}x"))  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    text = [
        "  ".join(cell.ljust(w) if not i else cell.rjust(w)
                  for i, (cell, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]  # fmt: skip
    return "\n".join(text)


def plot(lines: Sequence[Timeline], *, width: int = 64) -> str:
    """Who works when, a row a lane, all forms on one scale.

    A character is a part of the time: ``#`` where the lane works for most of it, ``+`` for a
    quarter of it or more, ``-`` for less, and ``.`` where it waits. Only events that were kept are
    drawn.
    """
    whole = max((line.shown for line in lines), default=0.0)
    text = [
        f"{line.form:<9}{lane:<7}{_row(line, lane, whole / width, width)}".rstrip()
        for line in lines
        for lane in LANES
    ]
    return "\n".join([*text, f"{'':<16}0 to {whole * 1e6:.0f} us"])


def _row(line: Timeline, lane: str, part: float, width: int) -> str:
    if not part:
        return ""
    work = [0.0] * (width + 1)
    for event in (e for e in line.events if e.lane == lane):
        end = event.start + event.duration
        for i in range(int(event.start / part), min(int(end / part), width - 1) + 1):
            work[i] += max(min(end, (i + 1) * part) - max(event.start, i * part), 0.0)
    marks = (
        "#" if x > part / 2 else "+" if x >= part / 4 else "-" if x else "." for x in work[:width]
    )
    return "".join(marks)[: math.ceil(line.shown / part)]


def chrome_trace(lines: Sequence[Timeline]) -> str:
    """All events as JSON for chrome://tracing or Perfetto: a process a form, a thread a lane."""
    events: list[dict] = []
    for place, line in enumerate(lines):
        events.append({"ph": "M", "name": "process_name", "pid": place,
                       "args": {"name": f"{line.form} (simulated)"}})  # fmt: skip
        events += [
            {"ph": "M", "name": "thread_name", "pid": place, "tid": i, "args": {"name": lane}}
            for i, lane in enumerate(LANES)
        ]
        events += [
            {"ph": "X", "name": e.name, "pid": place, "tid": LANES.index(e.lane),
             "ts": e.start * 1e6, "dur": e.duration * 1e6}
            for e in line.events
        ]  # fmt: skip
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"})
