"""What does every backend give back for a function of the IR?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from s2sad.ir.graph import Function, Region, Value
from s2sad.ir.types import TensorType


@dataclass(frozen=True)
class MemoryReport:
    """Bytes that a run needs, counted from the program's types.

    Attributes
    ----------
    inputs, constants, results : int
        Bytes of what comes in, what the program holds, what goes out.
    peak : int
        Largest sum of bytes of values alive at one time, inputs and constants included;
        loops count once, stacks not at all.
    """

    inputs: int
    constants: int
    results: int
    peak: int

    def __str__(self) -> str:
        rows = (("inputs", self.inputs), ("constants", self.constants),
                ("results", self.results), ("peak", self.peak))  # fmt: skip
        return "\n".join(f"{name:<10}{size:>14,} bytes" for name, size in rows)


class Executable(ABC):
    """A compiled function of one target.

    Attributes
    ----------
    function : Function
        What was compiled.
    """

    function: Function

    @abstractmethod
    def run(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """Results for inputs of the declared types; donated inputs may be overwritten."""

    @property
    @abstractmethod
    def source(self) -> str:
        """The target's program as text."""

    @property
    @abstractmethod
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels that a run calls, in program order."""

    def interactions(self) -> int:
        """Times that a run hands over between the host and the device."""
        return 1

    def memory_report(self) -> MemoryReport:
        """Bytes that a run needs."""
        function = self.function
        constants = sum(
            nbytes(op.results[0]) for op in function.walk() if op.prim.attributes.keys() == {"value", "type"}
        )
        inputs = sum(map(nbytes, function.args))
        return MemoryReport(
            inputs, constants, sum(map(nbytes, function.results)),
            inputs + constants + _peak(function.body),
        )  # fmt: skip


def nbytes(value: Value) -> int:
    """Bytes of a tensor of static shape; 0 for stacks and tokens."""
    size = value.type.nbytes if isinstance(value.type, TensorType) else 0
    return size if isinstance(size, int) else 0


def _peak(region: Region) -> int:
    """Most bytes of values that the operations of `region` have made and that are still read."""
    last: dict[Value, int] = {}
    for place, operation in enumerate(region.operations):
        for inner in operation.walk():
            last.update(dict.fromkeys(inner.operands, place))
            for nested in inner.regions.values():
                last.update(dict.fromkeys(nested.yields, place))
    last.update(dict.fromkeys(region.yields, len(region.operations)))
    dying: dict[int, list[Value]] = {}
    alive = peak = 0
    for place, operation in enumerate(region.operations):
        alive += sum(map(nbytes, operation.results))
        inner_peak = max((_peak(r) for r in operation.regions.values()), default=0)
        peak = max(peak, alive + inner_peak)
        for value in operation.results:
            dying.setdefault(last.get(value, place), []).append(value)
        alive -= sum(map(nbytes, dying.pop(place, [])))
    return peak
