"""Which values are, when plain Python runs a dump, perhaps no arrays but Python's own ints?

A loop over ``range`` counts in ints; what carries them on carries ints as well. Primitives take
them for i64, but Python's operators on them do not wrap as i64 does.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.primitive import Form
from s2sad.ir.tapes import LOOPS, carried


def python_numbers(function: Function) -> set[Value]:
    """Loop counters, and what may be one by way of a branch, a loop or a stack."""
    flows = [flow for operation in function.walk() for flow in _flows(operation)]
    pops = [op.results[1] for op in function.walk() if op.prim.form is Form.POP]
    pushes = [op.operands[1] for op in function.walk() if op.prim.form is Form.PUSH]
    flows += [(pushed, popped) for pushed in pushes for popped in pops[:1]]
    flows += zip(pops, pops[1:], strict=False)
    found = {value for operation in function.walk() for value in _counters(operation)}
    size = -1
    while len(found) > size:
        size = len(found)
        found.update(to for source, to in flows if source in found)
    return found
