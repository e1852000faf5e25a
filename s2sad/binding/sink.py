"""How does one call of a program run many steps, and what does the user see of them meanwhile?

A sink is one run of a program that takes its batches from a channel (`passes.sink` makes it). It
runs in a thread of its own. The thread of the caller feeds it, hands out the results of steps in
order, and sees to Ctrl-C; when the sink ends, however it ends, Parameters take what the last step
that ended has left.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.backends.base import Executable
from s2sad.binding.program import key_of
from s2sad.binding.results import Steps
from s2sad.binding.variant import Variant, assembled, released
from s2sad.core import storage
from s2sad.core.diagnostics import annotate, fail
from s2sad.core.interrupts import Interrupts
from s2sad.core.parameter import WRITING
from s2sad.core.stores import refuse_stores
from s2sad.core.tensor import Tensor
from s2sad.frontend.effects import HOST
from s2sad.frontend.trees import map_leaves
from s2sad.ir.types import Token
from s2sad.prims.channel import serving

#: Seconds until the host looks again whether it was asked to stop.
POLL = 0.05

#: Held by whoever runs a sink that writes Parameters: of two both are made. Who reads Parameters,
#: or sets others, need not wait, so batches may come from any threads.
SINKING = threading.RLock()

#: From the arguments of a call to the program for it, and from that to its sink.
Find = Callable[[tuple[Any, ...]], Variant]
Make = Callable[[Variant], Executable]
#: What errors call the step of a number.
Naming = Callable[[int], str]


def of_sink(number: int) -> str:
    """What they call it where nobody says otherwise."""
    return f"step {number} of the sink, from 0"


def left(number: int, last: int, called: Naming) -> str:
    """How Parameters are where step `number` fails, and what they hold is from before `last`."""
    if not last:
        return "as they were"
    return f"as {'the step before' if last == number else called(last - 1)} left them"


@dataclass
class Tally:
    """What was sunk.

    Attributes
    ----------
    steps : int
        That have ended.
    sinks : int
        Runs of a program.
    interactions : int
        Times that those handed over between the host and the device.
    """

    steps: int = 0
    sinks: int = 0
    interactions: int = 0


@dataclass(slots=True)
class Batch:
    """Arguments of one step.

    Attributes
    ----------
    args : tuple
    tensors : list of Tensor
        The inputs among them.
    key : object
        What batches of one sink have in common.
    """

    args: tuple[Any, ...]
    tensors: list[Tensor]
    key: Any

    @staticmethod
    def of(given: Any) -> Batch:
        """`given` as a step takes it: the items of a tuple or a list, or it alone."""
        args = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        for item in args:
            if type(item) is not Tensor:
                args = map_leaves(args, lambda x: Tensor(x) if isinstance(x, np.ndarray) else x)
                break
        tensors: list[Tensor] = []
        key = key_of(args, tensors)
        return Batch(args, tensors, key)


class Feed:
    """The user's batches, one of them looked at ahead.

    Attributes
    ----------
    error : BaseException or None
        What ended them, if that was an error.
    """

    def __init__(self, batches: Iterable[Any], interrupts: Interrupts) -> None:
        self.error: BaseException | None = None
        self._batches = iter(batches)
        self._interrupts = interrupts
        self._ahead: Batch | None = None

    def peek(self) -> Batch | None:
        """The next batch, which stays the next; None at the end."""
        if self._ahead is None and self.error is None:
            try:
                with self._interrupts.at_once():
                    self._ahead = Batch.of(next(self._batches))
            except BaseException as error:
                self.error = error
        return self._ahead

    def take(self) -> Batch:
        """The batch that was looked at."""
        batch, self._ahead = self._ahead, None
        assert batch is not None
        return batch

    def close(self) -> None:
        """Raise what ended the batches, unless it was their end."""
        if self.error is not None and not isinstance(self.error, StopIteration):
            raise self.error


class Run:
    """One sink.

    Attributes
    ----------
    variant : Variant
        The step.
    channel : Channel
    first : int
        Number of its first step.
    called : callable
        From the number of a step to what errors call it.
    error : BaseException or None
        What ended the program, if that was an error.
    results : tuple or None
        Of the program, if it has come to its end: what the last step has left, and a token.
    """

    def __init__(
        self, variant: Variant, executable: Executable, first: int, called: Naming = of_sink
    ) -> None:
        self.variant = variant
        self.first, self.called = first, called
        self.executable = executable
        self.channel = executable.channel()
        self.error: BaseException | None = None
        self.results: tuple[Any, ...] | None = None
        with WRITING:  # all as one update left them
            self.hidden = [x for x in variant.program.sources if not isinstance(x, int)]
            self.arrays = [source.array for source in self.hidden]
        work = copy_context().run
        written = set(map(id, variant.program.written))
        self._pairs = list(zip(self.hidden, self.arrays, strict=True))
        self._own = [pair for pair in self._pairs if id(pair[0]) in written]
        self._thread = threading.Thread(target=work, args=(self._work,), name="s2sad sink")
        self._thread.start()

    def _work(self) -> None:
        try:
            with serving("batches", self.channel):
                self.results = self.executable.run([*self.arrays, Token])
        except BaseException as error:  # the thread that waits for this one raises it
            self.error = error
        finally:
            self.channel.finish()

    def end(self) -> None:
        """Let the program end at the end of its step, and wait for that."""
        self.channel.stop()
        while not self.channel.is_finished:
            self.channel.reports()  # it may wait for room
            self.channel.wait(POLL)
        self._thread.join()
        if self.error is not None:
            number = self.first + self.channel.steps
            last = number if self.channel.state is not None else self.first
            after = left(number, last, self.called)
            annotate(self.error, f"it was {self.called(number)}; Parameters are {after}")

    def adopt(self) -> None:
        """Let Parameters hold what the last step that ended has left."""
        state = self.channel.state if self.results is None else self.results
        if not self.channel.steps or state is None:
            return
        arrays = [array for array in self.arrays if array is not Token]
        held = {id(x) for array in arrays for x in (array, array.base)}
        written = [x for x in self.variant.program.written if x is not HOST]
        new = [released(array, held) for array in state[: len(written)]]  # tokens come behind
        for parameter, array in zip(written, new, strict=True):
            parameter.adopt(array)
        self.executable.settled((), new)

    def reads(self) -> list[Any]:
        """What a sink that begins now would read, and whether the program is the right one."""
        return [*(source.array for source in self.hidden), self.variant.holds()]

    @property
    def is_as_begun(self) -> bool:
        """Whether another sink that begins now would be like this one."""
        for source, array in self._pairs:
            if source.array is not array:
                return False
        return self.variant.holds()

    def conflict(self) -> Exception | None:
        """E0707 where somebody else has set what the program writes."""
        for source, array in self._own:
            if source.array is not array:
                return _changed(f"{getattr(source, 'name', 'a tensor')} was set")
        return None

    def require_unset(self) -> None:
        """Raise what `conflict` gives."""
        conflict = self.conflict()
        if conflict is not None:
            raise conflict


def is_same(reads: Sequence[Any], before: Sequence[Any]) -> bool:
    """Whether nothing has changed between two looks at what a program reads."""
    return all(now is then for now, then in zip(reads, before, strict=True))


def _changed(what: str) -> Exception:
    return fail(
        "E0707", f"{what} while a sink ran, which did not see it",
        help="let sinks end where that happens: size=n lets them run n steps each",
    )  # fmt: skip


class Sinks:
    """Sinks over one data set, one after the other.

    Parameters
    ----------
    find, make : callable
    steps : Steps
    interrupts : Interrupts
    stop : threading.Event or None
        Set to end.
    size : int or None
        Most steps of one sink.
    tally : Tally
        Is added to.
    called : callable
        From the number of a step to what errors call it.
    """

    def __init__(
        self, find: Find, make: Make, steps: Steps, interrupts: Interrupts,
        stop: threading.Event | None, size: int | None, tally: Tally, called: Naming,
    ) -> None:  # fmt: skip
        self.find = find
        self.make = make
        self.steps = steps
        self.interrupts = interrupts
        self.size = size
        self.tally, self.called = tally, called
        self._stop = stop

    @property
    def is_stopping(self) -> bool:
        return self.interrupts.is_pending or (self._stop is not None and self._stop.is_set())

    def over(self, feed: Feed) -> None:
        """Sinks until the batches are at their end, or somebody stops them."""
        while not self.is_stopping and (batch := feed.peek()) is not None:
            with self.interrupts.at_once():
                variant = self.find(batch.args)
                refuse_stores(variant.program.written)
                executable = self.make(variant)
            with SINKING if variant.program.written else _NOBODY:
                run = Run(variant, executable, self.tally.steps, self.called)
                self.one(_Sink(run, feed, batch.key, self))

    def one(self, sink: _Sink) -> None:
        """One sink, from its beginning to its end."""
        run, error = sink.run, None
        try:
            sink.pump()
        except BaseException as caught:
            error = caught
        run.end()
        with WRITING:
            conflict = run.conflict()
            run.adopt()
        self.tally.sinks += 1
        self.tally.steps += run.channel.steps
        self.tally.interactions += run.executable.interactions()
        if error is None:
            sink.show_last()
            error = run.error or conflict
        if error is not None:
            raise error


#: Who writes no Parameter keeps nobody waiting.
_NOBODY: AbstractContextManager[None] = nullcontext()


class _Sink:
    """The host's side of one sink."""

    def __init__(self, run: Run, feed: Feed, key: Any, sinks: Sinks) -> None:
        self.run = run
        self.feed = feed
        self.key = key
        self.sinks = sinks
        self.fed = 0
        self.reported: Any = None  # the last report, which the user sees when the next one comes

    def pump(self) -> None:
        """Feed the program and show what it reports, until it has ended."""
        channel = self.run.channel
        while True:
            if self.sinks.is_stopping:
                channel.stop()
            is_finished = channel.is_finished  # asked first: no report comes after that
            reports = channel.reports()
            for report in reports:
                self.show_early()
                self.reported = report
            if is_finished:
                return
            if channel.has_room:
                self.give()
            elif not reports:
                channel.wait(POLL)

    def give(self) -> None:
        """Give the next batch, or say that this sink has had its last."""
        channel = self.run.channel
        if self.fed == self.sinks.size:
            channel.close()
            return
        batch = self.feed.peek()
        if batch is None or batch.key != self.key or not self.run.is_as_begun:
            self.run.require_unset()
            channel.close()
            return
        channel.put([storage.pinned(tensor) for tensor in self.feed.take().tensors])
        self.fed += 1

    def show_last(self) -> None:
        """Let the user see the last report, if he has not."""
        if self.reported is not None:
            tensors = [Tensor.wrap(array) for array in self.reported]
            self.reported = None
            self.sinks.steps.show(assembled(self.run.variant.program.form, tensors))

    def show_early(self) -> None:
        """Show it while the sink runs: E0707 where the user then changes what that has read."""
        if not self.sinks.steps.is_watched:
            self.show_last()
            return
        before = self.run.reads()
        self.show_last()
        self.run.require_unset()
        if not is_same(self.run.reads(), before):
            raise _changed("what the program reads was changed")


