"""What does running an operation do besides giving its results?"""

from __future__ import annotations

from s2sad.ir.graph import Operation
from s2sad.ir.primitive import Form, Trait
from s2sad.passes.facts import constant


def can_fail(operation: Operation) -> bool:
    """Whether running `operation` may end the program, or does more than give results.

    A loop may also never end; that is no reason to keep one that nobody needs.
    """
    return any(map(_can_fail_itself, operation.walk()))


def _can_fail_itself(operation: Operation) -> bool:
    prim = operation.prim
    if prim.has(Trait.FALLIBLE) or prim.has(Trait.EFFECT):
        return True
    if prim.form is Form.FOR:  # a step of 0 is an error
        step = constant(operation.operands[2])
        return step is None or not step
    if prim.expand is None:
        return False
    types = tuple(value.type for value in operation.operands)
    return any(map(can_fail, prim.expand(types, operation.attrs).body.operations))
