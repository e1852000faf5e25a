"""Which sums of products that a loop makes pass by pass are one product after it?

The gradient of a matrix that each pass of a loop multiplies with is such a sum: ``dw += a.T @ b``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeGuard

from s2sad import prims as p
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import Carried, carried
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.rewriter import Place, Rewriter
from s2sad.ir.types import StackType, TensorType
from s2sad.passes.base import Pass
from s2sad.passes.facts import constant, is_splat, is_static
from s2sad.passes.slots import with_slots, without_slots
from s2sad.prims.marker import barrier

#: Products that sum over as much in one pass are as fast as a larger one.
LONG = 128
#: Bytes of arrays that a loop may fill anew: at most so many times what its tapes hold, which is
#: what the loop needs anyway, and at most so many.
TIMES_TAPES, MOST_BYTES = 4, 64 * 2**20


@dataclass(frozen=True)
class JoinSums(Pass):
    """Take sums of products out of counted loops.

    Before:  for i in range(63, -1, -1): dw = p.add(dw, p.matmul(a, b, transpose_a=True))
    After:   for i in range(63, -1, -1): a_s = p.index_add(a_s, i, a); b_s = p.index_add(b_s, i, b)
             dw = p.matmul(p.reshape(a_s, ...), p.reshape(b_s, ...), transpose_a=True)

    One product has the same work, reads and writes the sum once, and sums over a long axis. What
    the loop puts into an array by its index already, or takes from one, is read there; a
    `reduce_sum` is taken out of the loop where that is so of what it sums. The loop has bounds that
    are known, and does nothing else with the sum. It stays where what is multiplied is longer than
    the sum that it saves, where the new arrays would be large, and where passes are computed again
    to save memory. Floats are summed in another order: as in any order, the error is at most
    ``n * eps`` times the sum of the magnitudes of the n terms.
    """

    name: ClassVar[str] = "join-sums"
    exact: ClassVar[bool] = False

    def run(self, function: Function, rewriter: Rewriter) -> None:
        for loop in reversed(list(_loops(function.body))):  # inner ones first: outer are copied
            plan = _planned(loop)
            if plan is not None:
                with rewriter.step("join sums", loop):
                    _join(plan, rewriter)


def _loops(region: Region) -> Iterator[Operation]:
    """Counted loops of `region` and below it."""
    for operation in region.operations:
        if operation.prim.form is Form.FOR:
            yield operation
        if not operation.prim.has(Trait.OPAQUE):
            for inner in operation.regions.values():
                yield from _loops(inner)


# ---- what is summed ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Term:
    """A product, or a reduction, that each pass adds to a sum; and what it is of."""

    operation: Operation
    operands: tuple[Value, ...]

    @property
    def is_product(self) -> bool:
        return self.operation.prim is p.matmul


@dataclass(frozen=True)
class Sum:
    """Something that a loop carries for no other purpose than to add to it.

    Attributes
    ----------
    slot : int
        Its place among what the loop carries.
    initial : Value
    terms : tuple of Term
    """

    slot: int
    initial: Value
    terms: tuple[Term, ...]

    @property
    def has_product(self) -> bool:
        return any(term.is_product for term in self.terms)


def _sums(loop: Operation) -> list[Sum]:
    """The sums of `loop`, those with products first: what they stack is there for reductions."""
    found = [
        Sum(slot, place.initial, terms)
        for slot, place in enumerate(carried(loop))
        if (terms := _terms(place, loop.regions["body"], slot))
    ]
    return sorted(found, key=lambda each: not each.has_product)


def _terms(place: Carried, body: Region, slot: int) -> tuple[Term, ...]:
    """What a pass adds to `place`; nothing where it does anything else with it."""
    found: list[Term] = []
    value = place.argument
    while len(value.uses) == 1:
        user, index = next(iter(value.uses))
        if isinstance(user, Region):
            return tuple(found) if (user, index) == (body, slot) else ()
        if user.prim is not p.add or user.parent is not body:
            return ()
        for leaf in _leaves(user.operands[1 - index], body):
            if leaf.type != value.type or len(leaf.uses) != 1 or not _is_term(leaf.owner, body):
                return ()
            found.append(Term(leaf.owner, leaf.owner.operands))
        value = user.result
    return ()


def _leaves(value: Value, body: Region) -> Iterator[Value]:
    """The values that add up to `value`, which nobody else reads."""
    owner = value.owner
    if isinstance(owner, Operation) and owner.prim is p.add and len(value.uses) == 1:
        if owner.parent is body:
            for operand in owner.operands:
                yield from _leaves(operand, body)
            return
    yield value


def _is_term(owner: Operation | Region, body: Region) -> TypeGuard[Operation]:
    """Whether `owner` is a product or a reduction that can be joined with those of other passes."""
    if not isinstance(owner, Operation) or owner.parent is not body:
        return False
    if owner.prim not in (p.matmul, p.reduce_sum):
        return False
    # What is the same in each pass need not be stacked.
    if not all(v.region is body and is_static(v.type) for v in owner.operands):
        return False
    if owner.prim is p.reduce_sum:
        return True
    return all(v.ndim == 2 for v in owner.operands) and _inner(owner) < LONG


def _inner(product: Operation) -> int:
    """Over how much `product` sums."""
    size = product.operands[0].shape[_inner_axis(product, 0)]
    assert isinstance(size, int)
    return size


def _inner_axis(product: Operation, index: int) -> int:
    """The axis of operand `index` that `product` sums over."""
    is_swapped = product.attrs["transpose_b" if index else "transpose_a"]
    return int(is_swapped == index)


# ---- what is there of it after the loop ----------------------------------------------------------


@dataclass
class Plan:
    """What is to be joined.

    Attributes
    ----------
    loop : Operation
    rows : int
        Of the arrays: the indices of the loop are below.
    kept : dict of Value to int or Value
        Where all that a value of the body was can be read after the loop: in a slot of the loop,
        or in an array that was there before.
    stacked : dict of Value to Operation
        Values of the body for which the loop is to fill arrays, and the term that each is of.
    sums : list of Sum
    """

    loop: Operation
    rows: int
    kept: dict[Value, int | Value]
    stacked: dict[Value, Operation] = field(default_factory=dict)
    sums: list[Sum] = field(default_factory=list)

    def missing(self, terms: Sequence[Term]) -> dict[Value, Operation]:
        """What `terms` are of and nothing keeps, with the operation of each."""
        found = {value: term.operation for term in terms for value in term.operands}
        return {v: op for v, op in found.items() if v not in self.kept and v not in self.stacked}


def _planned(loop: Operation) -> Plan | None:
    """What is to be joined of `loop`; None where that is nothing."""
    sums, trips, body = _sums(loop), _trips(loop), loop.regions["body"]
    if not sums or not trips or any(op.prim is barrier for op in body.walk()):
        return None
    lowest, highest = sorted((trips[0], trips[-1]))
    rows = highest + 1
    # Of more rows than twice the passes most would be empty.
    if lowest < 0 or len(trips) < 2 or rows > 2 * len(trips):
        return None
    plan = Plan(loop, rows, _kept(loop, rows, is_whole=rows == len(trips)))
    allowed = min(MOST_BYTES, TIMES_TAPES * len(trips) * _on_tapes(body))
    for each in sums:
        missing = plan.missing(each.terms)
        needed = rows * sum(map(_nbytes, missing))
        if needed <= allowed and _pays(each, missing):
            allowed -= needed
            plan.stacked |= missing
            plan.sums.append(each)
    return plan if plan.sums else None


def _trips(loop: Operation) -> range:
    """The indices of `loop`; none where they are not known."""
    bounds = [constant(value) for value in loop.operands[:3]]
    if any(bound is None for bound in bounds) or not bounds[2]:
        return range(0)
    return range(*map(int, bounds))  # type: ignore[arg-type]


def _pays(each: Sum, missing: Collection[Value]) -> bool:
    """Whether stacking what is `missing` is less than to read and write the sum in each pass.

    A reduction saves too little for an array of its own.
    """
    is_less = sum(map(_nbytes, missing)) <= 2 * _nbytes(each.initial)
    return not missing or (each.has_product and is_less)


def _nbytes(value: Value) -> int:
    size = value.tensor_type.nbytes
    assert isinstance(size, int)
    return size


def _on_tapes(body: Region) -> int:
    """Bytes that a pass takes from tapes, or leaves there."""
    total = 0
    for operation in body.operations:
        if operation.prim.form in (Form.PUSH, Form.POP):
            tape = operation.operands[0].type
            assert isinstance(tape, StackType)
            total += tape.element.nbytes if isinstance(tape.element.nbytes, int) else 0
    return total


def _kept(loop: Operation, rows: int, *, is_whole: bool) -> dict[Value, int | Value]:
    """What `loop` puts into arrays by its index, or takes from them, where it takes all rows."""
    body = loop.regions["body"]
    found: dict[Value, int | Value] = {}
    for operation in body.operations if is_whole else ():
        if operation.prim is p.gather and _is_by_index(operation, body, rows):
            array = operation.operands[0]
            if array.region is not body:
                found[operation.result] = array
    for slot, place in enumerate(carried(loop)):
        writer = place.yielded.owner
        if isinstance(writer, Operation) and _fills(writer, place, body, rows):
            found[writer.operands[2]] = slot
    return found


def _fills(writer: Operation, place: Carried, body: Region, rows: int) -> bool:
    """Whether `writer` is all that `place` goes through, is zero at first, and sets one row."""
    if writer.prim is not p.index_add or not _is_by_index(writer, body, rows):
        return False
    if list(place.argument.uses) != [(writer, 0)] or len(place.yielded.uses) != 1:
        return False
    return is_splat(place.initial, 0) and writer.operands[2].region is body


def _is_by_index(operation: Operation, body: Region, rows: int) -> bool:
    """Whether `operation` is about the row of an array of `rows` that has the loop's index."""
    array, index = operation.operands[:2]
    return index is body.args[0] and operation.attrs["axis"] == 0 and array.shape[0] == rows


