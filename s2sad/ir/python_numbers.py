"""Which values are, when plain Python runs a dump, perhaps no arrays but Python's own ints?

A loop over ``range`` counts in ints, and what carries these on carries ints as well. Primitives
take them for i64, but Python's operators on them do not wrap as i64 does.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.loops import LOOPS, carried
from s2sad.ir.primitive import Form


def python_numbers(function: Function) -> set[Value]:
    """Loop counters, and what may be one by way of a branch, a loop or a stack."""
    operations = list(function.walk())
    loops = [op for op in operations if op.prim.form is Form.FOR]
    found = {region.args[0] for op in loops for region in op.regions.values()}
    flows = [flow for op in operations for flow in _flows(op)]
    size = -1
    while len(found) > size:
        size = len(found)
        found.update(to for source, to in flows if source in found)
        if any(op.prim.form is Form.PUSH and op.operands[1] in found for op in operations):
            found.update(op.results[1] for op in operations if op.prim.form is Form.POP)
    return found


def _flows(operation: Operation) -> Iterator[tuple[Value, Value]]:
    """Pairs of values of which the second is the first, object for object."""
    if operation.prim.form is Form.IF:
        for region in operation.regions.values():
            yield from zip(region.yields, operation.results, strict=True)
    elif operation.prim.form in LOOPS:
        for slot in carried(operation):
            for source in (slot.initial, slot.yielded):
                yield from ((source, to) for to in (slot.result, *slot.args))
