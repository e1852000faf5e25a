"""Which operations does a backend compute in one go?

Each operation that is a part of loops begins as a group of its own; a group joins that of what it
reads where one nest of loops computes both (`Space`), where no other operation would have to run
between them, and where that is worth it. Memory is then gone over once, not once an operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
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
from s2sad.passes.space import CORES, REDUCTIONS, is_part
from s2sad.passes.worth import Worth
from s2sad.prims import marker, shape

#: Bytes of an array that several reductions read at one time rather than one after the other.
SHARED = 1024 * 1024
#: Numbers of a program above which loops read them: each would be a kernel of its own otherwise,
#: and a compiler of C takes many milliseconds for one.
MANY_NUMBERS = 64
#: Operations of a group up to which it grows one by one.
BY_ONE = 64
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
        many, worth = _has_many_numbers(function), Worth()
        for region in list(_regions(function.body)):
            _splits_as_slices(region, rewriter)
            _copy_sources(region, rewriter)
            again = Recomputation(region, partial(self._groups, worth), rewriter)
            again.run()
            groups = again.groups
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

    def _groups(self, worth: Worth, region: Region, copies: Set[Operation]) -> _Groups:
        groups = _Groups(region, self.max_ops, copies, worth)
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

    def __init__(self, region: Region, max_ops: int, copies: Set[Operation], worth: Worth) -> None:
        super().__init__(region)
        self.max_ops = max_ops
        self.copies = copies
        self.is_worth = worth.of
        self.candidates = {op for op in self.operations if _is_candidate(op)}

    def join_all(self) -> None:
        """Let each operation join the groups of what it reads, where that is worth it.

        Whether it is takes as long as the group is large. So groups grow to `BY_ONE` operations one
        by one, and then as wholes.
        """
        for producer, reader in self._read_by():
            if self._size(producer, reader) <= BY_ONE:
                self._join(producer, reader)
        asked: set[tuple[Operation, Operation]] = set()
        for producer, reader in self._read_by():
            pair = self.leader[producer], self.leader[reader]
            if pair not in asked and self._size(producer, reader) > BY_ONE:
                asked.add(pair)
                self._join(producer, reader)
        for one, other in self._siblings():
            self._unite(self.leader[one], self.leader[other])

    def _read_by(self) -> Iterator[tuple[Operation, Operation]]:
        """Operations that may join, and those that read them, in order of these."""
        for op in self.operations:
            if op in self.candidates:
                for value in op.operands:
                    if value.owner in self.candidates:
                        yield value.owner, op  # type: ignore[misc]

    def _size(self, one: Operation, other: Operation) -> int:
        """How many operations their groups have."""
        return sum(len(self.members[leader]) for leader in {self.leader[one], self.leader[other]})

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

    def _join(self, producer: Operation, reader: Operation) -> None:
        if reader in self.copies and producer not in self.copies:
            return
        self._unite(self.leader[producer], self.leader[reader])

    def _unite(self, one: Operation, other: Operation) -> None:
        if self._level[one] > self._level[other]:  # then `one` is not read by `other`
            one, other = other, one
        if one is other or len(self.members[one]) + len(self.members[other]) > self.max_ops:
            return
        members = sorted(
            (*self.members[one], *self.members[other]), key=self.number.__getitem__
        )  # fmt: skip
        if self.is_worth(members) and self.may_join(one, other):  # which may take longer
            self.join(one, other, members)


def _is_candidate(op: Operation) -> bool:
    return op.prim.form is not Form.CONST and (is_part(op) or op.prim in CORES)
