"""Does a program of C keep to what an executable promises about inputs, results and errors?"""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c.executable import CExecutable, build
from s2sad.core import location
from s2sad.core.diagnostics import S2sadError
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.types import Stack, StackValue, Token, bool_, f32, f64, i64
from support.differential import same

pytestmark = pytest.mark.usefixtures("programs_apart")


def executable(run, *types, donates=None, **options) -> CExecutable:
    function = build_function(run, types, **options)
    function.donates = donates or {}
    return build(function)


# ---- inputs ----------------------------------------------------------------------------------


def test_other_types_are_refused():
    program = executable(lambda x, n: p.add(x, p.cast(n, dtype=f32)), f32[2], i64, name="step")
    for inputs in ([np.zeros(2), 1], [np.zeros(3, np.float32), 1], [np.zeros(2, np.float32)]):
        with pytest.raises(S2sadError, match=r"E0303.* step takes \(f32\[2\], i64\), got"):
            program.run(inputs)


def test_inputs_of_any_order_in_memory():
    program = executable(lambda x, y: p.sub(x, y), f64[3, 4], f64[4])
    x = np.arange(24.0).reshape(4, 6)[:, ::2].T
    odd = np.frombuffer(bytearray(33), np.float64, 4, offset=1)
    assert not x.flags.c_contiguous and not odd.flags.aligned
    (found,) = program.run([x, odd])
    np.testing.assert_array_equal(found, x)
    assert np.array_equal(x, np.arange(24.0).reshape(4, 6)[:, ::2].T)


def test_numbers_are_inputs():
    program = executable(lambda x, n: p.mul(x, p.cast(n, dtype=f64)), f64, i64)
    for inputs in ([2.0, 3], [np.float64(2.0), np.int64(3)], [np.array(2.0), np.array(3)]):
        assert same(program.run(inputs)[0], np.array(6.0))


def test_one_array_for_two_inputs():
    program = executable(lambda x, y: (p.add(x, y), p.mul(x, y)), f64[3], f64[3])
    x = np.arange(3.0)
    found = program.run([x, x])
    assert same(found[0], x + x) and same(found[1], x * x)


# ---- results -----------------------------------------------------------------------------------


def test_an_input_a_constant_and_one_value_twice_as_results():
    def run(x):
        y = p.neg(x)
        return x, y, y, p.const(np.arange(2.0), f64[2]), p.reshape(y, shape=(2, 1))

    x = np.ones(2)
    program = executable(run, f64[2])
    found = program.run([x])
    for array, expected in zip(found, (x, -x, -x, np.arange(2.0), -x[:, None]), strict=True):
        assert same(array, expected)
    (again,) = [program.run([x])[3]]
    again[:] = 7  # nobody else's memory
    assert same(program.run([x])[3], np.arange(2.0))
    found[1][:] = 5
    assert same(found[2], -x)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (0, 3), (1, 1)], ids=str)
def test_no_axes_and_no_elements(shape):
    def run(x):
        y = p.add(p.exp(x), x)
        sums = [p.reduce_sum(y), *(p.reduce_sum(y, axis=(a,)) for a in range(len(shape)))]
        return y, p.transpose(y), p.less(y, x), *sums, p.concat(y, y, axis=0) if shape else y

    type_ = f64[shape] if shape else f64
    x = np.ones(shape)
    found = executable(run, type_).run([x])
    y = np.exp(x) + x
    expected = [y, y.T, y < x, y.sum(), *(y.sum(a) for a in range(len(shape)))]
    for array, wanted in zip(found, expected, strict=False):
        np.testing.assert_allclose(array, wanted)
        assert array.shape == np.shape(wanted)


def test_no_results_and_no_inputs():
    assert executable(lambda: ()).run([]) == ()
    assert same(executable(lambda: p.const(2.0, f64)).run([])[0], np.array(2.0))


def test_stacks_come_in_and_go_out():
    def run(stack, x):
        stack, top = p.stack_pop(stack)
        return p.stack_push(p.stack_push(stack, p.mul(top, x)), x), top

    program = executable(run, Stack[f64[2]], f64[2])
    for _ in range(2):
        stack = StackValue(f64[2], [np.zeros(2), np.ones(2)])
        found, top = program.run([stack, np.array([2.0, 3.0])])
        arrays = [np.zeros(2), np.array([2.0, 3.0]), np.array([2.0, 3.0])]
        assert same(found, StackValue(f64[2], arrays)) and same(top, np.ones(2))
        assert len(stack) == 0, "it is used up"


# ---- donated inputs ------------------------------------------------------------------------------


