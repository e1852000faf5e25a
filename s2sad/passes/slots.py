"""How does an `if` or a loop lose results that it need not give, or a loop get more of them?

A slot is one result of an `if` with what both branches yield for it, or one value that a loop
carries: initial value, argument of each region, yield, result. The operation is made anew without
some of them, its regions copied; what only they needed is left in the regions, read by nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from s2sad.ir.clone import copy_operations, copy_region
from s2sad.ir.graph import Operation, Region, Value
from s2sad.ir.primitive import Form
from s2sad.ir.rewriter import Rewriter, captured_reads
from s2sad.passes.effects import can_fail

#: Operands of an operation with regions that are none of its slots.
BEFORE_SLOTS = {Form.IF: 1, Form.FOR: 3, Form.WHILE: 0}


def without_results(
    operation: Operation, values: Mapping[int, Value | None], rewriter: Rewriter
) -> Operation:
    """An `if` in place of `operation` that lacks the results in `values`, which stand for them.

    None stands for a result that nobody reads. The step is the caller's.
    """
    kept = [i for i in range(len(operation.results)) if i not in values]
    regions = {}
    for name, region in operation.regions.items():
        regions[name] = _copied(region, {}, [region.yields[i] for i in kept])
    return _exchanged(operation, operation.operands[:1], regions, kept, values, rewriter)


def without_slots(
    loop: Operation, values: Mapping[int, Value | None], rewriter: Rewriter
) -> Operation:
    """A loop in place of `loop` that does not carry the slots in `values`.

    The value given stands for the result; None for one that nobody reads. In the regions the
    initial value stands for the argument. The step is the caller's.
    """
    before = BEFORE_SLOTS[loop.prim.form]
    kept = [i for i in range(len(loop.results)) if i not in values]
    regions = {}
    for name, region in loop.regions.items():
        first = len(region.args) - len(loop.results)
        mapping = {region.args[first + i]: loop.operands[before + i] for i in values}
        yields = [region.yields[i] for i in kept] if name == "body" else region.yields
        regions[name] = _copied(region, mapping, yields)
    operands = [*loop.operands[:before], *(loop.operands[before + i] for i in kept)]
    return _exchanged(loop, operands, regions, kept, values, rewriter)


#: ``step(body, carried, copies)``: what the body yields for what it carries in addition; `copies`
#: has the values of the body for those of the old one.
Step = Callable[[Region, Sequence[Value], dict[Value, Value]], Sequence[Value]]


def with_slots(
    loop: Operation, initial: Sequence[Value], step: Step, rewriter: Rewriter
) -> Operation:
    """A counted loop in place of `loop` that has slots in addition, behind those that it has.

    They are `initial` at first, and in each pass become what `step` emits at the end of the body.
    The caller's is the rewriter's step.
    """
    copies: dict[Value, Value] = {}
    body = copy_region(loop.regions["body"], copies)
    more = [body.add_argument(v.type, v.name) for v in initial]
    body.set_reads([*body.yields, *step(body, more, copies)])
    operands = [*loop.operands, *initial]
    new = _like(loop, operands, {"body": body}, [*loop.results, *initial])
    rewriter.insert_before(loop).add(new)
    rewriter.replace_operation(loop, new.results[: len(loop.results)])
    return new


def _copied(region: Region, mapping: dict[Value, Value], yields: Iterable[Value]) -> Region:
    """Copy of `region` without the arguments in `mapping`, which gives what is read for them."""
    kept = [argument for argument in region.args if argument not in mapping]
    copy = Region([v.type for v in kept], [v.name for v in kept])
    mapping.update(zip(kept, copy.args, strict=True))
    for operation in copy_operations(region.operations, mapping):
        copy.append(operation)
    copy.set_reads([mapping.get(value, value) for value in yields])
    return copy


def _exchanged(
    old: Operation,
    operands: Iterable[Value],
    regions: dict[str, Region],
    kept: list[int],
    values: Mapping[int, Value | None],
    rewriter: Rewriter,
) -> Operation:
    new = _like(old, operands, regions, [old.results[i] for i in kept])
    rewriter.insert_before(old).add(new)
    found: dict[int, Any] = {**values, **dict(zip(kept, new.results, strict=True))}
    rewriter.replace_operation(old, [found[i] for i in range(len(old.results))])
    return new


def _like(
    old: Operation,
    operands: Iterable[Value],
    regions: dict[str, Region],
    results: Sequence[Value],
) -> Operation:
    """An operation as `old` is, with results as those given."""
    return Operation(
        old.prim, list(operands), dict(old.attrs), [v.type for v in results], regions=regions,
        names=[v.name for v in results], loc=old.loc, scope=old.scope,
    )  # fmt: skip


def unread_results(operation: Operation) -> list[int]:
    """Results of an `if` that nobody reads."""
    return [i for i, result in enumerate(operation.results) if not result.uses]


def unread_slots(loop: Operation) -> list[int]:
    """Slots of a loop that nobody reads: neither what comes after, nor what the others need.

    What may fail or has effects is needed, so is what the condition reads, and so is each slot
    that something needed reads. Stacks and tokens are used by what is needed, or passed on.
    """
    count, body = len(loop.results), loop.regions["body"]
    needed = {i for i, result in enumerate(loop.results) if result.uses or result.type.is_linear}
    if len(needed) == count:
        return []
    slot_of: dict[Value, int] = {}
    for region in loop.regions.values():
        slot_of.update(zip(region.args[len(region.args) - count :], range(count), strict=True))
    pending = [body.yields[i] for i in needed]
    for region in loop.regions.values():
        pending += [] if region is body else region.yields
        pending += [value for op in region.operations if can_fail(op) for value in _reads(op)]
    seen: set[Value] = set()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if value in slot_of:
            needed.add(slot_of[value])
            pending.append(body.yields[slot_of[value]])
        owner = value.owner
        if isinstance(owner, Operation) and owner.parent in loop.regions.values():
            pending += _reads(owner)
    return [i for i in range(count) if i not in needed]


def _reads(operation: Operation) -> list[Value]:
    return [*operation.operands, *(captured_reads(operation) if operation.regions else ())]


def passed_on(loop: Operation) -> list[int]:
    """Slots of a loop whose value stays what it was at first: the body yields its argument."""
    body = loop.regions["body"]
    args = body.args[len(body.args) - len(loop.results) :]
    return [i for i, value in enumerate(body.yields) if value is args[i]]
