"""What does a function become that is computed again for its gradient?

One `checkpoint` operation, with what the function computes for its region. That reads its arguments
only, so what the function reads from around it becomes an operand as well. Where no derivative is
taken it is a call like any other.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.frontend.forms import is_tensor
from s2sad.frontend.frame import Frame
from s2sad.frontend.regions import Run, isolated, read_part
from s2sad.frontend.trees import map_leaves
from s2sad.ir import builder as builders
from s2sad.ir.builder import as_tuple
from s2sad.ir.rewriter import outer_values

CHECKPOINT = p.ALL["checkpoint"]


def call_checkpoint(
    frame: Frame, memory: int | None, args: list[Any], kwargs: dict[str, Any], run: Run
) -> Any:
    """What ``run(args, kwargs)`` gives, in a `checkpoint` where a derivative is taken of it.

    Parameters
    ----------
    memory : int or None
        Bytes that the loops in it may keep.
    """
    session = frame.session
    if not session.order:
        return run(args, kwargs)
    part = read_part(frame, args, kwargs, run)
    outside = outer_values([part.region])
    operands = [*part.operands, *outside]
    regions = {"body": isolated(part.region, outside, len(part.operands))}
    emitted = builders.current().emit(CHECKPOINT, operands, {"budget": memory}, regions)
    found = as_tuple(emitted)
    for key, value in zip(part.written, found[len(found) - len(part.written) :], strict=True):
        session.captures[key].written = value
    rest = iter(found)
    return map_leaves(part.result, lambda leaf: next(rest) if is_tensor(leaf) else leaf)