# ---- the loop anew -------------------------------------------------------------------------------


def _join(plan: Plan, rewriter: Rewriter) -> None:
    loop = _with_arrays(plan, rewriter)
    place = rewriter.insert_after(loop)
    for each in plan.sums:
        total = _total(each, plan, loop, place)
        rewriter.replace_uses(loop.results[each.slot], total)
    without_slots(loop, dict.fromkeys(each.slot for each in plan.sums), rewriter)


def _with_arrays(plan: Plan, rewriter: Rewriter) -> Operation:
    """The loop that fills arrays as well; `plan` then says where they are."""
    if not plan.stacked:
        return plan.loop
    with rewriter.insert_before(plan.loop).active():
        types = [v.tensor_type for v in plan.stacked]
        zeros = [p.const(0, TensorType(t.dtype, (plan.rows, *t.shape))) for t in types]
    for slot, (value, zero) in enumerate(zip(plan.stacked, zeros, strict=True)):
        plan.kept[value] = len(plan.loop.results) + slot
        zero.name = value.name

    def fill(region: Region, arrays: Sequence[Value], copies: dict[Value, Value]) -> list[Value]:
        found = []
        for (value, term), array in zip(plan.stacked.items(), arrays, strict=True):
            with rewriter.insert_last(region, like=term).active():
                found.append(p.index_add(array, region.args[0], copies[value]))
        return found

    return with_slots(plan.loop, zeros, fill, rewriter)


