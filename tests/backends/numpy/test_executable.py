"""Is a program checked at its door, found by debuggers, and does an error name the user's line?"""

from __future__ import annotations

import gc
import linecache
import traceback

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.numpy import build
from s2sad.core import location
from s2sad.core.diagnostics import S2sadError
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.types import Stack, StackValue, Token, bf16, f32, f64, i64
from support.differential import same

HERE = Location("model.py", 7, 4, Location("train.py", 3, 0))
INNER = Location("model.py", 9, 8)


def executable(run, *types, **options):
    return build(build_function(run, types, **options))


def caught(program, inputs, kind=S2sadError):
    with pytest.raises(kind) as found:
        program.run(inputs)
    return found.value


# ---- inputs ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "found"),
    [
        ([np.zeros(2, np.float64), np.zeros((), np.int64)], r"\(f64\[2\], i64\)"),
        ([np.zeros(3, np.float32), np.zeros((), np.int64)], r"\(f32\[3\], i64\)"),
        ([np.zeros((2, 1), np.float32), np.zeros((), np.int64)], r"\(f32\[2, 1\], i64\)"),
        ([np.zeros(2, np.uint16), np.zeros((), np.int64)], r"\(bf16\[2\], i64\)"),
        ([np.zeros(2, np.float32), 1.0], r"\(f32\[2\], f64\)"),
        ([np.zeros(2, np.float32)], r"\(f32\[2\],\)"),
        ([np.zeros(2, np.float32), 1, 2], r"\(f32\[2\], i64, i64\)"),
        ([Token, 1], r"\(Token, i64\)"),
        ([StackValue(f32[2]), 1], r"\(Stack\[f32\[2\]\], i64\)"),
    ],
)
def test_other_types_are_refused(inputs, found):
    program = executable(lambda x, n: p.add(x, p.cast(n, dtype=f32)), f32[2], i64, name="step")
    with pytest.raises(S2sadError, match=rf"E0303.* step takes \(f32\[2\], i64\), got {found}"):
        program.run(inputs)


def test_dtypes_that_no_tensor_has_are_refused():
    program = executable(p.neg, f64[2])
    for array in (np.zeros(2, ">f8"), np.zeros(2, complex), np.array(["a", "b"])):
        with pytest.raises(S2sadError, match="E0301"):
            program.run([array])


def test_stacks_and_tokens_are_checked_too():
    program = executable(lambda s, t: (s, t), Stack[f64[2]], Token, inputs=["s", "token:host"])
    program.run([StackValue(f64[2]), Token])
    with pytest.raises(S2sadError, match="E0303"):
        program.run([StackValue(f64[3]), Token])
    with pytest.raises(S2sadError, match="E0303"):
        program.run([Token, StackValue(f64[2])])


def test_numbers_and_scalars_are_inputs():
    program = executable(lambda x, n: p.mul(x, p.cast(n, dtype=f64)), f64, i64)
    for inputs in ([2.0, 3], [np.float64(2.0), np.int64(3)], [np.array(2.0), np.array(3)]):
        (found,) = program.run(inputs)
        assert same(found, np.array(6.0))


def test_results_are_arrays_also_of_stacks():
    def run(x):
        y = p.add(x, 1.0)
        return y, p.stack_push(p.stack_empty(of=f64), y)

    found, stack = executable(run, f64).run([np.array(1.0)])
    assert same(found, np.array(2.0))
    assert same(stack, StackValue(f64, [np.array(2.0)]))


def test_nothing_warns():
    def run(x, n):
        return p.div(x, 0.0), p.log(p.neg(x)), p.mul(n, 2**62), p.floor_div(n, 0)

    for shape in ((), (2,)):
        types = [t[shape] if shape else t for t in (f64, i64)]
        executable(run, *types).run([np.ones(shape), np.full(shape, 7)])


# ---- text ------------------------------------------------------------------------------------


def test_its_text_is_in_linecache_while_it_lives():
    function = build_function(lambda x: p.add(x, x), [f64[2]])
    function.title = "net.Net.construct"
    before = set(linecache.cache)
    program = build(function)
    (file,) = set(linecache.cache) - before
    assert file.startswith("<s2sad numpy net.Net.construct ")
    linecache.checkcache()
    assert linecache.getlines(file) == program.source.splitlines(True)
    assert program._call.__code__.co_filename == file
    del program
    gc.collect()
    assert file not in linecache.cache


def test_two_programs_have_two_texts():
    one, other = (executable(lambda x, c=c: p.mul(x, c), f64[2]) for c in (2.0, 3.0))
    assert one.file != other.file
    assert one.run([np.ones(2)])[0][0] != other.run([np.ones(2)])[0][0]


def test_kernels_are_named_in_program_order():
    def run(x, n):
        y = p.for_(0, n, 1, p.exp(x), body=lambda i, y: p.mul(y, x))
        return p.fused(y, body=lambda z: p.neg(z))

    assert executable(run, f64[2], i64).kernels == ("exp", "mul", "fused", "neg")


