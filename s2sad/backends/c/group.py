"""What are the loops of a group of operations, and what in them is read and written where?

`Space` says how each value runs along the dimensions. Dimensions that always run together become
one loop; those that are reduced are the inner ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from s2sad.ir.graph import Operation, Value
from s2sad.ir.primitive import Form, Primitive
from s2sad.passes.facts import splat
from s2sad.passes.space import REDUCTIONS, Map, Space, strides_of
from s2sad.prims.shape import iota

#: Accumulators side by side, along columns.
LANES = 128
#: Element operations worth a thread of their own.
GRAIN = 32768
#: Families of which computing an element costs as much as eight cheap operations.
EXPENSIVE = frozenset(("exponential", "trigonometric", "special"))


@dataclass
class Loop:
    """A loop: dimensions of the space that run together as one."""

    size: int
    is_reduced: bool
    of: tuple[int, ...]
    name: str = ""


class Access:
    """Where an array is read or written: an offset, and what each dimension adds to it."""

    def __init__(self, value: Value, map_: Map) -> None:
        self.by_dim = strides_of(value, map_)
        self.base, stride = 0, 1
        for n, axis in zip(reversed(value.shape), reversed(map_), strict=True):
            self.base += stride * axis.start
            stride *= n  # type: ignore[operator]


class Group:
    """A group of operations, and the loops that compute it.

    Parameters
    ----------
    operations : sequence of Operation
        In program order; constants among them or not.
    outputs : sequence of Value
        What is written to memory, in the order of the kernel's results.
    scalars : mapping
        Expressions of elementwise operations.
    space : Space, optional
    split : int, optional
        A dimension at which a new loop begins.
    """

    def __init__(
        self, operations: Sequence[Operation], outputs: Sequence[Value],
        scalars: Mapping[Primitive, Any], space: Space | None = None, split: int | None = None,
    ) -> None:  # fmt: skip
        self.split = split
        self.operations = [op for op in operations if op.prim.form is not Form.CONST]
        self.outputs = list(outputs)
        self.scalars = scalars
        self.space = space or Space.of(self.operations, self.outputs)
        self.computed = {op.result for op in self.operations}
        self.stages = self._stages()
        self.inputs: list[Value] = []
        self.accesses: dict[tuple[Value, Map], Access] = {}
        self._collect()
        self.loops = self._loops()

    # ---- what there is ---------------------------------------------------------------------

    def _stages(self) -> dict[Value, int]:
        """The stage in which each value is known first; a reduction's result in the one after."""
        stages: dict[Value, int] = {}
        for op in self.operations:
            before = max((stages.get(v, 0) for v in op.operands), default=0)
            stages[op.result] = before + (op.prim in REDUCTIONS)
        return stages

    def _collect(self) -> None:
        """Inputs, and every access to memory."""
        for op in self.operations:
            for index, operand in enumerate(op.operands):
                if operand in self.computed or splat(operand) is not None:
                    continue
                if operand not in self.inputs:
                    self.inputs.append(operand)
                self.access(operand, self.space.reads[op, index])
        for value in self.outputs:
            self.access(value, self.space.maps[value])

    def access(self, value: Value, map_: Map) -> Access:
        """Where `value` is read or written that lies at `map_`."""
        key = value, map_
        if key not in self.accesses:
            self.accesses[key] = Access(value, map_)
        return self.accesses[key]

    def _loops(self) -> list[Loop]:
        """The loops, outermost first: those over what stays, then those over what is reduced."""
        space = self.space
        counted = self._counted()
        order = [*space.outer, *sorted(space.reduced)]
        loops: list[Loop] = []
        for d in order:
            if space.sizes[d] == 1:
                continue
            last = loops[-1] if loops else None
            if last is not None and self._run_together(last, d, counted):
                loops[-1] = Loop(last.size * space.sizes[d], last.is_reduced, (*last.of, d))
            else:
                loops.append(Loop(space.sizes[d], d in space.reduced, (d,)))
        for number, loop in enumerate(loops):
            loop.name = f"i{number}"
        return loops

    def _counted(self) -> set[int]:
        """Dimensions whose index itself is a value."""
        found = set()
        for op in self.operations:
            if op.prim is iota:
                axis = self.space.maps[op.result][op.attrs["axis"]]
                if axis.dim is not None:
                    found.add(axis.dim)
        return found

    def _run_together(self, last: Loop, d: int, counted: set[int]) -> bool:
        before, size = last.of[-1], self.space.sizes[d]
        if last.is_reduced != (d in self.space.reduced) or {before, d} & counted:
            return False
        if self.split is not None and before < self.split <= d:
            return False
        return all(
            a.by_dim.get(before, 0) == a.by_dim.get(d, 0) * size for a in self.accesses.values()
        )

    def step(self, access: Access, loop: Loop) -> int:
        """What a pass of `loop` adds to an offset, in elements."""
        return access.by_dim.get(loop.of[-1], 0)

    def is_full(self, value: Value) -> bool:
        """Whether `value`, which the group computes, differs along what is reduced."""
        map_ = self.space.maps.get(value)
        return map_ is not None and self.space.is_full(map_)

    def pairs(self) -> set[tuple[int, int]]:
        """Inputs and outputs that may share memory: each element is read before it is written."""
        maps: dict[Value, list[Map]] = {}
        for value, map_ in self.accesses:
            maps.setdefault(value, []).append(map_)
        read, known = self._read_last(), self._known_first()
        pairs = set()
        for i, value in enumerate(self.inputs):
            for o, output in enumerate(self.outputs):
                same = maps[value] == [self.space.maps[output]] and value.shape == output.shape
                if same and value.dtype.itemsize == output.dtype.itemsize:
                    # A row goes over memory stage by stage; what is computed at one time is read
                    # before that.
                    if not self.space.reduced or read[value] <= known[output]:
                        pairs.add((i, o))
        return pairs

    def _read_last(self) -> dict[Value, int]:
        """When each value is read the last time."""
        found: dict[Value, int] = {}
        for op in self.operations:
            time = self._time(op)
            for value in op.operands:
                found[value] = max(found.get(value, time), time)
        return found

    def _known_first(self) -> dict[Value, int]:
        """When each value is computed."""
        return {op.result: self._time(op) for op in self.operations}

    def _time(self, op: Operation) -> int:
        """When a row has `op` computed, and stored where it is an output.

        What stands still is computed between one time over the row and the next; a reduction is
        known, and stored, at the end of the time before that.
        """
        stage = self.stages[op.result]
        if op.prim in REDUCTIONS:
            return 2 * stage - 1
        return 2 * stage + self.is_full(op.result)

    @property
    def is_column(self) -> bool:
        """Whether what stays is the last dimension, and something is reduced before it."""
        if not any(loop.is_reduced for loop in self.loops):
            return False
        last = len(self.space.sizes) - 1
        while last >= 0 and self.space.sizes[last] == 1:
            last -= 1
        return last not in self.space.reduced

    @property
    def outer(self) -> list[Loop]:
        """Loops over what stays, outermost first."""
        return [loop for loop in self.loops if not loop.is_reduced]

    @property
    def inner(self) -> list[Loop]:
        """Loops over what is reduced."""
        return [loop for loop in self.loops if loop.is_reduced]

    @property
    def is_gone_over_once(self) -> bool:
        """Whether nothing is computed for each element after what is reduced is known."""
        return not any(
            self.stages[op.result] > (op.prim in REDUCTIONS)
            for op in self.operations
            if op.prim in REDUCTIONS or self.is_full(op.result)
        )

    @property
    def work(self) -> int:
        """What computing an element costs, in cheap operations."""
        return max(1, sum(self._cost(op) for op in self.operations))

    def extent(self) -> tuple[int, int]:
        """What a part of the kernel is a part of, and the smallest part worth a thread."""
        outer = self.outer
        if not outer:
            return 1, 1
        whole = prod(loop.size for loop in self.loops) * self.work
        extent = outer[0].size
        if self.is_column and len(outer) == 1:
            extent = -(-outer[0].size // LANES)
        each = max(1, whole // max(1, extent))
        return extent, max(1, -(-GRAIN // each))

    @staticmethod
    def _cost(op: Operation) -> int:
        return 8 if op.prim.family in EXPENSIVE else 1
