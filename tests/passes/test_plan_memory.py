"""Is the order of operations sound, does it save memory, and is state overwritten last?"""

from __future__ import annotations

from math import inf
from random import Random

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.numpy import build
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function, Operation
from s2sad.ir.types import Token, bool_, f64
from s2sad.ir.verify import verify
from s2sad.passes.base import run_passes
from s2sad.passes.plan_memory import PlanMemory
from support.differential import same
from support.fuzz import READY, Written

BIG = f64[100]


def planned(run, *types, donates=None) -> Function:
    inputs = ["token:host" if type_ is Token else f"x{i}" for i, type_ in enumerate(types)]
    function = build_function(run, types, inputs=inputs)
    function.donates = donates or {}
    run_passes(function, [PlanMemory()])
    verify(function)
    return function


def names(function: Function) -> list[str]:
    return [op.prim.name for op in function.body.operations if op.prim.name != "const"]


def test_what_lets_go_of_nothing_waits_for_its_reader():
    def run(x, y):
        large = p.broadcast_to(x, shape=(50, 100))
        small = p.reduce_sum(p.exp(y))
        return p.reduce_sum(large), small

    assert names(planned(run, BIG, BIG)) == ["exp", "reduce_sum", "broadcast_to", "reduce_sum"]


def test_a_reader_that_moves_takes_along_what_it_reads():
    """What `first` makes is read by one that moves down, and then by another."""

    def run(x, y):
        first = p.neg(x)
        moves = p.broadcast_to(first, shape=(2, 100))
        other = p.add(first, y)
        last = p.exp(other)
        return p.reduce_sum(moves), last

    function = planned(run, BIG, BIG)
    order = names(function)
    assert order.index("neg") < order.index("add") < order.index("broadcast_to")
    x = np.ones(100)
    assert same(evaluate(function, [x, x])[0], np.array(-200.0))


def test_memory_does_not_grow():
    def run(x):
        large = [p.broadcast_to(p.const(float(n), f64), shape=(100,)) for n in range(10)]
        for each in large:
            x = p.add(x, each)
        return x

    before = build_function(run, [BIG])
    after = planned(run, BIG)
    one, other = (build(each).memory_report().peak for each in (before, after))
    assert other < one / 2
    assert same(evaluate(after, [np.zeros(100)])[0], evaluate(before, [np.zeros(100)])[0])


def test_updates_come_where_their_gradient_is_known():
    def run(w, v, x):
        gradient = p.mul(x, x)
        other = p.exp(p.mul(x, 3.0))
        return p.sub(w, gradient), p.sub(v, other)

    function = planned(run, BIG, BIG, BIG, donates={0: 0, 1: 1})
    order = [op for op in function.body.operations if op.operands]
    for result in function.results:
        place = order.index(result.owner)
        assert order[place - 1] is result.owner.operands[1].owner


def test_not_before_what_reads_the_old_value():
    def run(w, x):
        new = p.sub(w, x)
        return new, p.reduce_sum(p.mul(w, x))

    assert names(planned(run, BIG, BIG, donates={0: 0}))[-1] == "reduce_sum"
    order = names(planned(run, BIG, BIG, donates={0: 0}))
    assert order.index("mul") < order.index("sub")


def test_not_before_what_may_fail():
    def run(token, w, ok):
        new = p.mul(w, 2.0)
        return p.assert_(token, ok, message="no"), new

    assert names(planned(run, Token, BIG, bool_, donates={1: 1})) == ["assert_", "mul"]


def test_effects_keep_their_order():
    def run(token, x):
        for text in "abc":
            token = p.print_(token, x, format=text + "{}")
        return token

    function = planned(run, Token, f64[2])
    texts = [op.attrs["format"] for op in function.walk() if op.prim is p.print_]
    assert texts == ["a{}", "b{}", "c{}"]


def test_random_functions_stay_valid_and_equal():
    for seed in range(150):
        written = Written.of_seed(seed)
        function = clone(written.function)
        run_passes(function, (*READY, PlanMemory()))
        verify(function)
        pairs = zip(
            evaluate(function, written.inputs), evaluate(written.function, written.inputs),
            strict=True,
        )  # fmt: skip
        assert all(same(*pair) for pair in pairs), seed


def by_paths(order: list[Operation]) -> list[Operation]:
    """By the definition: an operation that goes before another has its path, and one step more."""
    place = {op: i for i, op in enumerate(order)}
    last = {value: op for op in order for value in op.operands}
    paths: dict[Operation, tuple[float, ...]] = {}
    for op in reversed(order):
        readers = [use.user for value in op.results for use in value.uses if use.user in place]
        ending = sum(v.type.nbytes for v in dict.fromkeys(op.operands) if last[v] is op)
        moves = readers and ending < op.result.type.nbytes
        before = min(paths[reader] for reader in readers)[:-1] if moves else ()
        paths[op] = (*before, place[op], inf)
    return sorted(order, key=paths.__getitem__)


@pytest.mark.parametrize("seed", range(30))
def test_what_waits_goes_just_before_its_first_reader(seed):
    random = Random(seed)

    def run(x, y):
        values = [x, y]
        for _ in range(random.randrange(2, 60)):
            one, other = (random.choice(values[-8:]) for _ in range(2))
            small = p.broadcast_to(p.reduce_sum(one), shape=(100,))
            values.append(random.choice([p.add(one, other), p.neg(one), p.mul(one, one), small]))
        return values[-1], random.choice(values[2:])

    function = build_function(run, [BIG, BIG])
    expected = by_paths(list(function.body.operations))
    run_passes(function, [PlanMemory()])
    assert list(function.body.operations) == expected


def test_a_long_chain_of_what_waits_for_the_next():
    def run(x):
        kept = [x]
        for _ in range(2000):
            kept.append(p.neg(kept[-1]))
        total = kept[-1]
        for value in reversed(kept):
            total = p.mul(total, value)
        return total

    function = build_function(run, [BIG])
    order = list(function.body.operations)
    run_passes(function, [PlanMemory()])
    assert list(function.body.operations) == order