def _total(each: Sum, plan: Plan, loop: Operation, place: Place) -> Value:
    """The sum after the loop."""

    def arrays(term: Term) -> Iterator[Value]:
        for kept in map(plan.kept.__getitem__, term.operands):
            yield loop.results[kept] if isinstance(kept, int) else kept

    # From 0.0 on the terms add up to no -0.0, so that adding 0.0 changes nothing.
    found = [] if is_splat(each.initial, 0) else [each.initial]
    for term in each.terms:
        place.loc, place.scope = term.operation.loc, term.operation.scope
        with place.active():
            found.append((_product if term.is_product else _reduction)(term, *arrays(term)))
            if len(found) == 2:
                found = [p.add(*found)]
    return found[0]


def _product(term: Term, *arrays: Value) -> Value:
    """The sum over all passes of what `term` was in each."""
    axes = (_inner_axis(term.operation, index) for index in range(2))
    x, y = map(_joined, arrays, axes)
    return p.matmul(x, y, transpose_a=True)


def _joined(array: Value, axis: int) -> Value:
    """The matrices in `array`, of one behind the other along `axis`, as rows."""
    if axis == 1:
        array = p.transpose(array, perm=(0, 2, 1))
    rows, inner, columns = array.shape
    return p.reshape(array, shape=(rows * inner, columns))


def _reduction(term: Term, array: Value) -> Value:
    """The sum over all passes of what `term` was in each, joined with an axis where it can be."""
    axes = term.operation.attrs["axis"]
    if 0 in axes:
        rows, first, *others = array.shape
        array = p.reshape(array, shape=(rows * first, *others))
    else:
        axes = (0, *(axis + 1 for axis in axes))
    total = p.reduce_sum(array, axis=axes)
    shape = term.operation.result.shape
    return total if total.shape == shape else p.reshape(total, shape=shape)
