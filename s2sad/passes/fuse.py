"""Which operations does a backend compute in one go?

Each operation that is a part of loops begins as a group of its own; a group joins that of what it
reads where one nest of loops computes both (`Space`), where no other operation would have to run
between them, and where that is worth it. Memory is then gone over once, not once an operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import ClassVar

from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import Form
from s2sad.ir.rewriter import Rewriter
from s2sad.ir.types import TensorType
from s2sad.passes.again import Recomputation
from s2sad.passes.base import Pass
from s2sad.passes.facts import splat
from s2sad.passes.grouping import Grouping
from s2sad.passes.space import CORES, MOVES, REDUCTIONS, Space, Unfit, is_part
from s2sad.prims import marker, shape

#: Elements of a row that is gone over several times: it stays in the nearest cache.
LONGEST_ROW = 4096
#: Bytes of an array above which it is not read in another order than it lies.
LARGE = 128 * 1024
#: Bytes of an array that several reductions read at one time rather than one after the other.
SHARED = 1024 * 1024
#: Families of which no element is computed twice to save a trip through memory.
EXPENSIVE = frozenset(("exponential", "trigonometric", "special"))
#: Numbers of a program above which loops read them: each would be a kernel of its own otherwise,
#: and a compiler of C takes many milliseconds for one.
MANY_NUMBERS = 64
#: Operations that a unit's product takes along: they are one body, and compilers of C take long for
#: a long one.
MOST_BEHIND = 64
#: What is made anew for each reader: it costs nothing inside of a loop.
SOURCES = frozenset((shape.broadcast_to, shape.iota))


@dataclass(frozen=True)
class Fuse(Pass):
    """Put operations that one nest of loops computes into the region of one operation.

    Before:  t0 = p.mul(x, y); t1 = p.tanh(t0)
    After:   t1 = p.fused(x, y, body=...)       # with the two in its region

    Attributes
    ----------
    max_ops : int
        Operations of a group, constants not counted.
    """

    max_ops: int = 256
    name: ClassVar[str] = "fuse"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        many = _has_many_numbers(function)
        for region in list(_regions(function.body)):
            _splits_as_slices(region, rewriter)
            _copy_sources(region, rewriter)
            again = Recomputation(region, self._groups, rewriter)
            again.run()
            groups = self._groups(region, again.copies)
            found = groups.found()
            if found:
                with rewriter.step("put groups together", found[0][0]):
                    rewriter.reorder(region, groups.in_one_piece())
            for group in reversed(found):  # so that those before stay where they are
                with rewriter.step(f"fuse {len(group)} operations", group[0]):
                    whole = _with_constants(group, rewriter, but_numbers=many)
                    rewriter.outline(whole, into=marker.fused)
        for operation in reversed([op for op in function.walk() if op.prim.form is Form.CONST]):
            if not operation.result.uses:
                rewriter.erase(operation)

    def _groups(self, region: Region, copies: Set[Operation]) -> _Groups:
        groups = _Groups(region, self.max_ops, copies)
        groups.join_all()
        return groups


def _regions(region: Region) -> Iterable[Region]:
    """`region` and those of control flow in it; what is fused already stays."""
    yield region
    for operation in region.operations:
        if operation.prim.form in (Form.IF, Form.WHILE, Form.FOR):
            for inner in operation.regions.values():
                yield from _regions(inner)


def _splits_as_slices(region: Region, rewriter: Rewriter) -> None:
    """Where loops may take over all parts of a split, slices, which they read as they lie."""
    for operation in [op for op in region.operations if op.prim is shape.split]:
        users = [use.user for result in operation.results for use in result.uses]
        if not all(_may_take(user, region) for user in users):
            continue
        (x,), axis = operation.operands, operation.attrs["axis"]
        ends = list(accumulate(operation.attrs["sizes"], initial=0))
        step = (1,) * x.ndim
        with rewriter.step("slice what is split", operation):
            place = rewriter.insert_before(operation)
            parts = []
            for first, last in pairwise(ends):
                start = tuple(first if d == axis else 0 for d in range(x.ndim))
                stop = tuple(last if d == axis else n for d, n in enumerate(x.shape))
                parts.append(
                    place.emit(shape.slice, [x], {"start": start, "stop": stop, "step": step})
                )
            rewriter.replace_operation(operation, parts)


def _copy_sources(region: Region, rewriter: Rewriter) -> None:
    """A broadcast or an iota of its own for each reader that may take it into its loops."""
    for operation in list(region.operations):
        if operation.prim not in SOURCES:
            continue
        readers = [use for use in operation.result.uses if _may_take(use.user, region)]
        for use in readers[1:] if len(readers) == len(operation.result.uses) else readers:
            with rewriter.step("copy a source", operation):
                place = rewriter.insert_before(operation)
                copy = place.emit(operation.prim, operation.operands, dict(operation.attrs))
                rewriter.set_operand(use.user, use.index, copy)


def _may_take(user: Operation | Region, region: Region) -> bool:
    return isinstance(user, Operation) and user.parent is region and is_part(user)


def _has_many_numbers(function: Function) -> bool:
    """Whether a kernel for each number of `function` would be too many."""
    numbers = set()
    for op in function.walk():
        if op.prim.form is Form.CONST and _is_number(op.result):
            numbers.add((op.result.dtype, op.attrs["value"].tobytes()))
    return len(numbers) > MANY_NUMBERS


def _is_number(value: Value) -> bool:
    return value.ndim == 0 and value.dtype.is_float


def _with_constants(
    group: Sequence[Operation], rewriter: Rewriter, *, but_numbers: bool
) -> list[Operation]:
    """`group`, with a copy of each constant of one number that it reads."""
    known: dict[Value, Operation] = {}
    for operation in group:
        for index, value in enumerate(operation.operands):
            if splat(value) is None or (but_numbers and _is_number(value)):
                continue
            if value not in known:
                place = rewriter.insert_before(group[0])
                copy = place.emit(value.owner.prim, (), dict(value.owner.attrs))  # type: ignore[union-attr]
                known[value] = copy.owner
            rewriter.set_operand(operation, index, known[value].result)
    return [*known.values(), *group]


class _Groups(Grouping):
    """Groups of operations of a region that one nest of loops computes.

    What is in `copies` does not join what it reads, but for other copies.
    """

    def __init__(self, region: Region, max_ops: int, copies: Set[Operation]) -> None:
        super().__init__(region)
        self.max_ops = max_ops
        self.copies = copies

    def join_all(self) -> None:
        """Let each operation join the groups of what it reads, where that is worth it."""
        for op in self.operations:
            if self._is_candidate(op):
                for value in op.operands:
                    if value.owner in self.number:
                        self._join(value.owner, op)  # type: ignore[arg-type]
        for one, other in self._siblings():
            self._unite(self.leader[one], self.leader[other])

    def _siblings(self) -> Iterator[tuple[Operation, Operation]]:
        """Reductions of one kind, over the same axes, whose groups read one large array."""
        seen: dict[tuple[Value, object], Operation] = {}
        for op in self.operations:
            if op.prim not in REDUCTIONS:
                continue
            kind = op.prim, tuple(op.attrs.items()), op.operands[0].shape
            for value in (v for member in self.members[self.leader[op]] for v in member.operands):
                if isinstance(value.type, TensorType) and value.type.nbytes > SHARED:
                    before = seen.setdefault((value, kind), op)
                    if self.leader[before] is not self.leader[op]:
                        yield before, op

    def found(self) -> list[list[Operation]]:
        """Groups of two operations or more, in program order."""
        groups = {self.leader[op]: self.members[self.leader[op]] for op in self.operations}
        return [group for group in groups.values() if len(group) > 1]

    @staticmethod
    def _is_candidate(op: Operation) -> bool:
        return op.prim.form is not Form.CONST and (is_part(op) or op.prim in CORES)

    def _join(self, producer: Operation, reader: Operation) -> None:
        if not self._is_candidate(producer):
            return
        if reader in self.copies and producer not in self.copies:
            return
        self._unite(self.leader[producer], self.leader[reader])

    def _unite(self, one: Operation, other: Operation) -> None:
        if self._level[one] > self._level[other]:  # then `one` is not read by `other`
            one, other = other, one
        if one is other or len(self.members[one]) + len(self.members[other]) > self.max_ops:
            return
        if not self.may_join(one, other):
            return
        members = sorted(
            (*self.members[one], *self.members[other]), key=self.number.__getitem__
        )  # fmt: skip
        if is_worth(members):
            self.join(one, other, members)


def is_worth(operations: Sequence[Operation]) -> bool:
    """Whether one nest of loops computes `operations`, and well."""
    outputs = outputs_of(operations)
    cores = [op for op in operations if op.prim in CORES]
    try:
        if cores:
            return _is_epilogue(cores, operations, outputs)
        space = Space.of(operations, outputs)
    except Unfit:
        return False
    return (
        _is_near(operations, space) and _is_once(operations, space) and _is_row(operations, space)
    )


def _is_epilogue(
    cores: Sequence[Operation], operations: Sequence[Operation], outputs: Sequence[Value]
) -> bool:
    """Whether one unit's product is all that the others take over, and has a place to lie."""
    (core, *others), size = cores, cores[0].result.dtype.itemsize
    if others or len(operations) > MOST_BEHIND:
        return False
    if not any(v.dtype.itemsize == size for v in outputs):
        return False
    rest = [op for op in operations if op is not core]
    space = Space.behind(core, rest, outputs)
    return len(space.sizes) == core.result.ndim and _is_near(rest, space)


