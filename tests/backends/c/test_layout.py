"""Does each value lie where nothing that is still read is, and as little as can be moved?"""

from __future__ import annotations

import time
from collections import Counter
from random import Random

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c.executable import CExecutable, build
from s2sad.backends.c.layout import ALIGNMENT, Slot, _placed, assign, needed
from s2sad.compiler import TARGET
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import Stack, StackValue, bool_, f64, i64
from s2sad.passes.base import run_passes
from support.differential import differences

pytestmark = pytest.mark.usefixtures("programs_apart")

BIG = f64[40, 40]
BYTES = 40 * 40 * 8


def checked(run, types, inputs) -> CExecutable:
    """The program, which gives what the evaluator gives."""
    program = build(build_function(run, types))
    assert differences(program, inputs) == []
    return program


def steps_of(program: CExecutable) -> Counter[str]:
    return Counter(step.op for step in program._program.layout.steps)


def arena_of(program: CExecutable) -> int:
    return program._program.layout.arena


# ---- offsets -----------------------------------------------------------------------------------


def test_slots_alive_at_one_time_do_not_overlap():
    for seed in range(200):
        random = Random(seed)
        slots = []
        for number in range(random.randint(1, 30)):
            start = random.randint(0, 50)
            size = random.choice((0, 1, 8, 64, 100, 4096))
            slots.append(Slot("ARENA", 0, size, start, start + random.randint(0, 20), number))
        whole = assign(slots)
        for i, one in enumerate(slots):
            assert one.at % 64 == 0 and one.at + one.nbytes <= whole
            for other in slots[:i]:
                apart = one.start > other.end or other.start > one.end
                free = one.at >= other.at + other.nbytes or other.at >= one.at + one.nbytes
                assert apart or free or not one.nbytes or not other.nbytes, seed


