"""Which branches and loops are decided while compiling?"""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.ir.graph import Operation, Region, Value
from s2sad.ir.primitive import Form
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.effects import can_fail
from s2sad.passes.facts import constant, same_value, trip_count
from s2sad.passes.slots import passed_on, without_results, without_slots
from s2sad.prims.constant import const


def simplify_control(operation: Operation, rewriter: Rewriter) -> str | None:
    """Simplify an `if`, a loop, or the reading of a stack; the name of the law that did."""
    for law in _LAWS.get(operation.prim.form, ()):
        if law(operation, rewriter):
            return law.__name__
    return None


def choose_branch(operation: Operation, rewriter: Rewriter) -> bool:
    """If True: y = f(x) else: y = g(x)  =>  y = f(x)."""
    condition = constant(operation.operands[0])
    if condition is None:
        return False
    branch = operation.regions["then" if condition else "orelse"]
    with rewriter.step("choose_branch", operation):
        _inline(operation, branch, (), rewriter)
    return True


def merge_branches(operation: Operation, rewriter: Rewriter) -> bool:
    """If c: y = x else: y = x  =>  y = x, where x is one value, or one constant."""
    then, orelse = (operation.regions[name].yields for name in ("then", "orelse"))
    pairs = enumerate(zip(then, orelse, strict=True))
    alike = {i: one for i, (one, other) in pairs if same_value(one, other)}
    if not alike:
        return False
    with rewriter.step("merge_branches", operation):
        values: dict[int, Value | None] = {}
        for index, value in alike.items():
            values[index] = _outside(operation, value, rewriter)
        without_results(operation, values, rewriter)
    return True


def _outside(operation: Operation, value: Value, rewriter: Rewriter) -> Value:
    """`value`, or a constant like it where it stands inside of `operation`."""
    array = constant(value)
    if array is None or value.region not in operation.regions.values():
        return value
    with rewriter.insert_before(operation).active():
        return const(array, value.tensor_type)


def skip_loop(operation: Operation, rewriter: Rewriter) -> bool:
    """For i in range(0): x = f(x)  =>  x; and the same of `while False`."""
    if operation.prim.form is Form.FOR:
        if trip_count(operation) != 0:
            return False
        values = operation.operands[3:]
    else:
        condition = operation.regions["condition"]
        known = constant(condition.yields[0])
        if known is None or known or any(map(can_fail, condition.operations)):
            return False
        values = operation.operands
    with rewriter.step("skip_loop", operation):
        rewriter.replace_operation(operation, values)
    return True


def unroll_one_trip(operation: Operation, rewriter: Rewriter) -> bool:
    """For i in range(a, a + 1): x = f(i, x)  =>  x = f(a, x)."""
    if trip_count(operation) != 1:
        return False
    with rewriter.step("unroll_one_trip", operation):
        start, carried = operation.operands[0], operation.operands[3:]
        _inline(operation, operation.regions["body"], (start, *carried), rewriter)
    return True


def _inline(
    operation: Operation, region: Region, operands: Sequence[Value], rewriter: Rewriter
) -> None:
    values = rewriter.inline_region(region, operands, rewriter.insert_before(operation))
    rewriter.replace_operation(operation, values)


def carry_less(operation: Operation, rewriter: Rewriter) -> bool:
    """A loop that gives x back as it was, and y = f(x, y)  =>  a loop over y that reads x."""
    slots = passed_on(operation)
    if not slots:
        return False
    first = len(operation.operands) - len(operation.results)
    with rewriter.step("carry_less", operation):
        values = {i: operation.operands[first + i] for i in slots}
        without_slots(operation, values, rewriter)
    return True


def pop_what_was_pushed(operation: Operation, rewriter: Rewriter) -> bool:
    """stack_pop(stack_push(s, x))  =>  s, x."""
    push = operation.operands[0].owner
    if not isinstance(push, Operation) or push.prim.form is not Form.PUSH:
        return False
    if push.parent is not operation.parent:
        return False
    with rewriter.step("pop_what_was_pushed", operation):
        rewriter.replace_operation(operation, push.operands)
        rewriter.erase(push)
    return True


_LAWS = {
    Form.IF: (choose_branch, merge_branches),
    Form.FOR: (skip_loop, unroll_one_trip, carry_less),
    Form.WHILE: (skip_loop, carry_less),
    Form.POP: (pop_what_was_pushed,),
}