def test_interactions():
    assert executable(p.neg, f64[2]).interactions() == 1


# ---- errors ----------------------------------------------------------------------------------


def picks(x, i):
    with location.at(HERE):
        return p.gather(x, i)


def test_an_error_is_at_the_line_of_its_operation():
    error = caught(executable(picks, f64[3], i64), [np.zeros(3), 5])
    assert (error.code, error.diagnostic.location) == ("E0501", HERE)
    assert "--> model.py:7:4" in str(error)
    assert "called at train.py:3:0" in str(error)
    assert isinstance(error, IndexError)


def test_the_place_is_that_of_the_operation_not_of_its_neighbours():
    def run(x, i):
        with location.at(INNER):
            x = p.neg(x)
        y = picks(x, i)
        with location.at(INNER):
            return p.neg(y)

    program = executable(run, f64[3], i64)
    assert caught(program, [np.zeros(3), 5]).diagnostic.location == HERE
    program.run([np.zeros(3), 2])


@pytest.mark.parametrize("form", ["if_", "for_", "while_", "fused", "a fused within a loop"])
def test_errors_in_regions(form):
    def run(x, i):
        with location.at(INNER):
            zero = p.const(0.0, f64)
            if form == "if_":
                return p.if_(p.less(i, 9), then=lambda: picks(x, i), orelse=lambda: zero)
            if form == "for_":
                return p.for_(0, 9, 1, zero, body=lambda j, y: p.add(y, picks(x, j)))
            if form == "while_":
                return p.while_(
                    i, condition=lambda j: p.greater(picks(x, j), -1.0), body=lambda j: p.add(j, 1)
                )
            if form == "fused":
                return p.fused(x, i, body=picks)
            return p.for_(0, 9, 1, zero, body=lambda j, y: p.add(y, p.fused(x, j, body=picks)))

    error = caught(executable(run, f64[3], i64), [np.zeros(3), 5])
    assert (error.code, error.diagnostic.location) == ("E0501", HERE)


def test_a_step_of_0_is_at_the_loop():
    def run(n):
        with location.at(HERE):
            return p.for_(0, 4, n, p.const(0, i64), body=lambda i, y: p.add(y, i))

    error = caught(executable(run, i64), [0])
    assert (error.code, error.diagnostic.location) == ("E0404", HERE)
    assert executable(run, i64).run([2]) == (np.array(2),)


def test_an_error_in_place_is_at_its_line():
    def run(x, i):
        with location.at(HERE):
            return p.index_add(p.neg(x), i, p.const(1.0, f64))

    program = executable(run, f64[3], i64)
    assert "_in_place" in program.source
    assert caught(program, [np.zeros(3), 3]).diagnostic.location == HERE


def test_what_calls_the_program_is_not_the_place():
    with location.at(INNER):
        error = caught(executable(picks, f64[3], i64), [np.zeros(3), 5])
        assert location.current.get() == INNER
    assert error.diagnostic.location == HERE


def test_an_operation_without_a_place():
    error = caught(executable(p.gather, f64[3], i64), [np.zeros(3), 5])
    assert (error.code, error.diagnostic.location) == ("E0501", None)


def test_a_failed_assert_says_what_was_seen():
    def run(token, x):
        with location.at(HERE):
            return p.assert_(token, p.less(p.reduce_sum(x), 1.0), x, message="too much: {}")

    error = caught(executable(run, Token, f64[2]), [Token, np.ones(2)], AssertionError)
    assert "too much: [1. 1.]" in str(error)
    assert error.diagnostic.location == HERE


def test_what_the_program_raises_is_just_that_with_its_place():
    def run(token, x):
        with location.at(HERE):
            return p.raise_(token, x, kind="KeyError", message="no row {}")

    error = caught(executable(run, Token, f64), [Token, np.array(2.0)], KeyError)
    assert type(error) is KeyError
    assert error.args == ("no row 2.0",)
    assert error.diagnostic.location == HERE
    assert "model.py:7:4" in "".join(error.__notes__)


def test_a_fault_of_a_kernel_shows_the_emitted_line():
    program = executable(lambda x: p.sort(x), f64[2])
    program.namespace["sort"] = lambda *operands, **attrs: [][0]
    error = caught(program, [np.zeros(2)], IndexError)
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    assert "= sort(t0" in text


def test_a_program_can_run_again_after_an_error():
    program = executable(picks, f64[3], i64)
    caught(program, [np.zeros(3), 5])
    assert program.run([np.ones(3), 1]) == (np.array(1.0),)


def test_narrow_floats_go_through():
    program = executable(lambda x: p.add(x, x), bf16[2])
    (found,) = program.run([np.array([0x3F80, 0x4000], np.uint16)])
    assert same(found, np.array([0x4000, 0x4080], np.uint16))
