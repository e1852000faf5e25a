"""What do processes get that exchange tensors, where each group has one member?

What a sum, a gathering or a broadcast among one gives: the operand, exactly, in a tensor of its
own. Nothing of it is left in a compiled program, and its gradient is that of the operand. What
needs a second process is an error that says so.
"""

from __future__ import annotations

from typing import Any

from s2sad.core import dtypes, groups
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.ops.promotion import require_tensor, type_of
from s2sad.ops.shapes import copied


class ReduceOp:
    """Ways to combine the tensors of a group."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    AVG = "avg"


REDUCTIONS = (ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD, ReduceOp.AVG)


def reduction(name: str, op: Any) -> str:
    """`op`, which must be one of `ReduceOp` (E0303, E0404)."""
    if not isinstance(op, str):
        raise fail("E0303", f"{name} is a str, got {op!r}", help="write ReduceOp.SUM")
    if op not in REDUCTIONS:
        raise fail("E0404", f"{name} is one of {', '.join(REDUCTIONS)}, got {op!r}")
    return op


def group_name(name: str, group: Any) -> str:
    """`group`, which must be the name of one; of all processes for None (E0303, E0404)."""
    group = groups.WORLD if group is None else group
    groups.members(group)
    return group


def exchanged(x: Any, what: str) -> Any:
    """What each member gets of `x` in a group of one: the same in a tensor of its own."""
    return copied(require_tensor(x, what))


def gathered(x: Any, what: str) -> Any:
    """`exchanged`, of what has a first axis to be joined or cut along (E0401)."""
    if not require_tensor(x, what).ndim:
        raise fail("E0401", f"{what} goes along the first axis, and a scalar has none")
    return exchanged(x, what)


def combined(x: Any, what: str) -> Any:
    """`exchanged`, of numbers: bools are not summed (E0301)."""
    if require_tensor(x, what).dtype is dtypes.bool_:
        raise fail("E0301", f"{what} combines numbers, got {type_of(x)}", help="cast it to int32")
    return exchanged(x, what)


def alone(what: str) -> S2sadError:
    """What is raised where `what` has another process as its other end (E0712)."""
    return fail(
        "E0712", f"{what} has its other end in another process, and there is one",
        help="ask get_group_size() whether there is another before it",
    )  # fmt: skip
