"""What does running an operation do besides giving its results?"""

from __future__ import annotations

from s2sad.ir.graph import Operation, Region, Value
from s2sad.ir.primitive import Form, Trait
from s2sad.passes.facts import constant
from s2sad.prims.index import gather, index_add, index_update

#: What fails for an index out of range only, and has it as the second operand.
INDEXED = frozenset((gather, index_add, index_update))


def can_fail(operation: Operation) -> bool:
    """Whether running `operation` may end the program, or does more than give results.

    A loop may also never end; that is no reason to keep one that nobody needs.
    """
    return any(map(_can_fail_itself, operation.walk()))


def _can_fail_itself(operation: Operation) -> bool:
    prim = operation.prim
    if prim.has(Trait.FALLIBLE) or prim.has(Trait.EFFECT):
        return not (prim in INDEXED and _is_within(operation))
    if prim.form is Form.FOR:  # a step of 0 is an error
        step = constant(operation.operands[2])
        return step is None or not step
    if prim.expand is None:
        return False
    types = tuple(value.type for value in operation.operands)
    return any(map(can_fail, prim.expand(types, operation.attrs).body.operations))


def _is_within(operation: Operation) -> bool:
    """Whether all indices of an operation of `INDEXED` are known to be in range."""
    size = operation.operands[0].shape[operation.attrs["axis"]]
    indices = _known(operation.operands[1])
    if indices is None or not isinstance(size, int):
        return False
    return all(-size <= index < size for index in indices)


def _known(value: Value) -> tuple[int, ...] | None:
    """The least and the largest element of a constant or of a loop's index, where there are any."""
    array = constant(value)
    if array is not None:
        return (int(array.min()), int(array.max())) if array.size else ()
    body = value.owner
    if not isinstance(body, Region) or value.index or not isinstance(body.parent, Operation):
        return None
    loop = body.parent
    if loop.prim.form is not Form.FOR:
        return None
    start, stop, step = map(constant, loop.operands[:3])
    if start is None or stop is None or step is None or not step:
        return None
    trips = range(int(start), int(stop), int(step))
    return (trips[0], trips[-1]) if trips else ()
