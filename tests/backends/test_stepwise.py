"""Does a program run line by line as people read it, with the results of every other target?"""

from __future__ import annotations

import linecache
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends import numpy as numpy_backend
from s2sad.backends.stepwise import build
from s2sad.core import location
from s2sad.core.diagnostics import S2sadError
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.printer import print_text
from s2sad.ir.types import StackValue, Token, bf16, f32, f64, i64
from support.differential import same

HERE = Location("model.py", 7, 4, Location("train.py", 3, 0))


def program(run, *types, title="test", **options):
    return build(build_function(run, types, **options), title)


def test_constants_that_are_too_big_for_the_text():
    table = np.arange(40.0).reshape(20, 2)
    table[3, 1] = np.nan
    step = program(lambda x: p.mul(x, p.const(table, f64[20, 2])), f64[20, 2])
    assert len(step.source) < 400
    for _ in range(2):
        (found,) = step.run([np.ones((20, 2))])
        assert same(found, table)
    (other,) = program(lambda x: p.mul(x, p.const(2 * table, f64[20, 2])), f64[20, 2]).run(
        [np.ones((20, 2))]
    )
    assert same(other, 2 * table)


def test_results_are_arrays_in_a_tuple():
    def run(x):
        y = p.add(x, 1.0)
        return y, p.stack_push(p.stack_empty(of=f64), y)

    found, stack = program(run, f64).run([np.array(1.0)])
    assert same(found, np.array(2.0)) and same(stack, StackValue(f64, [np.array(2.0)]))
    assert program(lambda x: (), f64).run([1.0]) == ()
    assert program(lambda x: x, f64).run([1.0]) == (np.array(1.0),)


def test_other_types_are_refused():
    step = program(p.neg, f32[2], name="step")
    for wrong in ([np.zeros(2)], [np.zeros(3, np.float32)], [], [np.zeros(2, np.float32)] * 2):
        with pytest.raises(S2sadError, match=r"E0303.* step takes"):
            step.run(wrong)


def test_inputs_are_left_alone():
    def run(x, i):
        return p.index_add(x, i, p.const(1.0, f64))

    function = build_function(run, [f64[3], i64])
    function.donates = {0: 0}
    step, x = build(function, "test"), np.zeros(3)
    assert step.overwrites == frozenset()
    (found,) = step.run([x, 1], given=[0])
    assert x.tolist() == [0.0, 0.0, 0.0] and found.tolist() == [0.0, 1.0, 0.0]


def test_it_agrees_with_numpy_in_every_form():
    def run(x, n):
        y = p.for_(0, n, 1, p.exp(x), body=lambda i, y: p.mul(y, p.cast(i, dtype=f64)))
        y = p.if_(p.less(n, 3), then=lambda: p.neg(y), orelse=lambda: y)
        z = p.while_(n, condition=lambda j: p.less(j, 9), body=lambda j: p.add(j, 2))
        return p.fused(y, body=lambda z: p.sub(z, 1.0)), z, p.div(y, 0.0)

    function = build_function(run, [f64[2], i64])
    for n in (0, 2, 5):
        inputs = [np.array([0.5, -1.0]), np.array(n)]
        wanted = numpy_backend.build(function).run(inputs)
        found = build(function, "test").run(inputs)
        assert all(map(same, found, wanted))


def test_narrow_floats_go_through():
    (found,) = program(lambda x: p.add(x, x), bf16[2]).run([np.array([0x3F80, 0x4000], np.uint16)])
    assert same(found, np.array([0x4000, 0x4080], np.uint16))


def test_kernels_and_memory():
    step = program(lambda x: p.exp(p.neg(x)), f64[4])
    assert step.kernels == ("neg", "exp")
    assert step.memory_report().inputs == 32


def test_its_text_is_what_people_read():
    function = build_function(lambda x: p.tanh(p.mul(x, x)), [f32[2]], names=["x"])
    step = build(function, "grad of net.Net")
    assert step.source == print_text(function, style="source")
    assert linecache.getlines(step.file) == step.source.splitlines(True)


def test_names_are_unique_also_between_threads():
    functions = [build_function(lambda x: p.exp(x), [f64[n]]) for n in range(1, 9)]
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda function: build(function, "many threads"), functions))
    assert len({step.file for step in made}) == 8
    assert any(step.file == "<s2sad many threads>" for step in made)
    for size, step in enumerate(made, 1):
        assert f"f64[{size}]" in "".join(linecache.getlines(step.file))


def picks(x, i):
    with location.at(HERE):
        return p.gather(x, i)


@pytest.mark.parametrize("form", ["plain", "folded", "if_", "for_", "while_", "fused"])
def test_errors_have_the_place_of_their_operation(form):
    def run(x, i):
        with location.at(Location("model.py", 9, 8)):
            if form == "folded":
                return p.neg(picks(x, i))
            if form == "if_":
                zero = p.const(0.0, f64)
                return p.if_(p.less(i, 9), then=lambda: picks(x, i), orelse=lambda: zero)
            if form == "for_":
                body = lambda j, y: p.add(y, picks(x, j))  # noqa: E731
                return p.for_(0, 9, 1, p.const(0.0, f64), body=body)
            if form == "while_":
                return p.while_(
                    i, condition=lambda j: p.greater(picks(x, j), -1.0), body=lambda j: p.add(j, 1)
                )
            if form == "fused":
                return p.fused(x, i, body=picks)
            return picks(x, i)

    step = program(run, f64[3], i64)
    for _ in range(2):
        with pytest.raises(IndexError) as caught:
            step.run([np.zeros(3), 5])
        assert caught.value.diagnostic.location == HERE
        assert "model.py:7:4" in str(caught.value) and "train.py:3:0" in str(caught.value)


def test_what_calls_the_program_is_not_the_place():
    with location.at(Location("model.py", 1, 0)):
        with pytest.raises(IndexError) as caught:
            program(picks, f64[3], i64).run([np.zeros(3), 5])
        assert location.current.get() == Location("model.py", 1, 0)
    assert caught.value.diagnostic.location == HERE


def test_an_operation_without_a_place():
    with pytest.raises(IndexError) as caught:
        program(p.gather, f64[3], i64).run([np.zeros(3), 5])
    assert caught.value.diagnostic.location is None


def test_what_the_program_raises_is_just_that_with_its_place():
    def run(token, x):
        with location.at(HERE):
            return p.raise_(token, x, kind="KeyError", message="no row {}")

    with pytest.raises(KeyError) as caught:
        program(run, Token, f64).run([Token, np.array(2.0)])
    assert type(caught.value) is KeyError and caught.value.args == ("no row 2.0",)
    assert "model.py:7:4" in "".join(caught.value.__notes__)


def test_nothing_warns():
    def run(x, n):
        return p.div(x, 0.0), p.log(p.neg(x)), p.mul(n, 2**62), p.floor_div(n, 0)

    for shape in ((), (2,)):
        types = [t[shape] if shape else t for t in (f64, i64)]
        program(run, *types).run([np.ones(shape), np.full(shape, 7)])
