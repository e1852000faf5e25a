"""Which loops are written in two forms: one for angles that are near, and one for any?

Sines of large angles need many bits of 2/pi, which costs several times what all else does. Before
a block of a loop its angles are computed once, to see whether one of them is far; mostly none is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from s2sad.backends.c.group import EXPENSIVE
from s2sad.backends.c.literal import computing
from s2sad.core import dtypes
from s2sad.ir.graph import Operation, Value
from s2sad.passes.facts import splat
from s2sad.passes.space import REDUCTIONS
from s2sad.prims import trigonometric as t

#: Elements of a block.
BLOCK = 4096
#: Operations on whose results an angle may depend: more are not worth to be computed twice.
MOST = 12

_TURNING = frozenset((t.sin, t.cos, t.tan))


def has_angle(op: Operation) -> bool:
    """Whether `op` has a form for near angles."""
    return op.prim in _TURNING and computing(op.operands[0].dtype) is dtypes.float32


def near_form(text: str) -> str:
    """The call of that form, from the call of the other one.

    Examples
    --------
    >>> near_form("s2_sin_f32(x)")
    's2_near_sin_f32(x)'
    """
    return text.replace("s2_", "s2_near_", 1)


def angles(
    operations: Sequence[Operation], computed: Collection[Value], known: Collection[Value]
) -> tuple[list[Operation], list[Operation]]:
    """What gives angles in a loop over `operations`, and the first operation that takes each.

    Parameters
    ----------
    computed : collection of Value
        By the whole kernel.
    known : collection of Value
        Before the loop.

    Returns
    -------
    before, first : list of Operation
        Both empty where two forms are not worth it.
    """
    first: dict[Value, Operation] = {}
    for op in operations:
        if has_angle(op) and op.result not in known:
            first.setdefault(op.operands[0], op)
    by_result = {op.result: op for op in operations}
    needed: set[Value] = set()
    waiting = list(first)
    while waiting:
        value = waiting.pop()
        if value in known or value in needed or (splat(value) is not None and value not in first):
            continue
        if value not in computed:
            if splat(value) is not None:
                return [], []
            continue
        op = by_result.get(value)
        if op is None or op.prim in REDUCTIONS or op.prim.family in EXPENSIVE:
            return [], []
        needed.add(value)
        waiting += op.operands
    if len(needed) > MOST:
        return [], []
    return [op for op in operations if op.result in needed], list(first.values())
