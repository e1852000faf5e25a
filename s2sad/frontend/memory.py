"""What does ``value.set_mem_info(policy="recompute")`` become in compiled code?

A `checkpoint` of what the line computes that made the value: its gradient keeps what that line was
given, and computes the rest again.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from s2sad import prims as p
from s2sad.core import location
from s2sad.core.diagnostics import fail
from s2sad.core.location import Location
from s2sad.core.memory_policy import checked_policy, set_mem_info
from s2sad.core.precision import stored
from s2sad.core.signatures import fitted
from s2sad.frontend.frame import Frame
from s2sad.frontend.writes import link_loops, replace
from s2sad.ir import builder as builders
from s2sad.ir.clone import copy_operations
from s2sad.ir.graph import Operation, Region, Value
from s2sad.ir.primitive import Form, Trait

CHECKPOINT = p.ALL["checkpoint"]

#: What to do instead of what is said of values in vain.
INSTEAD = {
    "keep": "leave it out: what nothing else says is kept for gradients",
    "donate": "leave it out: memory of values that nothing reads any more is used again anyway",
    None: "policy is 'recompute' here; ms.compile(memory_limit=...) limits the memory of a program",
}


def call_set_mem_info(frame: Frame, owner: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``owner.set_mem_info(policy="recompute")``: all names of the value hold one that is not kept.

    Raises
    ------
    S2sadError
        E0104 for a Tensor or a Parameter from outside, and for what is no line's own: an argument,
        or what a loop, a branch or an effect gives; E0404 for another policy, and for `pool_limit`.
    """
    signature = inspect.signature(set_mem_info)
    bound = fitted("set_mem_info", signature, [owner, *args], kwargs).arguments
    policy = checked_policy(bound.get("policy"))
    owner = stored(owner)
    if not isinstance(owner, Value):
        raise fail(
            "E0104", "what is said of the memory of a tensor from outside holds for all programs",
            help="call set_mem_info where the tensor is made, outside of compiled code",
        )  # fmt: skip
    if policy != "recompute" or bound.get("pool_limit") is not None:
        what = "pool_limit" if policy == "recompute" else f"the policy {policy!r}"
        raise fail(
            "E0404", f"{what} has no meaning for a value within compiled code",
            help=INSTEAD[None if policy == "recompute" else policy],
        )  # fmt: skip
    chosen = _of_line(owner)
    if not frame.session.order:  # nothing is kept where no gradient is taken
        return owner
    value = _again(owner, chosen)
    link_loops(frame.session, owner)
    replace(frame, owner, value)
    return value


def _of_line(value: Value) -> list[Operation]:
    """What the line computes that made `value`, in order, as far as it leads to that."""
    if not isinstance(value.owner, Operation) or not _may_repeat(value.owner):
        raise fail(
            "E0104", "this value is no line's own, so that line cannot be computed again",
            help="put what computes it into a function, and call ms.checkpoint(function)",
        )  # fmt: skip
    here = location.current.get()
    caller = None if here is None else here.caller
    line = _line(value.owner, caller)
    found: dict[Operation, None] = {}
    todo = [value.owner]
    while todo:
        operation = todo.pop()
        if operation in found:
            continue
        found[operation] = None
        owners = [each.owner for each in operation.operands]
        todo += [
            each for each in owners
            if isinstance(each, Operation) and each.parent is operation.parent and _may_repeat(each)
            and (each.prim.form is Form.CONST or _line(each, caller) == line)
        ]  # fmt: skip
    region = value.owner.parent
    assert isinstance(region, Region)
    return sorted(found, key=region.place)


def _may_repeat(operation: Operation) -> bool:
    linear = (value.type.is_linear for value in (*operation.operands, *operation.results))
    return not (operation.regions or operation.prim.has(Trait.EFFECT) or any(linear))


def _line(operation: Operation, caller: Location | None) -> tuple[str, int] | None:
    """The line of the function that `caller` calls from which `operation` stems."""
    places = () if operation.loc is None else operation.loc.chain()
    return next(((x.file, x.line) for x in places if x.caller == caller), None)


def _again(value: Value, chosen: Sequence[Operation]) -> Value:
    """`value` as a `checkpoint` of the operations `chosen` gives it."""
    inside = set(chosen)
    outside = list(
        dict.fromkeys(each for op in chosen for each in op.operands if each.owner not in inside)
    )
    region = Region([each.type for each in outside], [each.name for each in outside])
    mapping = dict(zip(outside, region.args, strict=True))
    for operation in copy_operations(chosen, mapping):
        region.append(operation)
    region.set_reads([mapping[value]])
    return builders.current().emit(CHECKPOINT, outside, {"budget": None}, {"body": region})