def test_a_given_input_is_overwritten_another_is_not():
    program = executable(lambda w, g: p.sub(w, p.mul(g, 0.5)), f64[4], f64[4], donates={0: 0})
    assert program.overwrites == {0}
    w, g = np.ones(4), np.ones(4)
    (found,) = program.run([w, g])
    assert same(w, np.ones(4)) and same(found, np.full(4, 0.5)) and found is not w
    (found,) = program.run([w, g], given={0})
    assert found is w and same(w, np.full(4, 0.5)) and same(g, np.ones(4))


def test_a_given_input_that_another_one_is_as_well():
    program = executable(lambda w, g: p.sub(w, p.mul(g, 0.5)), f64[4], f64[4], donates={0: 0})
    w = np.ones(4)
    (found,) = program.run([w, w], given={0})
    assert same(found, np.full(4, 0.5))


def test_what_is_read_after_the_update_is_not_overwritten_before():
    def run(w, x):
        new = p.mul(w, 2.0)
        return new, p.matmul(x, p.reshape(w, shape=(2, 1)))

    program = executable(run, f64[2], f64[3, 2], donates={0: 0})
    w, x = np.array([1.0, 2.0]), np.ones((3, 2))
    new, product = program.run([w, x], given=program.overwrites)
    assert same(new, np.array([2.0, 4.0])) and same(product, np.full((3, 1), 3.0))


def test_parameters_stay_when_a_later_operation_fails():
    def run(token, w, n):
        new = p.mul(w, 2.0)
        token = p.assert_(token, p.greater(n, p.const(0, i64)), message="n is not positive")
        return token, new, p.gather(w, n)

    program = executable(run, Token, f64[3], i64, donates={1: 1})
    for n, error in ((0, "n is not positive"), (9, "E05")):
        w = np.ones(3)
        with pytest.raises(Exception, match=error):
            program.run([Token, w, n], given=program.overwrites)
        assert same(w, np.ones(3))
    _, new, row = program.run([Token, np.ones(3), 2], given=program.overwrites)
    assert same(new, np.full(3, 2.0)) and same(row, np.array(1.0))


# ---- errors -------------------------------------------------------------------------------------


def test_errors_name_the_line():
    def run(x, n):
        with location.at(Location("net.py", 7, 4)):
            return p.gather(x, n)

    program = executable(run, f64[3], i64)
    with pytest.raises(S2sadError, match=r"(?s)E05.*net\.py:7:4"):
        program.run([np.zeros(3), 5])
    assert same(program.run([np.zeros(3), 2])[0], np.array(0.0)), "it runs on afterwards"


def test_steps_of_no_length_and_empty_stacks():
    loop = executable(
        lambda x, n: p.for_(p.const(0, i64), 5, n, x, body=lambda i, y: p.add(y, 1.0)), f64, i64
    )
    with pytest.raises(S2sadError, match="E0404"):
        loop.run([1.0, 0])
    pop = executable(lambda stack: p.stack_pop(stack), Stack[f64])
    with pytest.raises(S2sadError, match="E0502"):
        pop.run([StackValue(f64)])


# ---- the host, threads, memory -------------------------------------------------------------------


def test_what_the_host_does(capsys):
    def run(token, x, ready):
        token = p.if_(ready, then=lambda: p.print_(token, x, format="x is {}\n"),
                      orelse=lambda: p.print_(token, format="not ready\n"))  # fmt: skip
        return token, p.neg(x)

    program = executable(run, Token, f64[2], bool_)
    for ready in (True, False):
        token, found = program.run([Token, np.ones(2), np.array(ready)])
        assert token is Token and same(found, -np.ones(2))
    assert capsys.readouterr().out == "x is [1. 1.]\nnot ready\n"


def test_several_threads_at_once():
    def run(x, n):
        return p.for_(p.const(0, i64), n, 1, x, body=lambda i, y: p.sin(p.matmul(y, x)))

    program = executable(run, f64[20, 20], i64)
    inputs = [np.full((20, 20), 0.01 * k) for k in range(8)]
    expected = [program.run([x, 20])[0] for x in inputs]
    found: dict[tuple[int, int], np.ndarray] = {}

    def work(k):
        for turn in range(10):
            (found[k, turn],) = program.run([inputs[k], 20])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 80
    assert all(same(array, expected[k]) for (k, _), array in found.items())


def test_memory_is_reported_and_let_go():
    program = executable(lambda x: p.cumsum(p.cumsum(p.exp(x), axis=0), axis=0), f32[1000])
    report = program.memory_report()
    assert (report.inputs, report.constants, report.results) == (4000, 0, 4000)
    assert 8000 <= report.peak <= 8000 + 2 * 4096
    program.run([np.zeros(1000, np.float32)])
    weak = weakref.ref(program)
    del program
    gc.collect()
    assert weak() is None
