"""Does the memory report count what is alive, at every moment of a program?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.base import LOOPS, Executable, last_reads, nbytes
from s2sad.backends.numpy import build
from s2sad.ir.builder import build_function
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.primitive import Form
from s2sad.ir.types import Stack, f32, f64, i64
from support.random_functions import random_function

# ---- a slow count, moment by moment ------------------------------------------------------------


def moments(region: Region, outer: tuple[Operation, ...] = ()) -> Iterator[tuple[Operation, ...]]:
    """The operation that runs, last, and those around it, at each moment of a program."""
    for operation in region.operations:
        path = (*outer, operation)
        yield path
        for inner in operation.regions.values():
            yield from moments(inner, path)


def is_alive(value: Value, path: tuple[Operation, ...]) -> bool:
    """Whether the result `value` takes memory while the last operation of `path` runs."""
    owner = value.owner
    around = [op for op in path if op.parent is owner.parent]
    if not around:  # of a region that does not run now
        return False
    now = around[0]
    operations = owner.parent.operations
    made, here = operations.index(owner), operations.index(now)
    if owner is now and now is not path[-1]:  # one of its regions runs
        return now.prim.form in LOOPS
    if here <= made:
        return here == made
    later = [reader for op in operations[here:] for reader in op.walk()]
    regions = [owner.parent, *(r for op in later for r in op.regions.values())]
    return any(value in reader._reads for reader in (*later, *regions))


def slow_peak(function: Function) -> int:
    made = [v for op in function.walk() if op.prim.form is not Form.CONST for v in op.results]
    sums = [sum(nbytes(v) for v in made if is_alive(v, path)) for path in moments(function.body)]
    return max(sums, default=0)


@pytest.mark.parametrize("part", range(4))
def test_random_functions(part):
    for seed in range(30 * part, 30 * part + 30):
        function, _ = random_function(seed)
        report = build(function).memory_report()
        constants = [op.result for op in function.walk() if op.prim.form is Form.CONST]
        assert report.inputs == sum(map(nbytes, function.args))
        assert report.constants == sum(map(nbytes, constants))
        assert report.results == sum(map(nbytes, function.results))
        assert report.peak == report.inputs + report.constants + slow_peak(function), f"seed {seed}"


# ---- by hand -----------------------------------------------------------------------------------

KB = f64[128]


def peak(run, *types) -> int:
    """Kilobytes beyond inputs and constants."""
    report = build(build_function(run, types)).memory_report()
    return (report.peak - report.inputs - report.constants) // 1024


def test_a_chain_needs_two_at_a_time():
    assert peak(lambda x: p.neg(p.neg(p.neg(p.neg(x)))), KB) == 2


def test_what_is_kept_for_later_counts():
    def run(x):
        a, b = p.neg(x), p.abs(x)
        return p.add(p.add(p.neg(p.neg(x)), a), b)

    assert peak(run, KB) == 4


def test_a_branch_counts_its_results_when_it_is_done():
    def run(x):
        wide = p.less(p.reduce_sum(x), 1.0)
        return p.if_(wide, then=lambda: p.neg(p.neg(x)), orelse=lambda: x)

    assert peak(run, KB) == 2


def test_a_loop_counts_what_it_carries_all_the_time():
    def run(x):
        return p.for_(0, 9, 1, p.abs(x), body=lambda i, y: p.neg(p.neg(y)))

    assert peak(run, KB) == 4  # with what it begins with


def test_stacks_do_not_count():
    program = build(build_function(lambda s: p.stack_pop(s), [Stack[KB]]))
    assert program.memory_report().inputs == 0
    assert program.memory_report().peak == 1024


def test_a_constant_counts_once():
    program = build(build_function(lambda x: p.add(x, p.const(1.0, KB)), [KB]))
    report = program.memory_report()
    assert (report.inputs, report.constants, report.results) == (1024, 1024, 1024)
    assert report.peak == 3072


def test_text():
    report = build(build_function(p.neg, [f32[250_000]])).memory_report()
    assert str(report).splitlines() == [
        "inputs         1,000,000 bytes", "constants              0 bytes",
        "results        1,000,000 bytes", "peak           2,000,000 bytes",
    ]  # fmt: skip


def test_last_reads():
    def run(x, n):
        y = p.neg(x)
        z = p.for_(0, n, 1, x, body=lambda i, acc: p.add(acc, y))
        return p.add(z, x), y

    region = build_function(run, [f64[2], i64]).body
    last = last_reads(region)
    names = [region.operations[place].prim.name if place < len(region.operations) else "yield"
             for place in (last[region.args[0]], last[region.args[1]])]  # fmt: skip
    assert names == ["add", "for_"]
    y = next(op.result for op in region.operations if op.prim is p.neg)
    assert last[y] == len(region.operations)
    constant = region.operations[1].result
    assert region.operations[last[constant]].prim is p.for_


def test_an_executable_may_overwrite_what_is_donated_unless_it_knows_better():
    class Plain(Executable):
        source = "plain"
        kernels = ()

        def run(self, inputs, *, given=()):
            return tuple(inputs)

    plain = Plain()
    plain.function = build_function(lambda x: p.neg(x), [f64[2]])
    plain.function.donates = {0: 0}
    assert plain.overwrites == {0}
    assert plain.run([np.zeros(2)])[0].shape == (2,)
