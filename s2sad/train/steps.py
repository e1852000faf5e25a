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

from s2sad.compiled import compiled_of
from s2sad.core.cell import Cell
from s2sad.core.context import is_graph_mode
from s2sad.core.diagnostics import S2sadError, annotate
from s2sad.core.interrupts import Interrupts
from s2sad.core.recording import is_expected
from s2sad.train.data import Batch


class Watch(Protocol):
    """Who sees steps."""

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


def run_steps(network: Cell, batches: Iterator[Batch], watch: Watch, *, is_sunk: bool) -> None:
    """Run a step for each batch.

    Parameters
    ----------
    network : Cell
        The step.
    batches : iterator of tuple
    watch : Watch
    is_sunk : bool
        Whether one call of a program runs many steps, where calling a Cell compiles it.
    """
    if is_sunk and is_graph_mode():
        _sunk(network, batches, watch)
    else:
        _one_by_one(network, batches, watch)


def run_coarsely(network: Cell, batches: Iterator[Batch], size: int, watch: Watch) -> None:
    """Run `size` steps that `watch` sees as one, with what the last gave."""
    watch.begin(())
    watch.needs_parameters_after(0)
    watch.end(_seen(run_calls(network, batches, size)))


def run_calls(network: Cell, batches: Iterator[Batch], size: int) -> Any:
    """What the last of the next `size` steps gives; a sink, where Cells are compiled."""
    following = islice(batches, size)
    if is_graph_mode():
        return compiled_of(network).sink(following, results="last")
    outputs = None
    for batch in following:
        outputs = _step(network, batch)
    return outputs


def _one_by_one(network: Cell, batches: Iterator[Batch], watch: Watch) -> None:
    for batch in batches:
        watch.begin(batch)
        watch.needs_parameters_after(0)
        watch.end(_seen(_step(network, batch)))
        if watch.is_stopping:
            return


def _step(network: Cell, batch: Batch) -> Any:
    """What a step gives. Ctrl-C waits for its end, so that an update is whole or none."""
    with Interrupts():
        return network(*batch)


def _seen(outputs: Any) -> Any:
    """What is seen of a step: a plain tuple, or its only item, as a sink reports it."""
    if not isinstance(outputs, tuple):
        return outputs
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _sunk(network: Cell, batches: Iterator[Batch], watch: Watch) -> None:
    for first in batches:
        watch.begin(first)
        is_last = watch.needs_parameters_after(0) or is_expected()
        if is_last:  # a sink of one step is dearer than a call
            watch.end(_seen(_step(network, first)))
        else:
            _sink(network, _Stretch(first, batches, watch), watch)
        if watch.is_stopping:
            return


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


def _sink(network: Cell, stretch: _Stretch, watch: Watch) -> None:
    stop = threading.Event()

    def on_step(number: int, *results: Any) -> None:
        if number:
            watch.begin(stretch.ahead.popleft())
        watch.end(_seen(results))
        if watch.is_stopping:
            stop.set()

    try:
        compiled_of(network).sink(stretch, on_step=on_step, stop=stop, results="none")
    except S2sadError as error:
        if error.code == "E0707":
            annotate(error, "no step runs ahead of a callback with needs_parameters = True")
        raise
