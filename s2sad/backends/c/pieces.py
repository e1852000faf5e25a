"""Where is the body of a loop cut, so that a processor works on several of its passes at a time?

A function of mathematics is a chain of some fifty instructions, each of which waits for the one
before. A processor fills the waiting with the next passes of the loop, as far as it looks ahead:
some hundred instructions. A longer body leaves it waiting. So a long body runs piece by piece over
a block of passes; what a later piece reads of an earlier one lies in a *strip* until then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from s2sad.backends.c.group import EXPENSIVE, Group
from s2sad.ir.graph import Operation, Value

#: Passes of a block: strips of so many elements stay in the nearest cache.
PASSES = 128
#: Passes of a loop below which it is not cut.
LEAST = 128
#: What a piece may cost, and what a function costs, in cheap operations.
LIMIT, FUNCTION = 32, 16


@dataclass(frozen=True)
class Piece:
    """Operations that are computed pass by pass.

    Attributes
    ----------
    operations : list of Operation
    taken, left : list of Value
        What it reads of earlier pieces, and what it has for later ones.
    stores : list of Value
        Results that it writes to memory.
    """

    operations: list[Operation]
    taken: list[Value]
    left: list[Value]
    stores: list[Value]


def pieces(
    operations: Sequence[Operation], stores: Sequence[Value], group: Group, passes: int
) -> list[Piece]:  # fmt: skip
    """The body of a loop of so many `passes` that computes `operations` and writes `stores`."""
    parts = [list(operations)] if passes < LEAST else list(_parts(operations))
    made = {op.result: number for number, part in enumerate(parts) for op in part}
    last = len(parts) - 1
    lie_over = _lie_over(group) if last else {}
    where = {
        value: last if _is_read(lie_over.get(value, ()), parts[n + 1 :]) else n
        for value, n in ((value, made.get(value, last)) for value in stores)
    }
    reads = [
        {v for op in part for v in op.operands} | {v for v in stores if where[v] == number}
        for number, part in enumerate(parts)
    ]
    return [
        Piece(
            part,
            [v for v in made if made[v] < number and v in reads[number]],
            [op.result for op in part if any(op.result in later for later in reads[number + 1 :])],
            [v for v in stores if where[v] == number],
        )
        for number, part in enumerate(parts)
    ]


def _parts(operations: Sequence[Operation]) -> Iterator[list[Operation]]:
    part: list[Operation] = []
    cost = 0
    for op in operations:
        own = FUNCTION if op.prim.family in EXPENSIVE else 1
        if part and cost + own > LIMIT:
            yield part
            part, cost = [], 0
        part.append(op)
        cost += own
    yield part


def _lie_over(group: Group) -> dict[Value, set[Value]]:
    """The inputs in whose memory each output may lie."""
    found: dict[Value, set[Value]] = {}
    for i, o in group.pairs():
        found.setdefault(group.outputs[o], set()).add(group.inputs[i])
    return found


def _is_read(values: Collection[Value], parts: Iterable[Sequence[Operation]]) -> bool:
    return bool(values) and any(v in values for part in parts for op in part for v in op.operands)