def lowest_places(slots: list[Slot]) -> list[int]:
    """Offsets by the definition: the largest first, each as low as those alive with it let it."""
    offsets: dict[Slot, int] = {}
    for slot in sorted(slots, key=lambda s: (-s.nbytes, s.number)):
        at = 0
        for other in sorted(offsets, key=offsets.__getitem__):
            if other.start > slot.end or slot.start > other.end:
                continue
            if at + -(-slot.nbytes // 64) * 64 <= offsets[other]:
                break
            at = max(at, offsets[other] + -(-other.nbytes // 64) * 64)
        offsets[slot] = at
    return [offsets[slot] for slot in slots]


def test_each_slot_lies_as_low_as_it_can():
    random = Random(0)
    for count in (0, 1, *range(2, 80)):
        slots = []
        for number in range(count):
            start = random.randrange(40)
            nbytes = random.choice((0, 4, 64, 65, random.randrange(5000)))
            slots.append(Slot("ARENA", -1, nbytes, start, start + random.randrange(30), number))
        by_size = sorted(slots, key=lambda slot: (-slot.nbytes, slot.number))
        offsets, whole = _placed(by_size)
        found = dict(zip(by_size, offsets, strict=True))
        assert [found[slot] for slot in slots] == lowest_places(slots)
        assert whole == max((found[s] + -(-s.nbytes // 64) * 64 for s in slots), default=0)
        assert assign(slots) <= whole


def test_memory_is_shared_by_what_is_not_alive_at_once():
    slots = [Slot("ARENA", 0, 1000, n, n + 1, n) for n in range(0, 20, 2)]
    assert assign(slots) == 1024


# ---- in place ------------------------------------------------------------------------------------


def test_a_chain_needs_one_place():
    def run(x):
        y = p.matmul(x, x)
        for _ in range(6):
            y = p.sub(p.neg(y), x)
        return p.matmul(y, x)

    program = checked(run, [BIG], [np.eye(40)])
    assert BYTES <= arena_of(program) <= BYTES + 128
    assert steps_of(program) == {"CALL": 14}


def test_what_is_read_again_is_not_overwritten():
    def run(x):
        y = p.neg(x)
        z = p.mul(y, 2.0)
        return p.add(p.add(z, y), p.reshape(y, shape=(40, 40)))

    checked(run, [BIG], [np.ones((40, 40))])


def test_a_value_read_through_a_reshape_stays():
    def run(x):
        y = p.neg(x)
        flat = p.reshape(y, shape=(1600,))
        z = p.mul(y, 3.0)
        return z, p.cumsum(flat, axis=0)

    checked(run, [BIG], [np.ones((40, 40))])


def test_writes_to_items_are_in_place():
    def run(x, row):
        y = p.neg(x)
        for place in range(5):
            y = p.index_update(y, p.const(place, i64), row)
        return p.neg(y)

    program = checked(run, [BIG, f64[40]], [np.zeros((40, 40)), np.ones(40)])
    assert arena_of(program) <= BYTES + 128


# ---- loops --------------------------------------------------------------------------------------


def test_a_loop_that_works_in_place_moves_nothing():
    def run(x, row):
        return p.for_(0, 7, 1, p.neg(x), body=lambda i, y: p.index_add(y, i, row))

    program = checked(run, [BIG, f64[40]], [np.zeros((40, 40)), np.ones(40)])
    kinds = [step.op for step in program._program.layout.steps]
    assert kinds == ["CALL", "COPY", "FOR", "CALL", "NEXT"]  # one copy, into the caller's memory


def test_a_large_value_that_cannot_be_made_in_place_changes_places():
    for turns in (0, 1, 2, 5):

        def run(x, turns=turns):
            return p.for_(0, turns, 1, x, body=lambda i, y: p.matmul(y, x))

        program = checked(run, [BIG], [np.eye(40) * 2])
        assert steps_of(program)["SWAP"] == steps_of(program)["SETTLE"] == 1


def test_values_that_are_exchanged():
    def run(x, y):
        return p.for_(0, 5, 1, x, y, p.neg(x), body=lambda i, a, b, c: (b, c, p.add(a, c)))

    checked(run, [BIG, BIG], [np.ones((40, 40)), np.full((40, 40), 3.0)])
    checked(run, [f64[2], f64[2]], [np.ones(2), np.full(2, 3.0)])


def test_a_value_carried_and_read_from_outside():
    def run(x):
        y = p.neg(x)
        return p.for_(0, 3, 1, y, body=lambda i, z: p.add(z, y)), y

    checked(run, [BIG], [np.ones((40, 40))])


def test_one_value_for_two_carried_ones():
    def run(x):
        def body(i, a, b):
            c = p.mul(a, 2.0)
            return c, c

        return p.for_(0, 3, 1, p.neg(x), p.neg(x), body=body)

    checked(run, [BIG], [np.ones((40, 40))])


def test_a_loop_that_never_runs_gives_what_it_began_with():
    def run(x, n):
        y = p.neg(x)
        return p.for_(0, n, 1, y, x, body=lambda i, a, b: (p.matmul(a, b), p.add(a, b)))

    for n in (0, 1, 3):
        checked(run, [BIG, i64], [np.eye(40), np.array(n)])


def test_while_on_what_it_carries():
    def run(x):
        return p.while_(
            p.const(0, i64), x, condition=lambda i, y: p.less(p.reduce_sum(y), p.const(9e3, f64)),
            body=lambda i, y: (p.add(i, 1), p.add(y, x)),
        )  # fmt: skip

    checked(run, [BIG], [np.ones((40, 40))])


def test_branches_write_where_their_result_is_wanted():
    def run(x, condition):
        return p.if_(condition, then=lambda: p.matmul(x, x), orelse=lambda: p.cumsum(x, axis=0))

    for condition in (True, False):
        program = checked(run, [BIG, bool_], [np.eye(40), np.array(condition)])
        assert steps_of(program)["COPY"] == 0


def test_branches_that_give_what_they_got():
    def run(x, y, condition):
        x, y = p.if_(condition, then=lambda: (y, x), orelse=lambda: (x, p.neg(y)))
        return p.add(x, y), x, y

    for condition in (True, False):
        checked(run, [BIG, BIG, bool_],
                [np.ones((40, 40)), np.zeros((40, 40)), np.array(condition)])  # fmt: skip


def test_stacks_through_branches_and_loops():
    def run(stack, x, condition):
        stack = p.if_(condition, then=lambda: p.stack_push(stack, x), orelse=lambda: stack)
        stack, x = p.for_(
            0, 3, 1, stack, x, body=lambda i, s, y: (p.stack_push(s, y), p.mul(y, 2.0))
        )
        stack, top = p.stack_pop(stack)
        return stack, top

    for condition in (True, False):
        checked(run, [Stack[f64[2]], f64[2], bool_],
                [StackValue(f64[2], [np.zeros(2)]), np.ones(2), np.array(condition)])  # fmt: skip


def pushed_and_popped(i, stack, y):
    stack, top = p.stack_pop(stack)
    return stack, p.add(y, p.mul(top, top))


def test_what_is_pushed_is_computed_on_the_stack_and_read_there():
    def run(x):
        stack, x = p.for_(
            0, 300, 1, p.stack_empty(of=BIG), x,
            body=lambda i, s, y: (p.stack_push(s, h := p.mul(y, 0.75)), p.add(h, 1.0)),
        )  # fmt: skip
        stack, y = p.for_(0, 300, 1, stack, x, body=pushed_and_popped)
        p.stack_drop(stack)
        return y

    program = checked(run, [BIG], [np.random.default_rng(0).normal(size=(40, 40))])
    steps = steps_of(program)
    assert steps["STACK_ROOM"] == steps["STACK_TAKE"] == 1 and not steps["STACK_POP"]


def test_what_lasts_longer_than_on_the_stack_is_copied():
    def pushed_between(stack, x):
        stack, top = p.stack_pop(stack)
        stack = p.stack_push(stack, p.neg(x))
        stack, other = p.stack_pop(stack)
        return stack, top, other

    def carried(stack, x):
        def body(i, s, last):
            s, top = p.stack_pop(s)
            return p.stack_push(s, p.add(top, last)), top

        return p.for_(0, 3, 1, stack, x, body=body)

    def both(stack, x):
        h = p.mul(x, 0.75)
        return p.stack_push(p.stack_push(stack, h), h)

    def yielded(stack, x):
        return p.for_(
            0, 3, 1, stack, x, body=lambda i, s, y: (p.stack_push(s, h := p.mul(y, 0.75)), h)
        )

    rng = np.random.default_rng(1)
    for run in (pushed_between, carried, both, yielded):
        arrays = [rng.normal(size=(40, 40)) for _ in range(4)]
        inputs = [StackValue(BIG, arrays[:3]), arrays[3]]
        program = checked(run, [Stack[BIG], BIG], inputs)
        assert not steps_of(program)["STACK_TAKE"], run
        # What was popped may be computed over, once it is copied.
        assert not steps_of(program)["STACK_ROOM"] or run in (pushed_between, carried), run


# ---- products that lie nowhere ----------------------------------------------------------------


@pytest.mark.parametrize("shape", [(5, 7, 3), (200, 300, 350), (20, 1, 40), (1, 20, 40), (4, 5, 0)])
def test_an_update_takes_over_the_blocks_of_its_gradient(shape):
    rows, columns, depth = shape

    def run(x, y, w, v):
        moved = p.add(p.mul(v, 0.9), p.matmul(x, y, transpose_a=True))
        return p.sub(w, p.mul(moved, 0.1)), moved

    types = [f64[depth, rows], f64[depth, columns], f64[rows, columns], f64[rows, columns]]
    function = build_function(run, types, inputs=["x", "y", "param:w", "param:v"])
    function.donates = {2: 0, 3: 1}
    run_passes(function, TARGET["s2sad.backends.c"])
    program = build(function)
    rng = np.random.default_rng(2)
    x, y, w, v = (rng.normal(size=t.shape) for t in types)
    moved = 0.9 * v + x.T @ y
    found = program.run([x, y, w.copy(), v.copy()], given={2, 3})
    np.testing.assert_allclose(found[0], w - 0.1 * moved, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found[1], moved, rtol=1e-12, atol=1e-12)
    if columns > 1:
        assert ".loose = true" in program.source and arena_of(program) == 0


# ---- time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2])
def test_accumulators_in_nested_loops_are_not_copied(depth):
    """A gradient of an array of which loops read an item at a time: linear, not quadratic."""

    def run(x, n):
        def inner(i, acc):
            return p.for_(0, 8, 1, acc, body=lambda j, a: p.index_add(a, i, p.gather(x, j)))

        def outer(i, acc):
            return p.index_add(acc, i, p.gather(x, i)) if depth == 1 else inner(i, acc)

        return p.for_(p.const(0, i64), n, 1, p.mul(x, 0.5), body=outer)

    program = build(build_function(run, [f64[20_000, 16], i64]))
    small = build(build_function(run, [f64[20, 16], i64]))
    x = np.random.default_rng(0).normal(size=(20, 16))
    (expected,) = evaluate(small.function, [x, np.array(9)])
    np.testing.assert_array_equal(small.run([x, 9])[0], expected)
    in_loop = [step.op for step in program._program.layout.steps]
    in_loop = in_loop[in_loop.index("FOR") : len(in_loop) - in_loop[::-1].index("NEXT")]
    assert not {"COPY", "SWAP", "SETTLE"} & set(in_loop)
    x = np.ones((20_000, 16))
    start = time.process_time()
    program.run([x, 20_000])
    assert time.process_time() - start < 1.0, "20,000 copies of 2.5 MB take longer"


# ---- the arena -----------------------------------------------------------------------------------


def overlap(one: Slot, other: Slot) -> bool:
    in_time = one.start <= other.end and other.start <= one.end
    return in_time and one.at < other.at + other.nbytes and other.at < one.at + one.nbytes


@pytest.mark.parametrize("seed", range(40))
def test_slots_that_live_at_one_time_do_not_overlap_and_little_is_lost(seed):
    random = Random(seed)
    slots = []
    for number in range(random.randrange(1, 120)):
        start = random.randrange(60)
        size = random.choice((1, 63, 64, 1000, 4096, 5000)) * random.randrange(1, 9)
        slots.append(Slot("ARENA", 0, size, start, start + random.randrange(25), number))
    total = assign(slots)
    assert total == max(-(-(slot.at + slot.nbytes) // ALIGNMENT) * ALIGNMENT for slot in slots)
    assert not any(slot.at % ALIGNMENT for slot in slots)
    assert not any(overlap(one, other) for i, one in enumerate(slots) for other in slots[:i])
    assert needed(slots) <= total <= 1.25 * needed(slots)


def test_another_order_is_tried_where_the_largest_first_wastes_memory():
    spans = [(10, 0, 3), (9, 2, 5), (8, 4, 7), (7, 6, 9), (6, 0, 1), (5, 3, 8), (3, 8, 9)]
    slots = [Slot("ARENA", 0, 64 * size, *span, i) for i, (size, *span) in enumerate(spans)]
    total = assign(slots)
    by_size = sorted(slots, key=lambda slot: (-slot.nbytes, slot.number))
    assert needed(slots) <= total <= _placed(by_size)[1]


def test_no_slots_need_nothing():
    assert assign([]) == 0 == needed([])
