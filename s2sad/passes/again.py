"""What is computed again by each group that reads it, rather than stored for them?

Where a group gives a large array to other groups, it is written to memory and read again. If few
cheap operations make it of arrays that are stored anyway, each reader may as well read those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from s2sad.ir.graph import Operation, Region, Use, Value
from s2sad.ir.primitive import Trait
from s2sad.ir.rewriter import Rewriter
from s2sad.ir.types import TensorType
from s2sad.passes.facts import splat
from s2sad.passes.grouping import Grouping
from s2sad.passes.space import is_part

Groups = TypeVar("Groups", bound=Grouping)

#: Families of which an element is computed faster than it is read from memory.
CHEAP = frozenset(("arithmetic", "cast", "comparison", "logic", "select"))
#: Bytes of an array below which a cache holds it.
LEAST = 1024 * 1024
#: An array is small beside one of so many times its bytes.
FEW = 16
#: Operations that are computed again at most.
MOST = 6


@dataclass
class _Cone:
    """Operations that make a value, in program order, of what is stored: of `leaves`, if large."""

    operations: list[Operation] = field(default_factory=list)
    leaves: dict[Value, None] = field(default_factory=dict)


class Recomputation(Generic[Groups]):
    """Gives groups of a region that read a large array the operations that make it.

    Parameters
    ----------
    region : Region
    find : callable
        Groups of the operations of the region as it is, given what is a copy: that joins only those
        that read it.
    rewriter : Rewriter
    """

    def __init__(
        self, region: Region, find: Callable[[Region, Set[Operation]], Groups], rewriter: Rewriter
    ) -> None:
        self.region = region
        self.find = find
        self.rewriter = rewriter
        self.copies: set[Operation] = set()
        self.groups = find(region, self.copies)
        self.refused: set[Operation] = set()

    def run(self) -> None:
        """Copy what pays, in rounds, until nothing does."""
        while found := self._found():
            made: list[tuple[Operation, _Cone, list[Use], dict[Operation, list[Operation]]]] = []
            for op, cone, readers in found:
                with self.rewriter.step(f"compute {len(cone.operations)} operations again", op):
                    made.append((op, cone, readers, self._copy(cone, readers)))
            new = {copy for *_, by_group in made for ops in by_group.values() for copy in ops}
            leader = self.find(self.region, self.copies | new).leader
            for op, cone, readers, by_group in made:
                if all(leader[copy] is leader[g] for g, ops in by_group.items() for copy in ops):
                    self.copies.update(copy for ops in by_group.values() for copy in ops)
                    self._erase_unused(cone)
                else:
                    with self.rewriter.step("read what is stored", op):
                        self._undo(op, readers, by_group)
            self.groups = self.find(self.region, self.copies)

    # ---- what pays -------------------------------------------------------------------------

    def _found(self) -> list[tuple[Operation, _Cone, list[Use]]]:
        """What pays, and of which nothing depends on another one of them."""
        found: list[tuple[Operation, _Cone, list[Use]]] = []
        taken: set[Operation] = set()
        for op in self.groups.operations:
            if op in self.copies or op in self.refused or not _is_cheap(op):
                continue
            readers = self._readers(op) if _nbytes(op.result) >= LEAST else []
            cone = self._cone(op) if readers else None
            if cone is None or not self._pays(op, cone, readers):
                continue
            involved = {op, *cone.operations, *(leaf.owner for leaf in cone.leaves)}
            involved.update(use.user for use in readers)
            if not involved & taken:
                taken |= involved  # type: ignore[arg-type]
                found.append((op, cone, readers))
        return found

    def _pays(self, op: Operation, cone: _Cone, readers: Sequence[Use]) -> bool:
        """Whether less goes through memory; to write takes half as long again as to read."""
        groups = {self.groups.leader[use.user] for use in readers}  # type: ignore[index]
        more = sum(
            _nbytes(leaf) for group in groups for leaf in cone.leaves
            if not any(leaf in op.operands for op in self.groups.members[group])
        )  # fmt: skip
        return 2 * more < (2 * len(groups) + 3) * _nbytes(op.result)

    def _readers(self, op: Operation) -> list[Use]:
        """Uses by other groups of what `op` makes; none where one of them is no part of loops."""
        group = self.groups.leader[op]
        found = []
        for use in op.result.uses:
            user = use.user
            if not isinstance(user, Operation) or user not in self.groups.leader:
                return []
            if self.groups.leader[user] is not group:
                found.append(use)
        return found if all(is_part(use.user) for use in found) else []

    def _cone(self, op: Operation) -> _Cone | None:
        """What makes the result of `op` of what is stored; None where it is too much."""
        cone, todo = _Cone(), [op]
        while todo:
            at = todo.pop()
            if at not in cone.operations:
                cone.operations.append(at)
                if len(cone.operations) > MOST:
                    return None
            for value in at.operands:
                if splat(value) is not None or FEW * _nbytes(value) <= _nbytes(op.result):
                    continue  # a cache holds it
                if self._is_stored(value):
                    cone.leaves[value] = None
                elif isinstance(value.owner, Operation) and _is_cheap(value.owner):
                    todo.append(value.owner)
                else:
                    return None
        cone.operations.sort(key=self.groups.number.__getitem__)
        return cone

    def _is_stored(self, value: Value) -> bool:
        """Whether memory holds `value` in any case."""
        leader = self.groups.leader
        if not isinstance(value.owner, Operation) or value.owner not in leader:
            return True
        group = leader[value.owner]
        users = (use.user for use in value.uses)
        return any(not isinstance(u, Operation) or leader.get(u) is not group for u in users)

    # ---- what is changed -------------------------------------------------------------------

    def _copy(self, cone: _Cone, readers: Sequence[Use]) -> dict[Operation, list[Operation]]:
        """The operations of `cone` once for each group of `readers`, by its leader."""
        made: dict[Operation, list[Operation]] = {}
        for use in sorted(readers, key=lambda use: self.groups.number[use.user]):  # type: ignore[index]
            group = self.groups.leader[use.user]  # type: ignore[index]
            if group not in made:
                made[group] = self._copied(cone, use.user)  # type: ignore[arg-type]
            self.rewriter.set_operand(use.user, use.index, made[group][-1].result)
        return made

    def _undo(
        self, op: Operation, readers: Sequence[Use], made: Mapping[Operation, Sequence[Operation]]
    ) -> None:
        """Where copies did not join the group of a reader, all readers read what is stored."""
        self.refused.add(op)
        for use in readers:
            self.rewriter.set_operand(use.user, use.index, op.result)
        for copies in made.values():
            for copy in reversed(copies):
                self.rewriter.erase(copy)

    def _erase_unused(self, cone: _Cone) -> None:
        """What only the readers had read is made for nobody."""
        for op in reversed(cone.operations):
            if not op.result.uses:
                self.rewriter.erase(op)
                self.copies.discard(op)

    def _copied(self, cone: _Cone, reader: Operation) -> list[Operation]:
        place, known, made = self.rewriter.insert_before(reader), dict[Value, Value](), []
        for op in cone.operations:
            operands = [known.get(value, value) for value in op.operands]
            copy = place.emit(op.prim, operands, dict(op.attrs))
            known[op.result] = copy
            made.append(copy.owner)
        return made


def _is_cheap(op: Operation) -> bool:
    return op.prim.has(Trait.ELEMENTWISE) and op.prim.family in CHEAP and is_part(op)


def _nbytes(value: Value) -> int:
    return value.type.nbytes if isinstance(value.type, TensorType) else 0  # type: ignore[return-value]
