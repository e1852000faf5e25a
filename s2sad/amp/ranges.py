"""Which numbers of a network would overflow or vanish in 16 bits, at which level, on which line?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad import nn
from s2sad.amp.levels import require_narrow, require_network
from s2sad.binding.sink import Batch
from s2sad.compiled import Compiled, compile
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.excerpt import users
from s2sad.core.location import Location
from s2sad.core.transform import value_and_grad
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function, Operation
from s2sad.ir.types import TensorType
from s2sad.passes.mixed_precision import MixedPrecision
from s2sad.prims.precision import LEVELS

#: Levels that narrow anything.
NARROWING = LEVELS[1:]


@dataclass
class Range:
    """What an operation computed in float32, each time that it ran.

    Attributes
    ----------
    place : Location or None
        The user's line.
    operation : str
    levels : frozenset of str
        Those at which it computes in 16 bits.
    smallest, largest : float
        Absolute values, of those that are not 0; 0 where all are.
    count, overflow, vanish : int
        Elements, those that would be infinite in 16 bits, and those that would be 0.
    """

    place: Location | None
    operation: str
    levels: frozenset[str]
    smallest: float = 0.0
    largest: float = 0.0
    count: int = 0
    overflow: int = 0
    vanish: int = 0

    def add(self, values: np.ndarray, dtype: DType) -> None:
        """Take `values` in, which it computed as well."""
        sizes = np.abs(values[values != 0])
        sizes = sizes[~np.isnan(sizes)]
        self.count += values.size
        if not sizes.size:
            return
        with np.errstate(over="ignore", under="ignore"):
            narrow = dtypes.widen(dtypes.narrow(sizes, dtype))
        self.overflow += int(np.count_nonzero(np.isinf(narrow) & np.isfinite(sizes)))
        self.vanish += int(np.count_nonzero(narrow == 0))
        least = float(sizes.min())
        self.smallest = min(self.smallest, least) if self.largest else least
        self.largest = max(self.largest, float(sizes.max()))

    def verdict(self, level: str) -> str:
        """What becomes of it at `level`: ``32`` or ``16`` bits, ``overflow``, or ``vanish``."""
        if level not in self.levels:
            return "32"
        if self.overflow:
            return "overflow"
        return f"vanish {_share(self.vanish, self.count)}" if self.vanish else "16"

    @property
    def where(self) -> str:
        """File and line."""
        return "" if self.place is None else f"{self.place.file}:{self.place.line}"


def _share(part: int, whole: int) -> str:
    percent = 100 * part / whole
    return "<1%" if percent < 1 else f"{percent:.0f}%"


@dataclass
class Ranges:
    """What `explain` found; as text it is a table.

    Attributes
    ----------
    rows : list of Range
        In the order of the program, its gradient behind it.
    dtype : DType
        Of 16 bits.
    """

    dtype: DType
    rows: list[Range] = field(default_factory=list)

    def lost(self, level: str) -> list[Range]:
        """The rows of which something overflows or vanishes at `level` (E0404 for another)."""
        if level not in LEVELS:
            raise fail("E0404", f"level is one of {', '.join(LEVELS)}, got {level!r}")
        return [row for row in self.rows if row.verdict(level)[0] in "ov"]

    def __str__(self) -> str:
        head = ["line", "operation", "smallest", "largest", *NARROWING]
        lines = [head]
        for row in self.rows:
            sizes = [f"{size:.1e}" if size else "0" for size in (row.smallest, row.largest)]
            verdicts = [row.verdict(level) for level in NARROWING]
            lines.append([row.where, row.operation, *sizes, *verdicts])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = (map(str.ljust, line, widths) for line in lines)
        return "\n".join("  ".join(line).rstrip() for line in padded)


def explain(network: Cell, batch: Any, dtype: DType = dtypes.float16) -> Ranges:
    """The range of each operation of a network on a batch, and what levels would make of it.

    The network computes in float32, where its Cells have no mark, and nothing is written. Where it
    gives the loss, one number, or is a step of training, its gradient is looked at as well.

    Parameters
    ----------
    network : Cell
    batch : Tensor, array, or tuple of them
        The arguments of a call.
    dtype : {float16, bfloat16}

    Returns
    -------
    Ranges
        Its text is a table. At a level an operation is in ``32`` bits, or in ``16``; where that
        would make some of its elements infinite it says ``overflow``, and where it would make some
        0 that are not, ``vanish`` and how many. A scale of the loss moves what vanishes.

    Raises
    ------
    S2sadError
        E0304 for what is no Cell, E0404 for another `dtype`; and what compiling raises.

    Examples
    --------
    >>> import s2sad as ms
    >>> class Net(ms.nn.Cell):
    ...     def construct(self, x):
    ...         return ms.ops.exp(x) + 1e-9
    >>> found = explain(Net(), ms.Tensor([1.0, 12.0]))
    >>> [(row.operation, row.verdict("O3"), row.verdict("auto")) for row in found.rows]
    [('exp', 'overflow', '32'), ('add', 'overflow', '32')]
    """
    require_network(network)
    require_narrow(dtype)
    given = Batch.of(batch)
    compiled = _with_gradient(network, given)
    function = compiled.variant(*given.args).stages.readable
    rows: dict[Operation, Range] = {}

    def see(operation: Operation, operands: Sequence[Any], results: Sequence[Any]) -> None:  # noqa: ARG001
        if not _is_looked_at(operation):
            return
        if operation not in rows:
            rows[operation] = _row(operation)
        for value, array in zip(operation.results, results, strict=True):
            if _is_wide(value.type):
                rows[operation].add(np.asarray(array), dtype)

    with np.errstate(all="ignore"):
        evaluate(function, compiled.inputs(*given.args), see)
    return Ranges(dtype, [rows[op] for op in function.walk() if op in rows])


def _with_gradient(network: Cell, given: Batch) -> Compiled:
    """`network`, compiled; with its gradient where it gives a loss."""
    compiled = compile(network)
    if isinstance(network, nn.TrainOneStepCell):
        return compiled
    weights = network.trainable_params()
    if weights and _is_loss(compiled.variant(*given.args).stages.readable):
        return compile(value_and_grad(network, None, weights))
    return compiled


def _is_loss(function: Function) -> bool:
    types = [each for each in function.result_types if isinstance(each, TensorType)]
    return len(types) == 1 and not types[0].shape and types[0].dtype.is_float


def _is_wide(type: Any) -> bool:  # noqa: A002
    return isinstance(type, TensorType) and type.dtype is dtypes.float32


def _is_looked_at(operation: Operation) -> bool:
    """Whether it computes floats of 32 bits, and is not a mere constant, or a region's frame."""
    computes = bool(operation.operands) and not operation.regions
    return computes and any(_is_wide(value.type) for value in operation.results)


def _row(operation: Operation) -> Range:
    place = None if operation.loc is None else users(operation.loc)[1]
    levels = frozenset(x for x in NARROWING if MixedPrecision(x).narrows(operation))
    return Range(place, operation.prim.name, levels)
