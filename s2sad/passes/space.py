"""Over which dimensions does a group of operations run, and where in them lies each value?

A group that one kernel computes has an *iteration space*: dimensions with sizes, of which some are
summed over, or reduced otherwise. Each axis of each value runs along one of them, forwards or
backwards, from some place on and in steps, or stands still where its size is 1. So a transpose, a
slice or a broadcast costs nothing: it says how an axis runs. `Space.of` finds that from the results
back to what is read; where two readers of a value want it differently, no single loop computes
both, and the group is `Unfit`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from s2sad.ir.graph import Operation, Value
from s2sad.ir.primitive import Form, Primitive, Trait
from s2sad.prims import reduce, shape
from s2sad.prims.conv import conv, conv_filter_grad, conv_input_grad
from s2sad.prims.linalg import matmul

#: What units compute block by block: other operations of a group take over each finished block.
CORES: frozenset[Primitive] = frozenset((matmul, conv, conv_input_grad, conv_filter_grad))
#: Reductions that a loop computes.
REDUCTIONS: frozenset[Primitive] = frozenset(
    (reduce.reduce_sum, reduce.reduce_prod, reduce.reduce_max, reduce.reduce_min,
     reduce.reduce_all, reduce.reduce_any)
)  # fmt: skip


class Unfit(Exception):  # noqa: N818 - not a failure: what it says is why two things stay apart
    """Why no single loop computes a group."""


class Axis(NamedTuple):
    """How an axis of a value runs: its index is ``start + step * i`` of dimension `dim`."""

    dim: int | None
    start: int = 0
    step: int = 1


Map = tuple[Axis, ...]
STILL = Axis(None)


@dataclass
class Space:
    """The iteration space of a group.

    Attributes
    ----------
    sizes : tuple of int
        Of the dimensions.
    reduced : frozenset of int
        Those that reductions take away.
    maps : dict of Value to Map
        Of each value that the group computes, and of each that it reads in one way only.
    reads : dict of (Operation, int) to Map
        Of each operand.
    """

    sizes: tuple[int, ...]
    reduced: frozenset[int]
    maps: dict[Value, Map] = field(default_factory=dict)
    reads: dict[tuple[Operation, int], Map] = field(default_factory=dict)

    @classmethod
    def of(cls, operations: Sequence[Operation], outputs: Sequence[Value]) -> Space:
        """The space of `operations`, in program order, of which `outputs` are read elsewhere.

        Raises
        ------
        Unfit
            When they do not run along one space.
        """
        if not outputs:
            raise Unfit("nobody reads what is computed")
        reductions = [op for op in operations if op.prim in REDUCTIONS]
        if reductions:
            shape_, axes = _static(reductions[0].operands[0]), reductions[0].attrs["axis"]
        else:
            shape_, axes = max((_static(v) for v in outputs), key=lambda s: (_count(s), len(s))), ()
        space = cls(shape_, frozenset(axes))
        computed = {result for op in operations for result in op.results}
        for value in outputs:
            space._meet(value, space._by_shape(value))
        for operation in reversed(operations):
            space._go_back(operation, computed)
        return space

    @classmethod
    def behind(
        cls, core: Operation, operations: Sequence[Operation], outputs: Sequence[Value]
    ) -> Space:
        """The space of `operations` that read the product of `core`, element by element.

        Raises
        ------
        Unfit
            When they need more of it than the element that they are at.
        """
        if any(v.owner in operations for v in core.operands):
            raise Unfit("what a unit reads is not there block by block")
        if any(op.prim in REDUCTIONS for op in operations):
            raise Unfit("a reduction needs more than a block")
        space = cls.of(operations, [v for v in outputs if v is not core.result])
        if space.sizes != _static(core.result):
            raise Unfit("results of another shape than the product")
        space._require_columns(first_column(core), operations)
        here = tuple(Axis(d) if n != 1 else STILL for d, n in enumerate(space.sizes))
        for (op, index), map_ in space.reads.items():
            if op.operands[index] is core.result and map_ != here:
                raise Unfit("an element that reads another one of the product")
        return space

    def _require_columns(self, first: int, operations: Sequence[Operation]) -> None:
        """Unfit unless the dimensions from `first` on run together in all that is read."""
        columns = [d for d in range(first, len(self.sizes)) if self.sizes[d] != 1]
        if len(columns) > 1 and any(op.prim is shape.iota for op in operations):
            raise Unfit("an index along one of several columns")
        strides = [
            strides_of(op.operands[index], map_) for (op, index), map_ in self.reads.items()
        ]  # fmt: skip
        for before, d in pairwise(columns):
            if any(s.get(before, 0) != s.get(d, 0) * self.sizes[d] for s in strides):
                raise Unfit("the columns of a block do not run together")

    @property
    def outer(self) -> tuple[int, ...]:
        """The dimensions that are not reduced."""
        return tuple(d for d in range(len(self.sizes)) if d not in self.reduced)

    def is_full(self, map_: Map) -> bool:
        """Whether a value that lies so differs along a reduced dimension."""
        return any(axis.dim in self.reduced for axis in map_)

    def _by_shape(self, value: Value) -> Map:
        """Where a result lies: it has the shape of the space, or of what reductions leave."""
        shape_ = _static(value)
        if shape_ == self.sizes:
            return tuple(Axis(d) if n != 1 else STILL for d, n in enumerate(shape_))
        kept = tuple(1 if d in self.reduced else n for d, n in enumerate(self.sizes))
        if self.reduced and shape_ == kept:
            return tuple(Axis(d) if n != 1 else STILL for d, n in enumerate(shape_))
        if self.reduced and shape_ == tuple(self.sizes[d] for d in self.outer):
            return tuple(
                Axis(d) if n != 1 else STILL for d, n in zip(self.outer, shape_, strict=True)
            )
        raise Unfit(f"a result of shape {shape_} in a space of {self.sizes}")

    def _meet(self, value: Value, map_: Map) -> None:
        known = self.maps.setdefault(value, map_)
        if known != map_:
            raise Unfit("a value is read in two ways")

    def _go_back(self, operation: Operation, computed: set[Value]) -> None:
        """From where the results of `operation` lie to where its operands do."""
        results = [v for v in operation.results if v in self.maps]
        if not results:
            raise Unfit(f"nobody reads the result of {operation.prim.name}")
        for index, operand in enumerate(operation.operands):
            map_ = self._operand_map(operation, index, self.maps[results[0]])
            self.reads[operation, index] = map_
            if operand in computed:
                self._meet(operand, map_)

    def _operand_map(self, operation: Operation, index: int, map_: Map) -> Map:
        operand = operation.operands[index]
        if operation.prim.has(Trait.ELEMENTWISE):
            return aligned(map_, _static(operand))
        if operation.prim in REDUCTIONS:
            return self._before_reduction(operation, map_)
        rule = MOVES.get(operation.prim)
        if rule is None:
            raise Unfit(f"{operation.prim.name} is no part of a loop")
        return rule(operation, map_)

    def _before_reduction(self, operation: Operation, map_: Map) -> Map:
        shape_, axes = _static(operation.operands[0]), operation.attrs["axis"]
        if shape_ != self.sizes or frozenset(axes) != self.reduced:
            raise Unfit("reductions of different spaces")
        kept = [d for d in range(len(shape_)) if operation.attrs["keepdims"] or d not in axes]
        found = dict(zip(kept, map_, strict=True))
        full = tuple(
            (Axis(d) if shape_[d] != 1 else STILL) if d in axes else found[d]
            for d in range(len(shape_))
        )
        if any(axis not in (STILL, Axis(d)) for d, axis in enumerate(full)):
            raise Unfit("a reduction whose axes run otherwise")
        return full


def first_column(core: Operation) -> int:
    """The axis of a product at which the columns of its blocks begin: rows are before it."""
    if core.prim is matmul:
        return core.result.ndim - 1
    return 1 if core.prim is conv_filter_grad else 2


def strides_of(value: Value, map_: Map) -> dict[int, int]:
    """What a step along each dimension adds to the offset at which `value` is read."""
    found: dict[int, int] = {}
    stride = 1
    for n, axis in zip(reversed(_static(value)), reversed(map_), strict=True):
        if axis.dim is not None:
            found[axis.dim] = found.get(axis.dim, 0) + stride * axis.step
        stride *= n
    return found


def aligned(map_: Map, shape_: Sequence[int]) -> Map:
    """Where an operand of `shape_` lies that is broadcast to a value that lies at `map_`."""
    behind = map_[len(map_) - len(shape_) :]
    return tuple(axis if n != 1 else STILL for axis, n in zip(behind, shape_, strict=True))


def _static(value: Value) -> tuple[int, ...]:
    if not all(isinstance(n, int) for n in value.shape):
        raise Unfit("a size that is not known")
    return tuple(value.shape)  # type: ignore[arg-type]


def _count(shape_: Sequence[int]) -> int:
    count = 1
    for n in shape_:
        count *= n
    return count


# Where the operand of an operation that moves elements lies, when its result lies at `map_`


def _transpose(operation: Operation, map_: Map) -> Map:
    places: dict[int, Axis] = dict(zip(operation.attrs["perm"], map_, strict=True))
    return tuple(places[axis] for axis in range(len(map_)))


def _reshape(operation: Operation, map_: Map) -> Map:
    before, after = _static(operation.operands[0]), _static(operation.result)
    if [n for n in before if n != 1] != [n for n in after if n != 1]:
        raise Unfit("a reshape that splits or joins axes")
    running = iter([axis for axis, n in zip(map_, after, strict=True) if n != 1])
    return tuple(next(running) if n != 1 else STILL for n in before)


def _broadcast_to(operation: Operation, map_: Map) -> Map:
    return aligned(map_, _static(operation.operands[0]))


def _slice(operation: Operation, map_: Map) -> Map:
    before, attrs = _static(operation.operands[0]), operation.attrs
    rows = zip(map_, before, attrs["start"], attrs["step"], strict=True)
    return tuple(_within(axis, n, start, step) for axis, n, start, step in rows)


def _within(axis: Axis, size: int, start: int, step: int) -> Axis:
    """Where an axis of `size` is read whose index is ``start + step`` times that of `axis`."""
    if size == 1:
        return STILL
    if axis.dim is None:
        return Axis(None, start + step * axis.start)
    return Axis(axis.dim, start + step * axis.start, step * axis.step)


def _flip(operation: Operation, map_: Map) -> Map:
    before, axes = _static(operation.operands[0]), operation.attrs["axis"]
    return tuple(
        _within(axis, n, n - 1, -1) if d in axes else axis
        for d, (axis, n) in enumerate(zip(map_, before, strict=True))
    )


#: How operations that move elements map an index of their result to one of their operand.
MOVES: Mapping[Primitive, Callable[[Operation, Map], Map]] = {
    shape.transpose: _transpose,
    shape.reshape: _reshape,
    shape.broadcast_to: _broadcast_to,
    shape.slice: _slice,
    shape.flip: _flip,
}


def is_part(operation: Operation) -> bool:
    """Whether `operation` may be a part of a loop that computes others as well."""
    prim = operation.prim
    if len(operation.results) != 1 or operation.regions or prim.has(Trait.FALLIBLE):
        return False
    is_source = prim.form is Form.CONST or prim is shape.iota
    is_element = prim.has(Trait.ELEMENTWISE) and not prim.is_composite
    return is_element or is_source or prim in REDUCTIONS or prim in MOVES
