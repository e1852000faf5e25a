"""How does the backward sweep of a long loop get by with little memory?

The reverse of a loop reads what its passes computed, so every pass leaves something on a tape, and
the tape is as long as the loop. A loop in segments leaves a state a segment instead: what the loop
carries where the segment begins. The backward sweep computes one segment after the other again,
last first, with a tape that is as long as a segment.

A segment is a `checkpoint` inside of a loop over segments, so this is ordinary code to everything
that comes after it. A loop that runs on a condition of data needs no number of passes for that: the
loop over segments has the same condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from s2sad import prims as p
from s2sad.autodiff.activity import is_differentiable
from s2sad.autodiff.reverse import differentiate
from s2sad.core.cache import format_size
from s2sad.core.diagnostics import fail
from s2sad.ir import builder as builders
from s2sad.ir.builder import as_tuple, build_region
from s2sad.ir.clone import copy_operation, copy_operations, copy_region
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import is_loop
from s2sad.ir.primitive import Form
from s2sad.ir.rewriter import Rewriter, captured_reads
from s2sad.ir.types import TensorType, i64
from s2sad.passes.base import Pass
from s2sad.passes.dce import Dce
from s2sad.passes.facts import constant, is_constant, trip_count
from s2sad.passes.hoist import HoistConstants
from s2sad.prims.control import for_, while_
from s2sad.prims.marker import checkpoint

#: Bytes that the tape of a loop may take where nobody said otherwise.
DEFAULT = 256 * 10**6
#: In place of a number of bytes that nobody knows while compiling.
ENDLESS = float("inf")


@dataclass(frozen=True)
class SegmentLoops(Pass):
    """Let loops whose tape would be larger than a budget run in segments.

    Before:  y = p.checkpoint(x, body=body_0, budget=16000000)  # while c(x): x = f(x)
    After:   while c(x): x = p.checkpoint(x, body=segment_0)    # k = 0; while k < 61 and c(x): ...

    Half of the budget is for the tape of one segment, half for the states. A `checkpoint` with a
    budget says which loops are meant, and goes. Of all other loops those are meant whose bounds
    are known, and whose tape then would be larger than `budget`.
    """

    name: ClassVar[str] = "segment-loops"
    is_needed: ClassVar[bool] = True

    budget: int = DEFAULT

    def concerns(self, function: Function) -> bool:
        """Whether `function` may have a loop that is meant."""
        return has_budget(function) or any(map(self._is_large, _loops(function.body)))

    def run(self, function: Function, rewriter: Rewriter) -> None:
        for operation in reversed(_marked(function)):  # what stands inside of another comes after
            with rewriter.step("segment the loops of a checkpoint", operation):
                _apply(operation, rewriter)
        for loop in filter(self._is_large, list(_loops(function.body))):
            _limit(loop, _Budget(self.budget, is_asked=False), rewriter)

    def _is_large(self, loop: Operation) -> bool:
        """Whether the tape of `loop` is known to be larger than the budget."""
        count = _passes(loop)
        if not count or not self.budget < count * _all(loop) < ENDLESS:  # most often it ends here
            return False
        return not _has_linear(loop) and count * _tape(loop) > self.budget


def has_budget(function: Function) -> bool:
    """Whether somebody said how much memory loops of `function` may take."""
    return bool(_marked(function))


def _marked(function: Function) -> list[Operation]:
    return [
        operation for operation in function.walk()
        if operation.prim is checkpoint and operation.attrs["budget"] is not None
    ]  # fmt: skip


def _has_linear(loop: Operation) -> bool:
    """Whether `loop` goes on with tokens or stacks, so that no pass of it can run twice."""
    return any(value.type.is_linear for value in (*loop.operands, *captured_reads(loop)))


def _passes(loop: Operation) -> int | None:
    """How often `loop` runs, where that is known."""
    return trip_count(loop) if loop.prim.form is Form.FOR else None


def _apply(marked: Operation, rewriter: Rewriter) -> None:
    """Put the body of a `checkpoint` with a budget in its place, its loops in segments.

    Where it is run many times, or keeps much outside of its loops, it is computed again as a whole.
    """
    budget = marked.attrs["budget"]
    body = Function("body", copy_region(marked.regions["body"], {}))
    inside = Rewriter(body)
    HoistConstants().run(body, inside)
    _limit_all(list(_loops(body.body)), _Budget(budget), inside)
    place = rewriter.insert_before(marked)
    region = marked.parent
    assert region is not None
    if region.parent is rewriter.function and _straight(body.body) <= budget:
        found = rewriter.inline_region(body.body, marked.operands, place)
    else:
        regions = {"body": copy_region(body.body, {})}
        found = as_tuple(place.emit(checkpoint, marked.operands, {}, regions))
    rewriter.replace_operation(marked, found)


def _straight(region: Region) -> int | float:
    """Bytes of what `region` computes outside of loops, as far as it may be kept."""
    total: int | float = 0
    for operation in region.operations:
        if operation.prim.form is Form.IF:
            total += sum(map(_straight, operation.regions.values()))
        total += sum(_nbytes(value) for value in operation.results)
    return total


def _nbytes(value: Value) -> int | float:
    """Bytes of a tensor; without end where its sizes are not known while compiling."""
    if not isinstance(value.type, TensorType):
        return 0
    return value.type.nbytes if isinstance(value.type.nbytes, int) else ENDLESS


def _loops(region: Region) -> Iterator[Operation]:
    """The loops of `region` that stand in no other loop, and in no marker."""
    for operation in region.operations:
        if is_loop(operation):
            yield operation
        elif operation.prim.form is Form.IF:
            for side in operation.regions.values():
                yield from _loops(side)


# ---- how long is a segment? ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Budget:
    """Bytes, and whether they were asked for: then what cannot be within them is an error."""

    bytes: int
    is_asked: bool = True

    @property
    def half(self) -> int:
        return self.bytes // 2

    @property
    def of_inner(self) -> _Budget:
        """For the loops of one pass, which is computed again on its own."""
        return _Budget(self.bytes // 4, self.is_asked)


def _limit_all(loops: Sequence[Operation], budget: _Budget, rewriter: Rewriter) -> None:
    """Let `loops`, one after the other, share a budget."""
    for loop in loops:
        _limit(loop, _Budget(budget.bytes // len(loops), budget.is_asked), rewriter)


def _limit(loop: Operation, budget: _Budget, rewriter: Rewriter) -> None:
    """Let `loop` run in segments, where its tape may take more than the budget."""
    if _has_linear(loop):
        if budget.is_asked:
            raise fail(
                "E0104", "a loop under a memory budget has effects, which cannot be repeated",
                location=loop.loc, help="print and check outside of it",
            )  # fmt: skip
        return
    count, each = _passes(loop), _tape(loop)
    if each == 0 or (count is not None and count * each <= budget.bytes):
        return
    inner = list(_loops(loop.regions["body"]))
    if each > budget.half and inner:
        _limit_all(inner, budget.of_inner, rewriter)
        loop = _passes_again(loop, rewriter)
        each = _tape(loop)
        if count is not None and count * each <= budget.half:
            return
    if each > budget.half:
        if budget.is_asked:
            raise _too_small(loop, budget, each)
        return
    length = budget.half // int(each)
    segmented = _segmented_for if loop.prim.form is Form.FOR else _segmented_while
    with rewriter.step("segment a loop", loop), rewriter.insert_before(loop).active():
        rewriter.replace_operation(loop, segmented(loop, length))


def _too_small(loop: Operation, budget: _Budget, each: int | float) -> Exception:
    if each == ENDLESS:
        return fail(
            "E0104", "a loop under a memory budget has tensors whose sizes are not known",
            location=loop.loc, help="compile it for shapes without None",
        )  # fmt: skip
    return fail(
        "E0404", f"{format_size(budget.half)} of memory is for a segment of this loop, and one "
        f"pass of it keeps {format_size(int(each))}",
        location=loop.loc, help="give the checkpoint more memory",
    )  # fmt: skip


def _all(loop: Operation) -> int | float:
    """Bytes of all that a pass of `loop` computes: no tape has more."""
    body = loop.regions["body"]
    total = _straight(body) + sum(map(_nbytes, body.args))
    for inner in _loops(body):
        count = _passes(inner)
        total += ENDLESS if count is None else count and count * _all(inner)
    return total


def _tape(loop: Operation) -> int | float:
    """Bytes that a pass of `loop` leaves on tapes; without end where nobody knows."""
    captured = captured_reads(loop)
    values = list(dict.fromkeys([*loop.operands, *captured]))
    kept = [value for value in values if not is_constant(value)]

    def run(*given: Value) -> Sequence[Value]:
        mapping = _given(values, kept, given)
        return builders.current().add(copy_operation(loop, mapping)).results

    region = build_region(run, [v.type for v in kept])
    wrt = [i for i, value in enumerate(region.args) if is_differentiable(value)]
    results = [i for i, value in enumerate(region.yields) if is_differentiable(value)]
    if not wrt or not results:
        return 0
    joint = differentiate(Function("tape", region), wrt, results)
    Dce().run(joint, Rewriter(joint))
    forward = next(op for op in joint.body.operations if is_loop(op))
    return _pushed(forward.regions["body"])


def _pushed(region: Region) -> int | float:
    """Bytes that go on tapes each time that `region` runs."""
    total: int | float = 0
    for operation in region.operations:
        if operation.prim.form is Form.PUSH:
            total += _nbytes(operation.operands[1])
        elif is_loop(operation):
            each = _pushed(operation.regions["body"])
            count = _passes(operation)
            total += each * (ENDLESS if count is None else count) if each else 0
        elif operation.prim.form is Form.IF:
            total += sum(map(_pushed, operation.regions.values()))
    return total


# ---- loops anew ----------------------------------------------------------------------------------

#: ``run(values, mapping)``: what to emit for values that vary; `mapping` has all others.
Run = Callable[[Sequence[Value], dict[Value, Value]], Sequence[Value]]


def _segmented_while(loop: Operation, length: int) -> Sequence[Value]:
    """``while c(x): x = f(x)`` as ``while c(x): <for at most `length` passes>``."""
    condition, body = loop.regions["condition"], loop.regions["body"]

    def segment(values: Sequence[Value], mapping: dict[Value, Value]) -> Sequence[Value]:
        zero, one, limit = (p.const(n, i64) for n in (0, 1, length))

        def goes_on(k: Value, *carried: Value) -> Value:
            return p.logical_and(p.less(k, limit), *_emitted(condition, carried, mapping))

        def one_pass(k: Value, *carried: Value) -> Sequence[Value]:
            return p.add(k, one), *_emitted(body, carried, mapping)

        regions = {
            "condition": _like(condition, goes_on, [zero]),
            "body": _like(body, one_pass, [zero]),
        }
        return _emit(while_, [zero, *values], regions, ["k", *_names(loop)])[1:]

    def one_segment(*carried: Value) -> Sequence[Value]:
        return _again(segment, carried, captured_reads(loop))

    regions = {"condition": copy_region(condition, {}), "body": _like(body, one_segment)}
    return _emit(while_, loop.operands, regions, _names(loop))


def _segmented_for(loop: Operation, length: int) -> Sequence[Value]:
    """``for i in range(a, b, s)`` as ``for j in range(a, b, n * s): <n passes from j>``."""
    body, (start, stop, step) = loop.regions["body"], loop.operands[:3]
    known = constant(step)
    if known is None:
        raise fail(
            "E0104", "a loop under a memory budget has a step that is not known while compiling",
            location=loop.loc, help="write the step as a number",
        )  # fmt: skip
    stride = int(known) * max(1, min(length, 2**62 // max(1, abs(int(known)))))
    nearer = p.minimum if stride > 0 else p.maximum

    def segment(values: Sequence[Value], mapping: dict[Value, Value]) -> Sequence[Value]:
        first, *carried = values
        left = p.sub(mapping.get(stop, stop), first)
        bounds = first, p.add(first, nearer(left, stride)), p.const(int(known), i64)
        inner = _like(body, lambda *values: _emitted(body, values, mapping))
        return _emit(for_, [*bounds, *carried], {"body": inner}, _names(loop))

    def one_segment(*values: Value) -> Sequence[Value]:
        return _again(segment, values, list(dict.fromkeys([stop, *captured_reads(loop)])))

    operands = [start, stop, p.const(stride, i64), *loop.operands[3:]]
    return _emit(for_, operands, {"body": _like(body, one_segment)}, _names(loop))


def _passes_again(loop: Operation, rewriter: Rewriter) -> Operation:
    """`loop`, with a `checkpoint` for its body: a pass keeps what it begins with."""
    body = loop.regions["body"]

    def one_pass(*values: Value) -> Sequence[Value]:
        return _again(
            lambda given, mapping: _emitted(body, given, mapping), values, captured_reads(loop)
        )

    with rewriter.step("compute passes again", loop), rewriter.insert_before(loop).active():
        regions = {name: copy_region(region, {}) for name, region in loop.regions.items()}
        regions["body"] = _like(body, one_pass)
        found = _emit(loop.prim, loop.operands, regions, _names(loop))
        rewriter.replace_operation(loop, found)
    made = found[0].owner
    assert isinstance(made, Operation)
    return made


def _again(run: Run, values: Sequence[Value], captured: Sequence[Value]) -> Sequence[Value]:
    """Emit a `checkpoint` of what `run` makes of `values`, and of what it reads from around."""
    kept = [value for value in captured if not is_constant(value)]
    operands = [*values, *kept]

    def body(*given: Value) -> Sequence[Value]:
        return run(given[: len(values)], _given(captured, kept, given[len(values) :]))

    region = build_region(body, [v.type for v in operands], [v.name for v in operands])
    return as_tuple(builders.current().emit(checkpoint, operands, {}, {"body": region}))


def _given(
    values: Sequence[Value], kept: Sequence[Value], given: Sequence[Value]
) -> dict[Value, Value]:
    """What stands for `values` in a region that takes `kept`: constants are made there anew."""
    mapping = dict(zip(kept, given, strict=True))
    for value in values:
        if is_constant(value):
            builders.current().add(copy_operation(value.owner, mapping))  # type: ignore[arg-type]
    return mapping


def _emitted(
    region: Region, values: Sequence[Value], mapping: dict[Value, Value]
) -> Sequence[Value]:
    """What `region` yields for `values`, its operations copied to here."""
    found = {**mapping, **dict(zip(region.args, values, strict=True))}
    for copy in copy_operations(list(region.operations), found):
        builders.current().add(copy)
    return [found.get(value, value) for value in region.yields]


def _like(region: Region, run: Callable[..., Any], before: Sequence[Value] = ()) -> Region:
    """Region of `run`, which takes what `region` takes, and before that values as `before` is."""
    args = [*before, *region.args]
    return build_region(run, [v.type for v in args], [v.name for v in args])


def _emit(
    prim: Any, operands: Sequence[Value], regions: dict[str, Region], names: Sequence[str | None]
) -> Sequence[Value]:
    found = builders.current().emit(prim, operands, {}, regions, names=names)
    return as_tuple(found)


def _names(loop: Operation) -> list[str | None]:
    return [value.name for value in loop.results]
