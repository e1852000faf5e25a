"""Which groups of operations may become one, so that no group waits for itself?

Groups of the operations of a region read one another, without a circle. Two of them may join unless
what is between them must run after the one and before the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush

from s2sad.ir.graph import Operation, Region
from s2sad.ir.rewriter import outer_reads

#: Groups that are looked at for one answer: where there are more, two do not join. So a region of n
#: operations takes about n steps.
MOST_ASKED = 1024


class Grouping:
    """The operations of a region, each in a group, at first of its own.

    Attributes
    ----------
    operations : list of Operation
    number : dict of Operation to int
        Their places.
    leader : dict of Operation to Operation
        One operation of each group stands for it.
    members : dict of Operation to list of Operation
        Of the group that a leader stands for, in program order.
    """

    def __init__(self, region: Region) -> None:
        self.operations = list(region.operations)
        self.number = {op: i for i, op in enumerate(self.operations)}
        self.leader = {op: op for op in self.operations}
        self.members = {op: [op] for op in self.operations}
        self._read: dict[Operation, dict[Operation, None]] = {}
        self._readers: dict[Operation, dict[Operation, None]] = {op: {} for op in self.operations}
        self._level: dict[Operation, int] = {}  # higher than that of any group that is read
        for op in self.operations:
            owners = (value.owner for value in outer_reads(op))
            self._read[op] = {o: None for o in owners if o in self.number}  # type: ignore[misc]
            for owner in self._read[op]:
                self._readers[owner][op] = None
            self._level[op] = 1 + max((self._level[o] for o in self._read[op]), default=0)

    def may_join(self, one: Operation, other: Operation) -> bool:
        """Whether the group of `other`, which reads that of `one`, waits for it through no third.

        Both are leaders. Where the answer takes long, it is no.
        """
        leader, level, read = self.leader, self._level, self._read
        # Who waits for `one` is higher than that, and whom `other` waits for is lower than that.
        lowest, highest = level[one], level[other]
        if all(level[group] >= highest for group in self._groups_of(self._readers[one], but=one)):
            return True
        todo = [
            group for op in read[other]
            if (group := leader[op]) is not one and group is not other and level[group] > lowest
        ]  # fmt: skip
        asked: set[Operation] = set()
        while todo:
            group = todo.pop()
            if group in asked:
                continue
            asked.add(group)
            for op in read[group]:
                before = leader[op]
                if before is one:
                    return False
                if level[before] > lowest and before not in asked:
                    todo.append(before)
            if len(asked) > MOST_ASKED:
                return False
        return True

    def join(self, one: Operation, other: Operation, members: list[Operation]) -> None:
        """Let the two groups be one, of these `members`, which `one` stands for."""
        for op in self.members.pop(other):
            self.leader[op] = one
        self.members[one] = members
        self._read[one].update(self._read.pop(other))
        self._readers[one].update(self._readers.pop(other))
        lowest = min(self._level[one], self._level.pop(other))
        above = 1 + max((self._level[g] for g in self._before(one)), default=0)
        self._level[one] = max(self._level[one], above)
        todo = [one] if self._level[one] > lowest else []  # else all readers are higher anyway
        for group in todo:
            for reader in self._groups_of(self._readers[group], but=group):
                if self._level[reader] <= self._level[group]:
                    self._level[reader] = self._level[group] + 1
                    todo.append(reader)

    def _before(self, group: Operation) -> Iterator[Operation]:
        return self._groups_of(self._read[group], but=group)

    def _groups_of(self, operations: Iterable[Operation], but: Operation) -> Iterator[Operation]:
        """Leaders of the groups of `operations`, some of them more than once."""
        return (leader for op in operations if (leader := self.leader[op]) is not but)

    def in_one_piece(self) -> list[Operation]:
        """The operations in an order in which nothing stands between those of a group.

        A group stands where its last one stood, and before all that waits for it.
        """
        waits = {group: len({*self._before(group)}) for group in self.members}
        last = {group: self.number[members[-1]] for group, members in self.members.items()}
        ready = [place for group, place in last.items() if not waits[group]]
        heapify(ready)
        order: list[Operation] = []
        while ready:
            group = self.leader[self.operations[heappop(ready)]]
            order += self.members[group]
            for reader in dict.fromkeys(self._groups_of(self._readers[group], but=group)):
                waits[reader] -= 1
                if not waits[reader]:
                    heappush(ready, last[reader])
        return order