def sink(
    batches: Iterable[Any], find: Find, make: Make, *, on_step: Callable[..., Any] | None,
    stop: threading.Event | None, size: int | None, kept: str, tick: Callable[[], object],
    tally: Tally, called: Naming,
) -> Any:  # fmt: skip
    """Results of all steps over `batches`; `tally` says what was sunk. See `Compiled.sink`."""
    with Interrupts() as interrupts:
        steps = Steps(on_step, interrupts, kept, tick)
        feed = Feed(batches, interrupts)
        Sinks(find, make, steps, interrupts, stop, size, tally, called).over(feed)
        feed.close()
    return steps.results


def unsunk(
    batches: Iterable[Any], call: Callable[..., Any], *, on_step: Callable[..., Any] | None,
    stop: threading.Event | None, kept: str, tick: Callable[[], object], tally: Tally,
    called: Naming,
) -> Any:  # fmt: skip
    """The same by a call for each step."""
    interrupts = Interrupts()  # of which nothing is noted: each step is Python
    steps = Steps(on_step, interrupts, kept, tick)
    feed = Feed(batches, interrupts)
    while not (stop is not None and stop.is_set()) and feed.peek() is not None:
        try:
            result = call(*feed.take().args)
        except Exception as error:
            annotate(error, f"it was {called(steps.count)}")
            raise
        tally.steps += 1
        steps.show(result)
    feed.close()
    return steps.results