def outputs_of(operations: Sequence[Operation]) -> list[Value]:
    """What others read of `operations`."""
    inside = set(operations)
    return [
        result for op in operations for result in op.results
        if any(use.user not in inside for use in result.uses)
    ]  # fmt: skip


def _is_near(operations: Sequence[Operation], space: Space) -> bool:
    """Whether the innermost loop reads large arrays as they lie."""
    last = _last(space)
    for op in operations:
        if op.prim in MOVES and op.result.type.nbytes > LARGE:  # type: ignore[attr-defined]
            map_ = space.reads[op, 0]
            runs = [axis for axis in map_ if axis.dim is not None]
            if runs and any(a.dim == last for a in runs[:-1]):
                return False
    return True


def _last(space: Space) -> int | None:
    """The innermost dimension that is more than one element."""
    running = [d for d, n in enumerate(space.sizes) if n != 1]
    return running[-1] if running else None


def _is_once(operations: Sequence[Operation], space: Space) -> bool:
    """Whether nothing expensive is computed for an element more than once."""
    for op in operations:
        if op.prim.family not in EXPENSIVE:
            continue
        dims = {axis.dim for axis in space.maps[op.result]}
        missing = {d for d, n in enumerate(space.sizes) if n != 1} - dims
        if missing - space.reduced or (missing and dims & space.reduced):
            return False
    return True


def _is_row(operations: Sequence[Operation], space: Space) -> bool:
    """Whether what is reduced is gone over once, or is a short row."""
    if not space.reduced:
        return True
    stages: dict[Value, int] = {}
    is_again = False
    for op in operations:
        at = max((stages.get(value, 0) for value in op.operands), default=0)
        stages[op.result] = at + (op.prim in REDUCTIONS)
        if at and (op.prim in REDUCTIONS or space.is_full(space.maps[op.result])):
            is_again = True
    if not is_again:
        return True
    length = 1
    for d in space.reduced:
        length *= space.sizes[d]
    return _last(space) in space.reduced and length <= LONGEST_ROW
