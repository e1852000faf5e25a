"""How do the steps of an epoch run, one by one or sunk, and what sees them?

Whoever watches sees the same either way: each step begins and ends, in order, with what it gave.
Of sunk steps he sees that perhaps some steps late, but for those at which he needs Parameters:
there a sink ends, and the next begins.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any, Protocol

from s2sad.binding.sink import Naming, of_sink
from s2sad.compiled import compiled_of
from s2sad.core.cell import Cell
from s2sad.core.context import is_graph_mode
from s2sad.core.diagnostics import S2sadError, annotate
from s2sad.core.interrupts import Interrupts
from s2sad.core.recording import is_expected
from s2sad.train.data import Batch


class Watch(Protocol):
    """Who sees steps, and knows what errors call them."""

    def naming(self) -> Naming:
        """From 0, and the numbers of the steps after it, to the names of this step and those."""
        ...

    def begin(self, batch: Batch) -> None:
        """A step begins."""

    def end(self, outputs: Any) -> None:
        """It gave `outputs`."""

    def needs_parameters_after(self, steps: int) -> bool:
        """Whether Parameters are needed as the step leaves them that comes `steps` after this.

        Is asked once for each step, in order, before it runs.
        """
        ...

    @property
    def is_stopping(self) -> bool:
        """Whether no further step is wanted."""
        ...


def run_steps(
    network: Cell, batches: Iterator[Batch], watch: Watch, *, is_sunk: bool, check_nan: bool = False
) -> None:
    """Run a step for each batch.

    Parameters
    ----------
    network : Cell
        The step.
    batches : iterator of tuple
    watch : Watch
    is_sunk : bool
        Whether one call of a program runs many steps, where calling a Cell compiles it.
    check_nan : bool
        Whether a step that makes NaN or an infinity is an error; Cells must be compiled then.
    """
    steps = _Steps(network, watch, check_nan)
    if is_sunk and is_graph_mode():
        steps.sunk(batches)
    else:
        steps.one_by_one(batches)


def run_coarsely(
    network: Cell, batches: Iterator[Batch], size: int, watch: Watch, *, check_nan: bool = False
) -> None:
    """Run `size` steps that `watch` sees as one, with what the last gave."""
    watch.begin(())
    watch.needs_parameters_after(0)
    watch.end(_seen(run_calls(network, batches, size, check_nan, watch.naming())))


def run_calls(
    network: Cell, batches: Iterator[Batch], size: int, check_nan: bool = False,
    called: Naming = of_sink,
) -> Any:  # fmt: skip
    """What the last of the next `size` steps gives; a sink, where Cells are compiled."""
    following = islice(batches, size)
    if is_graph_mode():
        return compiled_of(network).sink(
            following, results="last", check_nan=check_nan, step_name=called
        )
    outputs = None
    for number, batch in enumerate(following):
        outputs = _step(network, batch, called(number))
    return outputs


def _step(network: Cell, batch: Batch, name: str) -> Any:
    """What a step gives. Ctrl-C waits for its end, so that an update is whole or none."""
    try:
        with Interrupts():
            return network(*batch)
    except Exception as error:
        annotate(error, f"it was {name}")
        raise


def _seen(outputs: Any) -> Any:
    """What is seen of a step: a plain tuple, or its only item, as a sink reports it."""
    if not isinstance(outputs, tuple):
        return outputs
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


class _Stretch:
    """Batches up to a step after which Parameters are needed, which is not the first.

    Attributes
    ----------
    ahead : deque of tuple
        Those that were given, whose steps nobody has seen yet, but for the first.
    """

    def __init__(self, first: Batch, batches: Iterator[Batch], watch: Watch) -> None:
        self.first = first
        self.ahead: deque[Batch] = deque()
        self._batches = batches
        self._watch = watch

    def __iter__(self) -> Iterator[Batch]:
        yield self.first
        for batch in self._batches:
            self.ahead.append(batch)
            is_last = self._watch.needs_parameters_after(len(self.ahead)) or is_expected()
            yield batch
            if is_last:
                return


class _Steps:
    """Runs steps, whose `watch` sees each."""

    def __init__(self, network: Cell, watch: Watch, check_nan: bool) -> None:
        self.network, self.watch = network, watch
        self.check_nan = check_nan

    def one_by_one(self, batches: Iterator[Batch]) -> None:
        for batch in batches:
            self.watch.begin(batch)
            self.watch.needs_parameters_after(0)
            self._alone(batch)
            if self.watch.is_stopping:
                return

    def sunk(self, batches: Iterator[Batch]) -> None:
        for first in batches:
            self.watch.begin(first)
            is_last = self.watch.needs_parameters_after(0) or is_expected()
            if is_last:  # a sink of one step is dearer than a call
                self._alone(first)
            else:
                self._sink(_Stretch(first, batches, self.watch))
            if self.watch.is_stopping:
                return

    def _alone(self, batch: Batch) -> None:
        """A step that has begun."""
        called = self.watch.naming()
        if self.check_nan:
            outputs = run_calls(self.network, iter([batch]), 1, True, called)
        else:
            outputs = _step(self.network, batch, called(0))
        self.watch.end(_seen(outputs))

    def _sink(self, stretch: _Stretch) -> None:
        """The steps of `stretch`, the first of which has begun."""
        stop, watch = threading.Event(), self.watch

        def on_step(number: int, *results: Any) -> None:
            if number:
                watch.begin(stretch.ahead.popleft())
            watch.end(_seen(results))
            if watch.is_stopping:
                stop.set()

        try:
            compiled_of(self.network).sink(
                stretch, on_step=on_step, stop=stop, results="none", check_nan=self.check_nan,
                step_name=watch.naming(),
            )  # fmt: skip
        except S2sadError as error:
            if error.code == "E0707":
                annotate(error, "no step runs ahead of a callback with needs_parameters = True")
            raise
