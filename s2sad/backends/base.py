"""What does every backend give back for a function of the IR, and what does a run of it need?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import LOOPS
from s2sad.ir.primitive import Form
from s2sad.ir.types import TensorType
from s2sad.prims.channel import Channel


@dataclass(frozen=True)
class MemoryReport:
    """Bytes that a run needs, counted from the program's types.

    Attributes
    ----------
    inputs, constants, results : int
        Bytes of what comes in, what the program holds, what goes out.
    peak : int
        Largest sum of bytes of values alive at one time, inputs and constants included. A value
        is alive from the operation that makes it to the last one that reads it, nested ones
        included; what a loop carries from its beginning on. Views count like copies, stacks and
        sizes that are symbolic not at all.

    Examples
    --------
    >>> print(MemoryReport(8000, 0, 8000, 16000))
    inputs             8,000 bytes
    constants              0 bytes
    results            8,000 bytes
    peak              16,000 bytes
    """

    inputs: int
    constants: int
    results: int
    peak: int

    def __str__(self) -> str:
        rows = (("inputs", self.inputs), ("constants", self.constants),
                ("results", self.results), ("peak", self.peak))  # fmt: skip
        return "\n".join(f"{name:<10}{size:>14,} bytes" for name, size in rows)


@dataclass(frozen=True)
class MemoryPlan:
    """What a run needs beside what it is given, by its program.

    Attributes
    ----------
    nbytes : int
        Of values on the way and of results at one time, and of tapes.
    tapes : int or float
        Of tapes; without end where nobody knows how long they get.
    held : tuple of (Value or None, int)
        What is there where most is, without tapes: the largest first. None has no name.
    """

    nbytes: int | float
    tapes: int | float
    held: tuple[tuple[Value | None, int], ...]


class Executable(ABC):
    """A compiled function of one target.

    Attributes
    ----------
    function : Function
        What was compiled.
    """

    function: Function

    @abstractmethod
    def run(self, inputs: Sequence[Any], *, given: Collection[int] = ()) -> tuple[Any, ...]:
        """Results for inputs of the declared types.

        They may share memory with the inputs, with one another and with the program's constants;
        those of constants, and of donated inputs that were not given, are read-only. No other
        input than a given one changes, but stacks are used up.

        Parameters
        ----------
        inputs : sequence of arrays, stacks and tokens
        given : collection of int
            Donated inputs whose memory may be overwritten, for nobody but the caller holds it.
        """

    @property
    def overwrites(self) -> frozenset[int]:
        """Donated inputs whose memory a run would overwrite: to give others is of no use."""
        return frozenset(self.function.donates)

    @property
    @abstractmethod
    def source(self) -> str:
        """The target's program as text."""

    @property
    @abstractmethod
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels that the program calls, in program order."""

    def channel(self) -> Channel:
        """What a program that takes its batches from a queue, and its host, share during a run."""
        return Channel()

    def interactions(self) -> int:
        """Times that a run hands over between the host and the device."""
        return 1

    def settled(self, given: Sequence[Any], written: Sequence[Any]) -> None:  # noqa: B027
        """Told after a run which arrays hold results from now on, and what was written."""

    def memory_report(self) -> MemoryReport:
        """Bytes that a run needs."""
        function = self.function
        constants = sum(_made(op) for op in function.walk() if op.prim.form is Form.CONST)
        inputs = sum(map(nbytes, function.args))
        return MemoryReport(
            inputs, constants, sum(map(nbytes, function.results)),
            inputs + constants + _peak(function.body),
        )  # fmt: skip


def nbytes(value: Value) -> int:
    """Bytes of a tensor of static shape; 0 for others, stacks and tokens."""
    size = value.type.nbytes if isinstance(value.type, TensorType) else 0
    return size if isinstance(size, int) else 0


def last_reads(region: Region) -> dict[Value, int]:
    """Place of the operation of `region` that reads each value last, reads in its regions included.

    What the region yields is read last of all, behind the last operation.
    """
    last: dict[Value, int] = {}
    for place, operation in enumerate(region.operations):
        for inner in operation.walk():
            last.update(dict.fromkeys(inner.operands, place))
            for nested in inner.regions.values():
                last.update(dict.fromkeys(nested.yields, place))
    last.update(dict.fromkeys(region.yields, len(region.operations)))
    return last


def _made(operation: Operation) -> int:
    return sum(map(nbytes, operation.results))


def _peak(region: Region) -> int:
    """Most bytes at one time of values that the operations of `region` make, constants left out."""
    last = last_reads(region)
    ending: dict[int, int] = {}
    alive = peak = 0
    for place, operation in enumerate(region.operations):
        if operation.prim.form is not Form.CONST:
            made = _made(operation)
            carried = made if operation.prim.form in LOOPS else 0
            inner = max((_peak(r) for r in operation.regions.values()), default=0)
            peak = max(peak, alive + max(made, carried + inner))
            alive += made
            for value in operation.results:
                end = last.get(value, place)
                ending[end] = ending.get(end, 0) + nbytes(value)
        alive -= ending.pop(place, 0)
    return peak
