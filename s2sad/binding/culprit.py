"""Which line of a program made the first number that is not finite, in which step of a sink?

The program stops before such a step is kept. So Parameters are those that the step began with, and
it can run once more, operation by operation, with somebody who looks at each number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad.binding.sink import Batch, Naming, Tally, left
from s2sad.binding.stages import Stages
from s2sad.binding.variant import Variant
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.location import at
from s2sad.ir.clone import clone
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function, Operation
from s2sad.ir.primitive import Form
from s2sad.ir.printer import print_text

#: Runs a sink over batches, and calls a function for each step.
RunSink = Callable[[Iterable[Any], Callable[..., None]], Any]


class Remembered:
    """Batches, of which those are kept whose steps nobody has seen yet.

    Examples
    --------
    >>> batches = Remembered(["a", "b", "c"])
    >>> _ = list(batches)
    >>> batches.forget(0)
    >>> batches.kept
    {1: 'b', 2: 'c'}
    """

    def __init__(self, batches: Iterable[Any]) -> None:
        self.batches = batches
        self.kept: dict[int, Any] = {}

    def __iter__(self) -> Iterator[Any]:
        for number, batch in enumerate(self.batches):
            self.kept[number] = batch
            yield batch

    def __len__(self) -> int:
        return len(self.batches)  # type: ignore[arg-type]

    def forget(self, number: int) -> None:
        """The step of this number has ended well."""
        self.kept.pop(number, None)


def checked_sink(
    run: RunSink, find: Callable[[tuple[Any, ...]], Variant], tally: Callable[[], Tally],
    batches: Iterable[Any], on_step: Callable[..., Any] | None, called: Naming,
) -> Any:  # fmt: skip
    """What `run` gives, which checks each step.

    Raises
    ------
    S2sadError
        E0702 at the line that made the first number that is not finite; and what `run` raises.
    """
    remembered = Remembered(batches)

    def seen(number: int, *results: Any) -> None:
        remembered.forget(number)
        if on_step is not None:
            on_step(number, *results)

    try:
        return run(remembered, seen)
    except S2sadError as error:
        number = tally().steps
        if error.code != "E0702" or number not in remembered.kept:
            raise
        batch = Batch.of(remembered.kept[number])
        variant = find(batch.args)
        inputs = variant.inputs(batch.tensors)
        raise culprit(variant.stages, inputs, number, called, error) from None


@dataclass
class Firsts:
    """The operations that made the first infinity, and the first NaN, out of finite numbers."""

    infinite: Operation | None = field(default=None)
    nan: Operation | None = field(default=None)

    def see(self, operation: Operation, operands: Sequence[Any], results: Sequence[Any]) -> None:
        """Look at what an operation has made of what."""
        if operation.prim.form is Form.CONST or operation.regions:
            return
        if self.nan is None and _has(np.isnan, results) and not _has(np.isnan, operands):
            self.nan = operation
        if self.infinite is None and _has(np.isinf, results) and not _has(np.isinf, operands):
            self.infinite = operation


def _has(kind: Callable[[Any], Any], arrays: Sequence[Any]) -> bool:
    """Whether any of the floats among `arrays` is of this kind."""
    wide = [dtypes.widen(x) for x in arrays if isinstance(x, np.ndarray)]
    return any(bool(kind(x).any()) for x in wide if x.dtype.kind == "f")


def culprit(
    stages: Stages, inputs: Sequence[Any], number: int, called: Naming, error: S2sadError
) -> S2sadError:
    """`error`, of the step `number`, at the line that made the first number that is not finite."""
    function, firsts = clone(stages.readable), Firsts()  # names are given in it
    with np.errstate(all="ignore"):
        evaluate(function, inputs, firsts.see)
    operation = firsts.nan or firsts.infinite
    if operation is None:  # its inputs are not finite, or only another order of sums overflows
        return error
    what = "NaN" if operation is firsts.nan else "an infinity"
    notes = [f"made by {_side(operation, stages)}: {_line(function, operation)}"]
    if firsts.infinite is not None and firsts.infinite is not operation:
        notes.append(f"an infinity was there: {_line(function, firsts.infinite)}")
    notes.append(f"Parameters are {left(number, number, called)}")
    with at(operation.loc):
        return fail(
            "E0702", f"{what} in {called(number)}", location=operation.loc,
            notes=tuple(notes), help="print(step.source) shows the whole program",
        )  # fmt: skip


def _side(operation: Operation, stages: Stages) -> str:
    """Whether the user's own program has the operation, or its gradient."""
    own = {(each.prim, value.name) for each in stages["primal"].walk() for value in each.results}
    is_own = any((operation.prim, value.name) in own for value in operation.results)
    return "the program" if is_own else "its gradient"


def _line(function: Function, operation: Operation) -> str:
    """How `operation` reads in the text of `function`."""
    value = operation.results[0]
    value.name = value.name or "value"
    start = f"{value.name}: {value.type} = "
    lines = (line.strip() for line in print_text(function).splitlines())
    found = next((line for line in lines if line.startswith(start)), repr(operation))
    return found.partition("  #@")[0].rstrip()
