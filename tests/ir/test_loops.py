"""Does a loop say what it carries, place by place?"""

from __future__ import annotations

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.loops import carried, is_loop
from s2sad.ir.types import bool_, f32, i64


def test_a_counted_loop_carries_what_follows_its_bounds():
    def body(i, a, b):
        return p.neg(b), a

    program = build_function(lambda n, x, y: p.for_(0, n, 1, x, y, body=body), [i64, f32, f32])
    *_, loop = program.body.operations
    (inner,) = loop.regions.values()
    first, second = carried(loop)
    assert is_loop(loop) and not is_loop(inner.operations[0])
    assert first == (program.args[1], (inner.args[1],), inner.yields[0], loop.results[0])
    assert second == (program.args[2], (inner.args[2],), inner.yields[1], loop.results[1])
    assert second.yielded is first.argument is inner.args[1]


def test_a_conditional_loop_has_an_argument_for_its_condition_too():
    def run(c, x):
        return p.while_(c, x, condition=lambda c, x: c, body=lambda c, x: (p.less(x, 0), p.neg(x)))

    program = build_function(run, [bool_, f32])
    *_, loop = program.body.operations
    condition, body = loop.regions.values()
    assert is_loop(loop)
    assert [place.args for place in carried(loop)] == [*zip(condition.args, body.args, strict=True)]
    assert [place.argument for place in carried(loop)] == body.args
